/*
 * diag_excerpt.c - a line of source text with a run of carets below it
 *
 * Tabs become spaces and what a terminal must not see becomes '?', so that both lines are equally
 * wide wherever they are shown.  A long line is cut around the caret.
 */
#include "base/diag_priv.h"
#include "base/text.h"
#include "base/utf8.h"

#include <string.h>

enum { TAB = 8, LONGEST = 120, BEFORE_CARET = 60 };

/* Bytes of a line: those shown and, of them, those underlined. */
struct window {
    size_t begin, end, mark_begin, mark_end;
};

static bool inside_character(const char *text, size_t at)
{
    return ((unsigned char)text[at] & 0xC0) == 0x80;
}

static struct window window_of(const struct location *where, size_t length)
{
    size_t at = (size_t)where->column - 1;
    struct window w = {.end = where->size};

    w.mark_begin = at < where->size ? at : where->size;
    if (w.end > LONGEST) {
        w.begin = w.mark_begin > LONGEST - BEFORE_CARET ? w.mark_begin - BEFORE_CARET : 0;
        w.end = w.end - w.begin > LONGEST ? w.begin + LONGEST : w.end;
        while (w.begin < w.mark_begin && inside_character(where->text, w.begin))
            w.begin++;
        while (w.end > w.mark_begin && w.end < where->size && inside_character(where->text, w.end))
            w.end--;
    }
    w.mark_end = length < w.end - w.mark_begin ? w.mark_begin + length : w.end;
    return w;
}

/* Appends the character at `at` as it is shown; returns its bytes, and its columns in *width. */
static size_t add_character(struct text *line, const char *at, size_t size, size_t *width)
{
    uint32_t c;
    size_t bytes = utf8_decode(at, size, &c);
    int columns = utf8_width(c);

    *width = columns < 0 ? 1 : (size_t)columns;
    if (columns < 0)
        text_add_bytes(line, "?", 1);
    else
        text_add_bytes(line, at, bytes);
    return bytes;
}

static void add_repeated(struct text *line, const char *byte, size_t count)
{
    while (count-- > 0)
        text_add_bytes(line, byte, 1);
}

static void add_marks(struct text *marks, const struct window *w, size_t at, size_t width)
{
    if (at < w->mark_begin)
        add_repeated(marks, " ", width);
    else if (at == w->mark_begin && width > 0) {
        add_repeated(marks, "^", 1);
        add_repeated(marks, "~", w->mark_end > at ? width - 1 : 0);
    } else if (at < w->mark_end)
        add_repeated(marks, "~", width);
}

static void show(const char *text, const struct window *w, struct text *line, struct text *marks)
{
    size_t column = 0;

    for (size_t at = w->begin, bytes, width; at < w->end; at += bytes, column += width) {
        if (text[at] == '\t') {
            bytes = 1;
            width = TAB - column % TAB;
            add_repeated(line, " ", width);
        } else {
            bytes = add_character(line, text + at, w->end - at, &width);
        }
        add_marks(marks, w, at, width);
    }
    if (w->mark_begin >= w->end)
        add_repeated(marks, "^", 1);
}

void diag_print_excerpt(FILE *to, const struct location *where, size_t length, bool colour)
{
    struct window w = window_of(where, length);
    struct text line = {0}, marks = {0};
    const char *cut = w.begin > 0 ? "..." : "";

    text_add_bytes(&line, "", 0);
    show(where->text, &w, &line, &marks);
    int gutter = fprintf(to, "%5d", where->line);
    fprintf(to, " | %s%s%s\n", cut, line.data, w.end < where->size ? "..." : "");
    fprintf(to, "%*s | %*s%s%s%s\n", gutter, "", (int)strlen(cut), "", colour ? "\033[32m" : "",
            marks.data, colour ? "\033[0m" : "");
    text_free(&line);
    text_free(&marks);
}

void diag_print_clean(FILE *to, const char *text)
{
    size_t size = strlen(text), width;
    struct text line = {0};

    text_add_bytes(&line, "", 0);
    for (size_t at = 0; at < size;)
        at += add_character(&line, text + at, size - at, &width);
    fputs(line.data, to);
    text_free(&line);
}
