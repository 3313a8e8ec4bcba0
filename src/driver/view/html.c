/*
 * html.c - a page to look around in: style, data and script in one file
 *
 * The content security policy allows this style and this script, by their SHA-256, and nothing
 * else: no request, and no code from a name of the model.
 */
#include "driver/record.h"
#include "driver/view/drawing.h"
#include "driver/view/page.h"

#include <stdlib.h>
#include <string.h>

void html_write(FILE *to, const struct drawing *drawing)
{
    char *title = text_escaped(drawing->title, "");

    fprintf(
        to,
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
        page_js_sum, page_css_sum);
    for (const char *c = title; *c; c++)
        if (strchr("<>&", *c))
            fprintf(to, "&#%d;", *c);
        else
            fputc(*c, to);
    free(title);
    fputs("</title>\n<style>", to);
    fwrite(page_css, 1, page_css_size, to);
    fputs("</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"data\">", to);
    json_write(to, drawing);
    fputs("</script>\n<script>", to);
    fwrite(page_js, 1, page_js_size, to);
    fputs("</script>\n</body>\n</html>\n", to);
}
