/* op_attr.c - decoding attributes by table, and back */
#include "op/op_build.h"
#include "tensor/shared.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct decoder {
    struct infer *infer;
    const struct op_argument *arg;
    void *field;
};

/* The bytes of an attribute: of the numbers of a list, of one number, of a text. */
struct bytes {
    const void *data;
    size_t size;
};

static struct bytes bytes_of(const struct op_attr *attr, const void *field)
{
    const struct integers *integers = field;
    const struct pairs *pairs = field;

    switch (attr->kind) {
    case ATTR_INTEGER:
        return (struct bytes){field, sizeof(int64_t)};
    case ATTR_SCALAR:
        return (struct bytes){field, sizeof(double)};
    case ATTR_LOGICAL:
        return (struct bytes){field, sizeof(bool)};
    case ATTR_ENUM:
        return (struct bytes){field, sizeof(int)};
    case ATTR_STRING:
        return (struct bytes){*(const char *const *)field, strlen(*(const char *const *)field)};
    case ATTR_INTEGERS:
        return (struct bytes){integers->item, (size_t)integers->count * sizeof *integers->item};
    case ATTR_PAIRS:
        return (struct bytes){pairs->item, (size_t)pairs->count * sizeof *pairs->item};
    case ATTR_VALUES: /* of constants, which are no nodes */
    case ATTR_DATUM:  /* of custom operations */
        break;
    }
    return (struct bytes){0};
}

/* The first integer that is below its minimum, or NULL. */
static const int64_t *too_small(const struct op_attr *attr, const void *field)
{
    struct bytes bytes = attr->bounded ? bytes_of(attr, field) : (struct bytes){0};
    const int64_t *item = bytes.data;

    for (size_t i = 0; i < bytes.size / sizeof *item; i++)
        if (item[i] < attr->min)
            return &item[i];
    return NULL;
}

static bool check_minimum(const struct infer *infer, const struct op_attr *attr, const void *field)
{
    const int64_t *item = too_small(attr, field);
    bool single = attr->kind == ATTR_INTEGER;

    return !item ||
           infer_error(infer, attr->name, single ? DIAG_NEGATIVE : DIAG_ITEM_VALUE,
                       "'%s' of '%s' is %s%" PRId64 ", expected %s%" PRId64 " or more", attr->name,
                       infer->call->op->name, single ? "" : "an array with item ", *item,
                       single ? "" : "items of ", attr->min);
}

static const char *name_at(int index, const void *names)
{
    return ((const char *const *)names)[index];
}

/*
 * The index of a word among those that are allowed.  If there is none, the nearest one is proposed,
 * also as fix-it: but where the word does not come from a literal of its own, the span is longer,
 * and nothing is changed.
 */
static bool decode_enum(const struct decoder *d)
{
    const struct op_attr *attr = d->arg->attr;
    struct context *context = d->infer->graph->context;
    const char *word = d->arg->value.string;
    struct text list = {0}, literal = {0};

    assert(d->arg->value.kind == DATUM_STRING);
    for (int i = 0; attr->names[i]; i++)
        if (strcmp(attr->names[i], word) == 0) {
            memcpy(d->field, &i, sizeof i);
            return true;
        }

    /* "'a', 'b' or 'c'" */
    for (int i = 0; attr->names[i]; i++)
        text_add(&list, "%s'%s'", i == 0 ? "" : attr->names[i + 1] ? ", " : " or ", attr->names[i]);
    infer_error(d->infer, attr->name, DIAG_ENUM_VALUE, "%s of '%s' is '%s', expected %s",
                attr->name, d->infer->call->op->name, word, list.data);
    text_free(&list);

    struct nearest search = nearest_to(word);
    const char *near = nearest_among(&search, name_at, attr->names);
    size_t size, wanted = strlen(word) + 2;
    if (!near)
        return false;
    const char *written = sources_text(context->sources, d->arg->span, &size);
    diag_help(context->diag, "did you mean '%s'?", near);
    if (search.unique && size == wanted && memcmp(written + 1, word, wanted - 2) == 0) {
        text_add(&literal, "%c%s%c", written[0], near, written[0]);
        diag_fix(context->diag, d->arg->span, literal.data);
        text_free(&literal);
    }
    return false;
}

/* --- attributes in the struct of the operator ------------------------------------------------ */

