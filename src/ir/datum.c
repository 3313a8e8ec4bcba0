/* datum.c - comparing and printing compile-time values */
#include "ir/datum.h"

#include "base/arena.h"
#include "base/text.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct datum datum_copy(struct arena *arena, const struct datum *datum)
{
    struct datum copy = *datum;
    struct datum *items;

    assert(datum->count >= 0);
    if (datum->kind == DATUM_STRING)
        copy.string = arena_strndup(arena, datum->string, strlen(datum->string));
    if (datum->kind != DATUM_ARRAY && datum->kind != DATUM_TUPLE)
        return copy;
    items = arena_array_of(arena, struct datum, datum->count);
    for (int i = 0; i < datum->count; i++)
        items[i] = datum_copy(arena, &datum->items[i]);
    copy.items = items;
    return copy;
}

int64_t datum_length(const struct datum *datum)
{
    return datum->kind == DATUM_STRING ? (int64_t)strlen(datum->string) : datum->count;
}

bool datum_equal(const struct datum *a, const struct datum *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case DATUM_NONE:
        return true;
    case DATUM_INTEGER:
        return a->integer == b->integer;
    case DATUM_SCALAR:
        return a->scalar == b->scalar;
    case DATUM_LOGICAL:
        return a->logical == b->logical;
    case DATUM_STRING:
        return strcmp(a->string, b->string) == 0;
    case DATUM_TENSOR:
        return a->tensor == b->tensor;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        for (int i = 0; i < a->count && a->count == b->count; i++)
            if (!datum_equal(&a->items[i], &b->items[i]))
                return false;
        return a->count == b->count;
    }
    return false;
}

void datum_print(const struct datum *datum, struct text *to)
{
    bool tuple = datum->kind == DATUM_TUPLE;

    switch (datum->kind) {
    case DATUM_NONE:
        text_add(to, "?");
        return;
    case DATUM_INTEGER:
        text_add(to, "%" PRId64, datum->integer);
        return;
    case DATUM_SCALAR:
        text_add_scalar(to, datum->scalar);
        return;
    case DATUM_LOGICAL:
        text_add(to, datum->logical ? "true" : "false");
        return;
    case DATUM_STRING:
        text_add_quoted(to, datum->string);
        return;
    case DATUM_TENSOR:
        text_add(to, "%s", VALUE_TEXT(datum->tensor));
        return;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        break;
    }
    text_add(to, tuple ? "(" : "[");
    for (int i = 0; i < datum->count; i++) {
        if (i)
            text_add(to, tuple ? "," : ", ");
        datum_print(&datum->items[i], to);
    }
    text_add(to, tuple ? ")" : "]");
}
