/* export_custom.c - operations that ONNX lacks, as nodes of a domain of their own */
#include "convert/onnx/export_out.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op.h"

/* An attribute that is being written. */
struct attr_writer {
    struct arena *arena;
    struct onnx_node *node;
    const char *name;
};

/* --- data, item after item ------------------------------------------------------------------- */

static bool is_list(const struct datum *datum)
{
    return datum->kind == DATUM_ARRAY || datum->kind == DATUM_TUPLE;
}

static int count_items(const struct datum *datum)
{
    int count = 0;

    if (!is_list(datum))
        return 1;
    for (int i = 0; i < datum->count; i++)
        count += count_items(&datum->items[i]);
    return count;
}

/* Each datum that is no list goes to *at, which is moved. */
static void flatten(const struct datum *datum, struct datum **at)
{
    if (!is_list(datum)) {
        *(*at)++ = *datum;
        return;
    }
    for (int i = 0; i < datum->count; i++)
        flatten(&datum->items[i], at);
}

static bool some(const struct datum *item, int count, enum datum_kind kind)
{
    for (int i = 0; i < count; i++)
        if (item[i].kind == kind)
            return true;
    return false;
}

static int64_t integer_of(const struct datum *datum)
{
    return datum->kind == DATUM_LOGICAL ? datum->logical : datum->integer;
}

static double scalar_of(const struct datum *datum)
{
    return datum->kind == DATUM_SCALAR ? datum->scalar : (double)integer_of(datum);
}

/* --- attributes ------------------------------------------------------------------------------ */

static void write_strings(const struct attr_writer *w, const struct datum *item, int count)
{
    const char **text = arena_array_of(w->arena, const char *, count);

    for (int i = 0; i < count; i++)
        text[i] = item[i].kind == DATUM_STRING ? item[i].string : "";
    onnx_node_strings(w->arena, w->node, w->name, text, count);
}

static void write_floats(const struct attr_writer *w, const struct datum *item, int count)
{
    float *number = arena_array_of(w->arena, float, count);

    for (int i = 0; i < count; i++)
        number[i] = (float)scalar_of(&item[i]);
    onnx_node_floats(w->arena, w->node, w->name, number, count);
}

static void write_ints(const struct attr_writer *w, const struct datum *item, int count)
{
    int64_t *number = arena_array_of(w->arena, int64_t, count);

    for (int i = 0; i < count; i++)
        number[i] = integer_of(&item[i]);
    onnx_node_ints(w->arena, w->node, w->name, number, count);
}

/* Of what type an empty list is cannot be seen: it has no items of any. */
static void write_list(const struct attr_writer *w, const struct datum *list)
{
    int count = count_items(list);
    struct datum *item = arena_array_of(w->arena, struct datum, count), *end = item;

    flatten(list, &end);
    if (some(item, count, DATUM_STRING))
        write_strings(w, item, count);
    else if (some(item, count, DATUM_SCALAR))
        write_floats(w, item, count);
    else
        write_ints(w, item, count);
}

static void write_datum(const struct attr_writer *w, const struct datum *datum)
{
    switch (datum->kind) {
    case DATUM_INTEGER:
    case DATUM_LOGICAL:
        onnx_node_int(w->arena, w->node, w->name, integer_of(datum));
        return;
    case DATUM_SCALAR:
        onnx_node_float(w->arena, w->node, w->name, (float)datum->scalar);
        return;
    case DATUM_STRING:
        onnx_node_string(w->arena, w->node, w->name, datum->string);
        return;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        write_list(w, datum);
        return;
    case DATUM_NONE:
    case DATUM_TENSOR:
        return;
    }
}

static void write_values(const struct attr_writer *w, const struct values *values)
{
    const struct datum list = {.kind = DATUM_ARRAY, .count = values->count, .items = values->item};

    write_list(w, &list);
}

void onnx_out_attr(struct onnx_out *out, struct onnx_node *node, const char *name,
                   const struct op_attr *attr, const void *attrs)
{
    const struct attr_writer writer = {out->context->arena, node, name}, *w = &writer;
    const void *field = (const char *)attrs + attr->offset;
    const struct integers *integers = field;
    const struct pairs *pairs = field;

    switch (attr->kind) {
    case ATTR_INTEGER:
        onnx_node_int(w->arena, w->node, w->name, *(const int64_t *)field);
        return;
    case ATTR_SCALAR:
        onnx_node_float(w->arena, w->node, w->name, (float)*(const double *)field);
        return;
    case ATTR_LOGICAL:
        onnx_node_int(w->arena, w->node, w->name, *(const bool *)field);
        return;
    case ATTR_STRING:
        onnx_node_string(w->arena, w->node, w->name, *(const char *const *)field);
        return;
    case ATTR_ENUM:
        onnx_node_string(w->arena, w->node, w->name, attr->names[*(const int *)field]);
        return;
    case ATTR_INTEGERS:
        onnx_node_ints(w->arena, w->node, w->name, integers->item, integers->count);
        return;
    case ATTR_PAIRS:
        onnx_node_ints(w->arena, w->node, w->name, pairs->count ? pairs->item[0] : NULL,
                       2 * pairs->count);
        return;
    case ATTR_VALUES:
        write_values(w, field);
        return;
    case ATTR_DATUM:
        write_datum(w, field);
        return;
    }
}

/* --- the node --------------------------------------------------------------------------------- */

/* Parameters up to the one that has the last operand. */
static int count_groups(const struct node *node)
{
    uint32_t covered = 0;
    int count = 0;

    for (; node->group && covered < node->nin; count++)
        covered += node->group[count] >= 0 ? (uint32_t)node->group[count] : 1;
    return count;
}

/* How the operands are arrays, if some are. */
static void write_groups(const struct attr_writer *w, const struct node *node)
{
    int count = count_groups(node);
    int64_t *size = arena_array_of(w->arena, int64_t, count);
    bool arrays = false;

    for (int i = 0; i < count; i++) {
        size[i] = node->group[i];
        arrays |= size[i] > 0;
    }
    if (arrays)
        onnx_node_ints(w->arena, w->node, "nnef.operands", size, count);
}

void onnx_out_custom(struct onnx_out *out, const struct node *node)
{
    struct onnx_node *made = onnx_out_node(out, node->op->name);
    struct attr_writer w = {.arena = out->context->arena, .node = made};

    made->domain = ONNX_CUSTOM;
    for (uint32_t i = 0; i < node->nin; i++)
        onnx_node_input(w.arena, made, onnx_out_value(out, node->in[i].value));
    for (uint32_t i = 0; i < node->nout; i++)
        onnx_out_result(out, made, (int)i);
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++)
        onnx_out_attr(out, made, a->name, a, node->attrs);
    write_groups(&w, node);
    out->customs++;
}