static int64_t *copy_items(const struct infer *infer, const int64_t *item, int count)
{
    int64_t *copy = arena_array_of(infer->graph->context->arena, int64_t, count);

    assert(count >= 0);
    if (count > 0)
        memcpy(copy, item, (size_t)count * sizeof *copy);
    return copy;
}

/* Let the field own what it points to, and check its minimum. */
static bool adopt(const struct infer *infer, const struct op_attr *attr, void *field)
{
    struct integers *integers = field;
    struct pairs *pairs = field;
    struct values *values = field;
    struct arena *arena = infer->graph->context->arena;
    const char **text = field;

    switch (attr->kind) {
    case ATTR_INTEGERS:
        integers->item = copy_items(infer, integers->item, integers->count);
        break;
    case ATTR_PAIRS:
        if (pairs->count > 0)
            pairs->item = (const int64_t(*)[2])copy_items(infer, pairs->item[0], 2 * pairs->count);
        break;
    case ATTR_VALUES:
        values->item = datum_copy(arena, &(struct datum){.kind = DATUM_ARRAY,
                                                         .count = values->count,
                                                         .items = values->item})
                           .items;
        break;
    case ATTR_STRING:
        *text = arena_strndup(arena, *text, strlen(*text));
        break;
    case ATTR_DATUM:
        *(struct datum *)field = datum_copy(arena, field);
        break;
    case ATTR_ENUM:
        assert(attr_valid(attr, (unsigned char *)field - attr->offset));
        break;
    case ATTR_INTEGER:
    case ATTR_SCALAR:
    case ATTR_LOGICAL:
        break;
    }
    return check_minimum(infer, attr, field);
}

/* The field of an argument; what it points to is copied with it. */
static bool decode(const struct decoder *d)
{
    const struct op_attr *attr = d->arg->attr;
    const struct datum *value = &d->arg->value;
    struct arena *arena = d->infer->graph->context->arena;
    int64_t *item, (*pair)[2];

    switch (attr->kind) {
    case ATTR_INTEGER:
        memcpy(d->field, &value->integer, sizeof value->integer);
        break;
    case ATTR_SCALAR:
        memcpy(d->field, &value->scalar, sizeof value->scalar);
        break;
    case ATTR_LOGICAL:
        memcpy(d->field, &value->logical, sizeof value->logical);
        break;
    case ATTR_STRING:
        *(const char **)d->field = value->string;
        break;
    case ATTR_ENUM:
        return decode_enum(d);
    case ATTR_INTEGERS:
        item = arena_array_of(arena, int64_t, value->count);
        for (int i = 0; i < value->count; i++)
            item[i] = value->items[i].integer;
        *(struct integers *)d->field = (struct integers){value->count, item};
        return check_minimum(d->infer, attr, d->field);
    case ATTR_PAIRS:
        pair = arena_array(arena, (size_t)value->count, sizeof *pair);
        for (int i = 0; i < 2 * value->count; i++)
            pair[i / 2][i % 2] = value->items[i / 2].items[i % 2].integer;
        *(struct pairs *)d->field = (struct pairs){value->count, (const int64_t(*)[2])pair};
        return check_minimum(d->infer, attr, d->field);
    case ATTR_VALUES:
        *(struct values *)d->field = (struct values){value->count, value->items};
        break;
    case ATTR_DATUM:
        *(struct datum *)d->field = *value;
        break;
    }
    return adopt(d->infer, attr, d->field);
}

bool attrs_decode(struct infer *infer)
{
    const struct op_call *call = infer->call;
    unsigned char *attrs = arena_alloc(infer->graph->context->arena, call->op->attrs_size);
    bool ok = true;

    infer->attrs = attrs;
    assert(!call->attrs || call->nargs == 0);
    if (call->attrs) {
        memcpy(attrs, call->attrs, call->op->attrs_size);
        for (const struct op_attr *a = call->op->attrs; a && a->name; a++)
            ok &= adopt(infer, a, attrs + a->offset);
    }
    for (int i = 0; i < call->nargs; i++)
        ok &= decode(&(struct decoder){infer, &call->args[i], attrs + call->args[i].attr->offset});
    return ok;
}

/* --- attributes that are there ------------------------------------------------------------- */

static bool array_valid(int count, const void *item)
{
    return count == 0 || (count > 0 && item);
}

