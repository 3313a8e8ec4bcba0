/* record_text.c - prints a record by a layout; record.h has the grammar of layouts */
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

struct unit {
    double size;
    const char *name; /* NULL: too small for any */
};

/* The number in full and, if it is large, in short. */
static void print_amount(FILE *to, int64_t amount, bool bytes)
{
    static const struct unit decimal[] = {
        {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {0, NULL}};
    static const struct unit binary[] = {{1099511627776.0, "TiB"},
                                         {1073741824.0, "GiB"},
                                         {1048576.0, "MiB"},
                                         {1024.0, "KiB"},
                                         {0, NULL}};
    const struct unit *unit = bytes ? binary : decimal;

    fprintf(to, "%" PRId64, amount);
    while (unit->name && (double)amount < unit->size)
        unit++;
    if (unit->name)
        fprintf(to, " (%.1f %s)", (double)amount / unit->size, unit->name);
}

/* As one word: blanks and control characters become '_'. */
static void print_word(FILE *to, const char *name)
{
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        fputc(byte <= ' ' || byte == 0x7F ? '_' : byte, to);
    }
}

/* As many words in a line as fit; one longer than the width has a line of its own. */
static void print_paragraph(FILE *to, const char *text, size_t size, size_t width)
{
    size_t column = 0;

    for (size_t at = 0, word; at < size; at += word + 1) {
        word = strcspn(text + at, " \n");
        bool fits = column > 0 && column + 1 + word < width;
        fputs(fits ? " " : column ? "\n" : "", to);
        fwrite(text + at, 1, word, to);
        column = (fits ? column + 1 : 0) + word;
    }
    fputc('\n', to);
}

/* Each line of the text, as a paragraph of some width, or indented if that is 0. */
static void print_lines(FILE *to, const char *text, size_t width)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        if (width)
            print_paragraph(to, text, size, width);
        else
            fprintf(to, "    %.*s\n", (int)size, text);
        text += size + (text[size] == '\n');
    }
}

/* "-10.3f": alignment, width and precision, as printf has them. */
static void print_real(FILE *to, double value, const char *format)
{
    char *letter;
    int width = (int)strtol(format, &letter, 10), precision = 6;

    if (*letter == '.')
        precision = (int)strtol(letter + 1, &letter, 10);
    if (*letter == '%')
        fprintf(to, "%*.*f%%", width, precision, 100 * value);
    else if (*letter == 'f')
        fprintf(to, "%*.*f", width, precision, value);
    else
        fprintf(to, "%*.*g", width, precision, value);
}

/* Formats of text are the name of one, or a width. */
static void print_text(FILE *to, const char *text, const char *format)
{
    static const char wrap[] = "wrap";
    int width = (int)strtol(format, NULL, 10);

    if (strncmp(format, wrap, strlen(wrap)) == 0)
        print_lines(to, text, strtoul(format + strlen(wrap), NULL, 10));
    else if (strncmp(format, "indent", 6) == 0)
        print_lines(to, text, 0);
    else if (strncmp(format, "word", 4) == 0)
        print_word(to, text);
    else
        fprintf(to, "%*s", width, text);
}

/* Its number of items, or its extents. */
static void print_list(FILE *to, const struct record *list, const char *format)
{
    bool shape = *format != '#';

    assert(!shape || strncmp(format, "shape", 5) == 0);
    int count = 0;

    fputs(shape ? "[" : "", to);
    for (const struct record *item = list->first; item; item = item->next, count++) {
        if (shape)
            fputs(count ? "," : "", to);
        if (shape && item->kind == RECORD_INTEGER)
            fprintf(to, "%" PRId64, item->value.integer);
        else if (shape)
            fputc('?', to);
    }
    if (shape)
        fputc(']', to);
    else
        fprintf(to, "%d", count);
}

/* `format` ends with '}'. */
static void print_value(FILE *to, const struct record *value, const char *format)
{
    int width = (int)strtol(format, NULL, 10);

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
    case RECORD_REAL:
        print_real(to, value->value.real, format);
        return;
    case RECORD_TEXT:
        print_text(to, value->text, format);
        return;
    case RECORD_LIST:
        print_list(to, value, format);
        return;
    case RECORD_TENSOR:
    case RECORD_OBJECT:
        assert(value->kind == RECORD_LIST); /* of others a layout prints parts */
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

/* The cells of a table end with tabs, but for the last of each line, which has any width. */
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

/* Blanks at the end of a line are left out; false if memory ran out. */
static bool print_aligned(FILE *to, const char *text)
{
    int count = 0;

    while (widest_in_column(text, count) >= 0)
        count++;
    int *width = calloc((size_t)count + 1, sizeof *width);
    for (int i = 0; width && i < count; i++)
        width[i] = widest_in_column(text, i);
    for (int column = 0, used = 0, gap = 0; width && *text; text++) {
        if (*text == '\t') {
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
    return width;
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* Of several members of one key the last counts, as in JSON. */
static const struct record *find_member(const struct record_scope *scope, const char *key,
                                        size_t size)
{
    const struct record *found = NULL;

    if (size == 0)
        return scope->record;
    for (; scope && !found; scope = scope->outer)
        for (const struct record *m = scope->record->first; m; m = m->next)
            if (m->key && strlen(m->key) == size && memcmp(m->key, key, size) == 0)
                found = m;
    return found;
}

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

/* Behind the brace that ends what `layout` is inside of. */
static const char *skip_block(const char *layout)
{
    for (int depth = 1; depth > 0; layout++) {
        assert(*layout);
        depth += (*layout == '{') - (*layout == '}');
    }
    return layout;
}

static bool print_block(FILE *to, const char *layout, const struct record_scope *scope);

/* Widths are known only once all lines are. */
static bool print_table(FILE *to, const char *layout, const struct record_scope *scope)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return false;
    bool ok = print_block(memory, layout, scope);
    ok = fclose(memory) == 0 && ok && text && print_aligned(to, text);
    free(text);
    return ok;
}

/* What stands behind a '{'. */
static bool print_brace(FILE *to, const char *layout, const struct record_scope *scope)
{
    size_t size = strcspn(layout, ":?!*@}");
    const struct record *member = find_member(scope, layout, size);
    const char *rest = layout + size + 1;
    bool ok = true;

    switch (layout[size]) {
    case '?':
        return !is_something(member) || print_block(to, rest, scope);
    case '!':
        return is_something(member) || print_block(to, rest, scope);
    case '*':
        if (member && member->kind == RECORD_OBJECT)
            return print_block(to, rest, &(struct record_scope){member, scope});
        for (const struct record *item = member ? member->first : NULL; item && ok;
             item = item->next)
            ok = print_block(to, rest, &(struct record_scope){item, scope});
        return ok;
    case '@':
        return print_table(to, rest, scope);
    default:
        assert(member);
        print_value(to, member, layout[size] == ':' ? rest : "}");
        return true;
    }
}

/* Up to the end of the layout, or of the block that it begins in. */
static bool print_block(FILE *to, const char *layout, const struct record_scope *scope)
{
    bool ok = true;

    while (ok && *layout && *layout != '}') {
        size_t plain = strcspn(layout, "{}");
        fwrite(layout, 1, plain, to);
        layout += plain;
        if (*layout == '{') {
            ok = print_brace(to, layout + 1, scope);
            layout = skip_block(layout + 1);
        }
    }
    return ok;
}

bool layout_print(const char *layout, const struct record *record, FILE *to)
{
    assert(layout);
    return print_block(to, layout, &(struct record_scope){record, NULL});
}
