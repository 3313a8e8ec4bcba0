/* export_custom.c - operations that ONNX lacks, as nodes of a domain of their own */
#include "convert/onnx/export_out.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op_build.h"

#include <assert.h>

/* --- data, item after item ------------------------------------------------------------------- */

/* Lists may be nested. */
static bool is_list(const struct datum *datum)
{
    return datum->kind == DATUM_ARRAY || datum->kind == DATUM_TUPLE;
}

/* How many items a datum has that are no lists. */
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

/* Logical values count as 0 and 1. */
static int64_t integer_of(const struct datum *datum)
{
    return datum->kind == DATUM_LOGICAL ? datum->logical : datum->integer;
}

/* --- attributes ------------------------------------------------------------------------------ */

/*
 * Strings if one item is a string, floats if one is a scalar, else integers. An empty list does not
 * show its type, and has no items of any.
 */
static void write_list(const struct onnx_out *out, const char *name, const struct datum *list)
{
    struct arena *arena = out->context->arena;
    int count = count_items(list), strings = 0, scalars = 0;
    struct datum *item = arena_array_of(arena, struct datum, count), *end = item;
    const char **text = arena_array_of(arena, const char *, count);
    int64_t *integer = arena_array_of(arena, int64_t, count);
    float *number = arena_array_of(arena, float, count);

    flatten(list, &end);
    assert(end == item + count);
    for (int i = 0; i < count; i++) {
        bool string = item[i].kind == DATUM_STRING, scalar = item[i].kind == DATUM_SCALAR;
        strings += string;
        scalars += scalar;
        text[i] = string ? item[i].string : "";
        integer[i] = string || scalar ? 0 : integer_of(&item[i]);
        number[i] = (float)(scalar ? item[i].scalar : (double)integer[i]);
    }
    if (strings > 0)
        onnx_node_strings(arena, out->last, name, text, count);
    else if (scalars > 0)
        onnx_node_floats(arena, out->last, name, number, count);
    else
        onnx_node_ints(arena, out->last, name, integer, count);
}

/* Of whatever type the document gives it. */
static void write_datum(const struct onnx_out *out, const char *name, const struct datum *datum)
{
    struct arena *arena = out->context->arena;

    switch (datum->kind) {
    case DATUM_INTEGER:
    case DATUM_LOGICAL:
        onnx_node_int(arena, out->last, name, integer_of(datum));
        return;
    case DATUM_SCALAR:
        onnx_node_float(arena, out->last, name, (float)datum->scalar);
        return;
    case DATUM_STRING:
        onnx_node_string(arena, out->last, name, datum->string);
        return;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        write_list(out, name, datum);
        return;
    case DATUM_NONE:
    case DATUM_TENSOR:
        return;
    }
}

void onnx_out_attr(const struct onnx_out *out, const char *name, const struct op_attr *attr)
{
    const struct datum datum = op_attr_datum(out->from, out->node, attr);

    write_datum(out, name, &datum);
}

/* --- the node --------------------------------------------------------------------------------- */

/* Anyone who runs the model has to know the operation by its name in domain ONNX_CUSTOM. */
void onnx_out_custom(struct onnx_out *out, const struct node *node)
{
    struct onnx_node *made = onnx_out_node(out, node->op->name);
    struct arena *arena = out->context->arena;
    uint32_t covered = 0;
    int count = 0;
    bool arrays = false;

    made->domain = ONNX_CUSTOM;
    for (uint32_t i = 0; i < node->nin; i++)
        onnx_text_add(arena, &made->input, onnx_out_value(out, node->in[i].value));
    for (uint32_t i = 0; i < node->nout; i++)
        onnx_out_result(out, (int)i, onnx_out_tensor(out));
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++)
        onnx_out_attr(out, a->name, a);

    /* How the operands are arrays, if some are: parameters up to the one of the last operand. */
    for (; node->group && covered < node->nin; count++)
        covered += node->group[count] >= 0 ? (uint32_t)node->group[count] : 1;
    int64_t *size = arena_array_of(arena, int64_t, count);
    for (int i = 0; i < count; i++) {
        size[i] = node->group[i];
        arrays |= size[i] > 0;
    }
    if (arrays)
        onnx_node_ints(arena, made, "nnef.operands", size, count);
    out->customs++;
}
