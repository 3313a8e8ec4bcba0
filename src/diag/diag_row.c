/* diag_row.c - builds a line of output with its colours and its width on a terminal */
#include "base/text.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <string.h>

enum { TAB = 8 };

static const char *const escapes[] = {
    [PAINT_PLAIN] = "\033[0m",   [PAINT_STRONG] = "\033[1m",     [PAINT_FRAME] = "\033[1;34m",
    [PAINT_NOTE] = "\033[1;36m", [PAINT_WARNING] = "\033[1;35m", [PAINT_ERROR] = "\033[1;31m",
    [PAINT_ADDED] = "\033[32m",  [PAINT_REMOVED] = "\033[31m",
};

enum paint paint_of(enum diag_severity severity)
{
    static const enum paint paints[] = {[SEVERITY_NOTE] = PAINT_NOTE,
                                        [SEVERITY_WARNING] = PAINT_WARNING,
                                        [SEVERITY_ERROR] = PAINT_ERROR};

    assert(severity <= SEVERITY_ERROR);
    return paints[severity];
}

static void add(struct diag_row *row, enum paint paint, const char *bytes, size_t size)
{
    char colour = (char)paint;

    text_add_bytes(&row->text, bytes, size);
    for (size_t i = 0; i < size; i++)
        text_add_bytes(&row->paint, &colour, 1);
}

void row_repeat(struct diag_row *row, enum paint paint, char c, size_t count)
{
    assert(paint <= PAINT_REMOVED);
    for (size_t i = 0; i < count; i++)
        add(row, paint, &c, 1);
    row->width += count;
}

void row_pad(struct diag_row *row, size_t column)
{
    if (column > row->width)
        row_repeat(row, PAINT_PLAIN, ' ', column - row->width);
}

void row_add(struct diag_row *row, enum paint paint, const char *text, size_t size)
{
    for (size_t at = 0, bytes; at < size; at += bytes) {
        uint32_t c;
        bytes = utf8_decode(text + at, size - at, &c);
        int columns = utf8_width(c);
        if (columns < 0) {
            row_repeat(row, paint, '?', 1);
            continue;
        }
        add(row, paint, text + at, bytes);
        row->width += (size_t)columns;
    }
}

void row_add_text(struct diag_row *row, enum paint paint, const char *text)
{
    row_add(row, paint, text, strlen(text));
}

void row_end(struct diag_row *row, FILE *to, bool colour)
{
    size_t size = row->text.size;

    assert(row->paint.size == size);
    while (size > 0 && row->text.data[size - 1] == ' ')
        size--;
    /* In runs of one colour: stderr has no buffer, so that each call is a write. */
    for (size_t at = 0, end; at < size; at = end) {
        int paint = colour ? row->paint.data[at] : PAINT_PLAIN;
        for (end = at + 1; end < size && (!colour || row->paint.data[end] == paint);)
            end++;
        fputs(paint == PAINT_PLAIN ? "" : escapes[paint], to);
        fwrite(row->text.data + at, 1, end - at, to);
        fputs(paint == PAINT_PLAIN ? "" : escapes[PAINT_PLAIN], to);
    }
    putc('\n', to);
    text_free(&row->text);
    text_free(&row->paint);
    *row = (struct diag_row){0};
}
