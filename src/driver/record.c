/*
 * record.c - builds records, and prints them one by one or as streams
 *
 * Each node is allocated on its own, because a record is small. Long lists are streams of records.
 */
#include "driver/memory.h"
#include "driver/record_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- building --------------------------------------------------------------------------------- */

/* Add a node to an object or list. */
static struct record *record_add(struct record *to, const char *key, enum record_kind kind,
                                 size_t text_size)
{
    struct record *record = zeroed_items(1, sizeof *record + text_size);

    assert(to->kind == RECORD_LIST || to->kind == RECORD_OBJECT);
    assert((to->kind == RECORD_OBJECT) == (key != NULL));
    record->kind = kind;
    record->key = key;
    if (to->last)
        to->last->next = record;
    else
        to->first = record;
    return to->last = record;
}

struct record *record_new_object(void)
{
    struct record *root = zeroed_items(1, sizeof *root);

    root->kind = RECORD_OBJECT;
    return root;
}

void record_free(struct record *record)
{
    for (struct record *part = record->first, *next; part; part = next) {
        next = part->next;
        record_free(part);
    }
    free(record);
}

struct record *record_object(struct record *to, const char *key)
{
    return record_add(to, key, RECORD_OBJECT, 0);
}

struct record *record_list(struct record *to, const char *key)
{
    return record_add(to, key, RECORD_LIST, 0);
}

void record_text(struct record *to, const char *key, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    struct record *record = record_add(to, key, text ? RECORD_TEXT : RECORD_NULL, size);

    if (text)
        memcpy(record->text, text, size);
}

void record_print_to(struct record *to, const char *key, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(size >= 0);
    struct record *record = record_add(to, key, RECORD_TEXT, (size_t)size + 1);
    va_start(args, fmt);
    vsnprintf(record->text, (size_t)size + 1, fmt, args);
    va_end(args);
}

void record_bool(struct record *to, const char *key, bool value)
{
    record_add(to, key, RECORD_BOOL, 0)->value.logical = value;
}

void record_integer(struct record *to, const char *key, int64_t value)
{
    record_add(to, key, RECORD_INTEGER, 0)->value.integer = value;
}

void record_unsigned(struct record *to, const char *key, uint64_t value)
{
    if (value <= INT64_MAX)
        record_integer(to, key, (int64_t)value);
    else
        record_print_to(to, key, "%" PRIu64, value);
}

void record_real(struct record *to, const char *key, double value)
{
    record_add(to, key, RECORD_REAL, 0)->value.real = value;
}

void record_tensor(struct record *to, const char *key, const struct nnefc_tensor *tensor)
{
    assert(tensor && nnefc_tensor_count(tensor) >= 0);
    record_add(to, key, RECORD_TENSOR, 0)->value.tensor = tensor;
}

void record_null(struct record *to, const char *key)
{
    record_add(to, key, RECORD_NULL, 0);
}

void record_known(struct record *to, const char *key, int64_t value)
{
    if (value == NNEFC_UNKNOWN)
        record_null(to, key);
    else
        record_integer(to, key, value);
}

void record_position(struct record *to, const char *key, int64_t value)
{
    record_known(to, key, value > 0 ? value : NNEFC_UNKNOWN);
}

void record_shape(struct record *to, const struct nnefc_type *type)
{
    bool ranked = type->rank != NNEFC_UNKNOWN;
    struct record *shape = ranked ? record_list(to, "shape") : NULL;

    assert(type->rank <= NNEFC_MAX_RANK);
    if (!ranked)
        record_null(to, "shape");
    for (int i = 0; i < type->rank; i++)
        record_known(shape, NULL, type->extent[i]);
}

void record_type(struct record *to, const struct nnefc_type *type)
{
    record_text(to, "type", nnefc_dtype_name(type->dtype));
    record_shape(to, type);
}

void record_cuts(struct record *to, const struct nnefc_model *model)
{
    const struct nnefc_cut_list *cuts = nnefc_model_cuts(model);
    struct record *list = cuts->count > 0 ? record_list(to, "cuts") : NULL;

    for (int i = 0; i < cuts->count; i++) {
        struct record *item = record_object(list, NULL);
        record_text(item, "node", cuts->at[i]->node);
        record_text(item, "operation", cuts->at[i]->operation);
        record_text(item, "place", cuts->at[i]->place);
        record_text(item, "why", cuts->at[i]->why);
    }
}

int record_find(const struct record *list, const char *key, const char *text)
{
    int index = 0;

    for (const struct record *item = list->first; item; item = item->next, index++)
        for (const struct record *member = item->first; member; member = member->next)
            if (member->kind == RECORD_TEXT && strcmp(member->key, key) == 0 &&
                strcmp(member->text, text) == 0)
                return index;
    return -1;
}

/* --- printing --------------------------------------------------------------------------------- */

/* Print it as an item of a list, or on its own, where JSON has `indent` blanks before a line. */
static void print_form(const struct record *record, enum form form, const struct view *view,
                       int indent)
{
    if (form == FORM_JSON)
        json_print(record, view->json, indent);
    else
        layout_print(form == FORM_TEXT ? view->text : view->markdown, record, stdout);
}

void record_print(struct record *record, enum form form, const struct view *view)
{
    print_form(record, form, view, 0);
    fputs(form == FORM_JSON ? "\n" : "", stdout);
    record_free(record);
}

void record_print_text(struct record *record, const char *layout, FILE *to)
{
    layout_print(layout, record, to);
    record_free(record);
}

/* End the list that was begun last, if there is one. */
static void stream_end(struct record_stream *stream)
{
    if (!stream->begun || stream->form != FORM_JSON)
        return;
    if (stream->count > 0 || stream->key)
        printf("\n%s", stream->key ? "  " : "");
    fputs(stream->key ? "]" : "]\n", stdout);
}

void stream_begin(struct record_stream *stream, const char *key)
{
    assert(stream->view && (key || stream->members == 0));
    stream_end(stream);
    stream->begun = true;
    stream->key = key;
    stream->count = 0;
    if (stream->form == FORM_JSON && key)
        printf("%s  \"%s\": ", stream->members++ ? ",\n" : "{\n", key);
    if (stream->form == FORM_JSON)
        putchar('[');
}

void stream_add(struct record_stream *stream, struct record *record)
{
    int indent = stream->key ? 4 : 2;

    if (stream->form == FORM_JSON)
        printf("%s\n%*s", stream->count++ ? "," : "", indent, "");
    print_form(record, stream->form, stream->view, indent);
    record_free(record);
}

void stream_close(struct record_stream *stream)
{
    stream_end(stream);
    if (stream->form == FORM_JSON && stream->members > 0)
        puts("\n}");
}