bool attr_valid(const struct op_attr *attr, const void *attrs)
{
    const void *field = (const unsigned char *)attrs + attr->offset;
    const struct integers *integers = field;
    const struct pairs *pairs = field;
    const struct values *values = field;
    int words = 0;

    switch (attr->kind) {
    case ATTR_INTEGER:
        return !too_small(attr, field);
    case ATTR_STRING:
        return *(const char *const *)field;
    case ATTR_ENUM:
        while (attr->names[words])
            words++;
        return *(const int *)field >= 0 && *(const int *)field < words;
    case ATTR_INTEGERS:
        return array_valid(integers->count, integers->item) && !too_small(attr, field);
    case ATTR_PAIRS:
        return array_valid(pairs->count, pairs->item) && !too_small(attr, field);
    case ATTR_VALUES:
        return array_valid(values->count, values->item);
    case ATTR_SCALAR:
    case ATTR_LOGICAL:
    case ATTR_DATUM:
        return true;
    }
    return false;
}

/* --- back to data ------------------------------------------------------------------------ */

struct datum datum_of_integers(struct arena *arena, const int64_t *item, int count,
                               enum datum_kind kind)
{
    struct datum *items = arena_array_of(arena, struct datum, count);

    for (int i = 0; i < count; i++)
        items[i] = (struct datum){.kind = DATUM_INTEGER, .integer = item[i]};
    return (struct datum){.kind = kind, .count = count, .items = items};
}

struct datum op_attr_datum(const struct graph *graph, const struct node *node,
                           const struct op_attr *attr)
{
    struct arena *arena = graph->context->arena;
    const void *field = (const unsigned char *)node->attrs + attr->offset;
    const struct integers *integers = field;
    const struct pairs *pairs = field;
    const struct values *values = field;
    struct datum *items;

    assert(node->attrs);
    switch (attr->kind) {
    case ATTR_INTEGER:
        return (struct datum){.kind = DATUM_INTEGER, .integer = *(const int64_t *)field};
    case ATTR_SCALAR:
        return (struct datum){.kind = DATUM_SCALAR, .scalar = *(const double *)field};
    case ATTR_LOGICAL:
        return (struct datum){.kind = DATUM_LOGICAL, .logical = *(const bool *)field};
    case ATTR_STRING:
        return (struct datum){.kind = DATUM_STRING, .string = *(const char *const *)field};
    case ATTR_ENUM:
        return (struct datum){.kind = DATUM_STRING, .string = attr->names[*(const int *)field]};
    case ATTR_INTEGERS:
        return datum_of_integers(arena, integers->item, integers->count, DATUM_ARRAY);
    case ATTR_PAIRS:
        items = arena_array_of(arena, struct datum, pairs->count);
        for (int i = 0; i < pairs->count; i++)
            items[i] = datum_of_integers(arena, pairs->item[i], 2, DATUM_TUPLE);
        return (struct datum){.kind = DATUM_ARRAY, .count = pairs->count, .items = items};
    case ATTR_VALUES:
        return (struct datum){.kind = DATUM_ARRAY, .count = values->count, .items = values->item};
    case ATTR_DATUM:
        return *(const struct datum *)field;
    }
    return (struct datum){0};
}

/* --- comparing ------------------------------------------------------------------------------- */

uint64_t attrs_hash(const struct node *node)
{
    uint64_t hash = 0;

    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct bytes bytes = bytes_of(a, (const char *)node->attrs + a->offset);
        hash = hash_bytes(hash_mix(hash, bytes.size), bytes.data, bytes.size);
    }
    return hash;
}

static bool is_comparable(const struct op_attr *attr)
{
    return attr->kind != ATTR_VALUES && attr->kind != ATTR_DATUM;
}

bool attrs_equal(const struct op_desc *op, const void *a, const void *b)
{
    for (const struct op_attr *attr = op->attrs; attr && attr->name; attr++) {
        struct bytes x = bytes_of(attr, (const char *)a + attr->offset);
        struct bytes y = bytes_of(attr, (const char *)b + attr->offset);
        if (!is_comparable(attr) || x.size != y.size ||
            (x.size > 0 && memcmp(x.data, y.data, x.size) != 0))
            return false;
    }
    return true;
}

void attrs_to_key(const struct node *node, struct shared_key *key)
{
    shared_key_number(key, node->op->id);
    shared_key_number(key, node->generic);
    if (node->op->traits & OP_CUSTOM)
        key->user = NULL;
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct bytes bytes = bytes_of(a, (const char *)node->attrs + a->offset);
        if (!is_comparable(a))
            key->user = NULL;
        shared_key_number(key, (int64_t)bytes.size);
        shared_key_add(key, bytes.data, bytes.size);
    }
}
