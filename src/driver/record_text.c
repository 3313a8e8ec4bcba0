/* record_text.c - prints a record by a layout; record.h has the grammar of layouts */
#include "driver/memory.h"
#include "driver/record_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_GAP = 2 };

/* A record, and those that it is an item of. */
struct record_scope {
    const struct record *record;
    const struct record_scope *outer;
};

/* --- values ----------------------------------------------------------------------------------- */

/* The number in full and, if it is large, in short: "12345 (12.3 K)". */
static void print_amount(FILE *to, int64_t amount, bool bytes)
{
    static const char letters[] = "KMGT";
    const double base = bytes ? 1024 : 1000;
    double size = base;
    int power = 0;

    fprintf(to, "%" PRId64, amount);
    while (letters[power + 1] && (double)amount >= size * base) {
        size *= base;
        power++;
    }
    if ((double)amount >= size)
        fprintf(to, " (%.1f %c%s)", (double)amount / size, letters[power], bytes ? "iB" : "");
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* With characters that HTML would read in another way as entities. */
static void print_html(FILE *to, const char *text)
{
    static const struct {
        char letter;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {0, NULL}};

    for (; *text; text++) {
        int i = 0;
        while (entities[i].letter && entities[i].letter != *text)
            i++;
        if (entities[i].letter)
            fputs(entities[i].entity, to);
        else
            fputc(*text, to);
    }
}

/*
 * Control characters are escaped.  `format` is "word": blanks become '_',
 * too; "html": entities take the place of marks; "lines": ends of lines stay; "indent": each line
 * by four columns; "wrap80": each line as a paragraph, in which a word longer than the width has a
 * line of its own; or else a width.
 */
static void print_text(FILE *to, const char *value, const char *format)
{
    const size_t letters = strcspn(format, "0123456789}");
    bool wrap = is_word(format, letters, "wrap"), indent = is_word(format, letters, "indent");
    size_t width = wrap ? strtoul(format + letters, NULL, 10) : 0;
    bool lines = wrap || indent || is_word(format, letters, "lines");
    char *escaped = text_escaped(value, lines ? "\n\t" : "");
    const char *text = escaped;

    if (is_word(format, letters, "word"))
        for (; *text; text++)
            fputc(*text == ' ' ? '_' : *text, to);
    else if (is_word(format, letters, "html"))
        print_html(to, text);
    else if (!wrap && !indent)
        fprintf(to, "%*s", (int)strtol(format, NULL, 10), text);
    while (*text && (wrap || indent)) {
        size_t size = strcspn(text, "\n"), column = 0;
        if (indent)
            fprintf(to, "    %.*s\n", (int)size, text);
        for (size_t at = 0, word; wrap && at < size; at += word + 1) {
            word = strcspn(text + at, " \n");
            bool fits = column > 0 && column + 1 + word < width;
            fputs(fits ? " " : column ? "\n" : "", to);
            fwrite(text + at, 1, word, to);
            column = (fits ? column + 1 : 0) + word;
        }
        fputs(wrap ? "\n" : "", to);
        text += size + (text[size] == '\n');
    }
    free(escaped);
}

/* `format` ends with '}'. */
static void print_value(FILE *to, const struct record *value, const char *format)
{
    char *letter;
    int width = (int)strtol(format, &letter, 10), precision = 6, count = 0;

    switch (value->kind) {
    case RECORD_NULL:
        fputs(*format == 's' ? "[...]" : "unknown", to);
        return;
    case RECORD_BOOL:
        fputs(value->value.logical ? "true" : "false", to);
        return;
    case RECORD_INTEGER:
        if (*format == 'a' || *format == 'b')
            print_amount(to, value->value.integer, *format == 'b');
        else
            fprintf(to, "%*" PRId64, width, value->value.integer);
        return;
    case RECORD_REAL: /* "-10.3f" has alignment, width and precision; "%" is a percentage */
        if (*letter == '.')
            precision = (int)strtol(letter + 1, &letter, 10);
        fprintf(to,
                *letter == '%'   ? "%*.*f%%"
                : *letter == 'f' ? "%*.*f"
                                 : "%*.*g",
                width, precision, *letter == '%' ? 100 * value->value.real : value->value.real);
        return;
    case RECORD_TEXT:
        print_text(to, value->text, format);
        return;
    case RECORD_LIST: /* its number of items, or its extents */
        assert(*format == '#' || strncmp(format, "shape", 5) == 0);
        for (const struct record *item = value->first; item; item = item->next, count++)
            if (*format != '#' && item->kind == RECORD_INTEGER)
                fprintf(to, "%s%" PRId64, count ? "," : "[", item->value.integer);
            else if (*format != '#')
                fputs(count ? ",?" : "[?", to);
        if (*format == '#')
            fprintf(to, "%d", count);
        else
            fputs(count ? "]" : "[]", to);
        return;
    case RECORD_TENSOR:
    case RECORD_OBJECT:
        assert(value->kind == RECORD_LIST); /* a layout prints only parts of these */
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

/* -1: no such column.  A cell ends with a tab; the last of a line does not, and has any width. */
static int widest_in_column(const char *text, int column)
{
    int widest = -1, at = 0, width = 0;

    for (; *text; text++) {
        if (*text == '\t' && at == column && width > widest)
            widest = width;
        width = *text == '\t' || *text == '\n' ? 0 : width + 1;
        at = *text == '\n' ? 0 : at + (*text == '\t');
    }
    return widest;
}

static void print_block(FILE *to, const char *layout, const struct record_scope *scope);

/*
 * Print a block with its columns aligned.  Their widths are known only when all lines are, so the
 * text goes to memory first.  Blanks at the end of a line are left out.
 */
static void print_table(FILE *to, const char *layout, const struct record_scope *scope)
{
    char *table = NULL;
    size_t size = 0;
    FILE *memory = must_have(open_memstream(&table, &size));
    int count = 0;

    print_block(memory, layout, scope);
    if (fclose(memory) != 0 || !table)
        end_without_memory();
    while (widest_in_column(table, count) >= 0)
        count++;
    int *width = zeroed_items((size_t)count, sizeof *width);
    for (int i = 0; i < count; i++)
        width[i] = widest_in_column(table, i);
    const char *text = table;
    for (int column = 0, used = 0, gap = 0; *text; text++) {
        if (*text == '\t') {
            assert(column < count);
            gap += width[column++] - used + COLUMN_GAP;
            used = 0;
            continue;
        }
        fprintf(to, "%*s%c", *text == '\n' ? 0 : gap, "", *text);
        gap = 0;
        used++;
        if (*text == '\n')
            column = used = 0;
    }
    free(width);
    free(table);
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* The condition of {key?...}. */
static bool is_something(const struct record *record)
{
    if (!record || record->kind == RECORD_NULL)
        return false;
    if (record->kind == RECORD_BOOL)
        return record->value.logical;
    if (record->kind == RECORD_TEXT)
        return *record->text;
    return record->kind != RECORD_LIST || record->first;
}

/* Print what stands behind a '{'. */
static void print_brace(FILE *to, const char *layout, const struct record_scope *scope)
{
    size_t size = strcspn(layout, ":?!*@}");
    const char *rest = layout + size + 1;
    const struct record *member = size == 0 ? scope->record : NULL;

    /* If several members have the same key, the last one counts, as in JSON. */
    for (const struct record_scope *in = scope; size > 0 && in && !member; in = in->outer)
        for (const struct record *m = in->record->first; m; m = m->next)
            if (m->key && strlen(m->key) == size && memcmp(m->key, layout, size) == 0)
                member = m;
    switch (layout[size]) {
    case '?':
    case '!':
        if (is_something(member) == (layout[size] == '?'))
            print_block(to, rest, scope);
        return;
    case '*':
        if (member && member->kind == RECORD_OBJECT)
            print_block(to, rest, &(struct record_scope){member, scope});
        else
            for (const struct record *item = member ? member->first : NULL; item; item = item->next)
                print_block(to, rest, &(struct record_scope){item, scope});
        return;
    case '@':
        print_table(to, rest, scope);
        return;
    default:
        assert(member);
        print_value(to, member, layout[size] == ':' ? rest : "}");
    }
}

/* Print up to the end of the layout, or of the block that it begins in. */
static void print_block(FILE *to, const char *layout, const struct record_scope *scope)
{
    while (*layout && *layout != '}') {
        size_t plain = strcspn(layout, "{}");
        fwrite(layout, 1, plain, to);
        layout += plain;
        if (*layout != '{')
            continue;
        print_brace(to, ++layout, scope);
        for (int depth = 1; depth > 0; layout++) { /* go on behind the brace that ends it */
            assert(*layout);
            depth += (*layout == '{') - (*layout == '}');
        }
    }
}

void layout_print(const char *layout, const struct record *record, FILE *to)
{
    assert(layout);
    print_block(to, layout, &(struct record_scope){record, NULL});
}
