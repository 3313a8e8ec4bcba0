/*
 * quantize_again.c - a graph of quantized values as one of numbers
 *
 *     dequantize(quantize(x))       = clamp(x, least number, greatest number)
 *     dequantize(move(quantize(x))) = move(clamp(x, ..))
 *     dequantize(constant)          = a constant
 *
 * The bounds stay, for they may be all that is left of an activation.
 */
#include "pass/quantize_weights.h"
#include "pass/quantized.h"

enum { ITEMS, SCALE, ZERO };

static bool is_same(const struct value *a, const struct value *b)
{
    return a == b || (value_items(a) && value_items(b) && shape_volume(a->shape) == 1 &&
                      shape_volume(b->shape) == 1 && value_item(a, 0) == value_item(b, 0));
}

/* What was quantized, between bounds; NULL: by another scale or zero, or it is something else. */
static struct value *undone(struct pass *pass, const struct value *items, const struct coded *coded,
                            int looks)
{
    const struct node *node = items->kind == VALUE_RESULT ? items->producer : NULL;

    if (!node || looks == 0 || pass->failed)
        return NULL;
    if (node_moves_one(node)) {
        struct value *x = undone(pass, node->in[0].value, coded, looks - 1);
        return x ? pass_remake(pass, node, &x, NULL) : NULL;
    }
    if (!is_op(node, OP_quantize) || !is_same(node->in[SCALE].value, coded->scale) ||
        !is_same(node->in[ZERO].value, coded->zero))
        return NULL;
    const int64_t zero = zero_item(coded->zero, 0);
    const float scale = scale_item(coded->scale, 0);
    struct value *low = pass_literal(pass, (double)quantized_number(attr_low(node), zero, scale));
    struct value *high = pass_literal(pass, (double)quantized_number(attr_high(node), zero, scale));
    return pass_make(
        pass, &(struct recipe){.op = op_plain(OP_clamp), .in = {node->in[ITEMS].value, low, high}});
}

/* Item of a scale or zero, which broadcasts from dimension 0 on, for that one of the shape. */
static int64_t item_for(const struct shape *parameter, const struct shape *shape, int64_t index)
{
    int64_t at = 0, step = 1;

    for (int i = shape->rank - 1; i >= 0; i--) {
        const int64_t extent = shape_extent(parameter, i);
        at += extent > 1 ? index % shape->extent[i] * step : 0;
        step *= extent;
        index /= shape->extent[i];
    }
    return at;
}

/* The numbers of a constant. */
static void decode(struct pass *pass, struct node *node, const struct coded *coded)
{
    const struct shape *shape = node->out[0].shape;
    struct tensor numbers;

    if (!shape_equal(shape, coded->items->shape) ||
        !pass_tensor(pass, &numbers, DTYPE_SCALAR, shape))
        return;
    for (int64_t i = 0, count = shape_volume(shape); i < count; i++)
        ((float *)numbers.data)[i] = quantized_number(
            (int64_t)value_item(coded->items, i),
            (int64_t)value_item(coded->zero, item_for(coded->zero->shape, shape, i)),
            (float)value_item(coded->scale, item_for(coded->scale->shape, shape, i)));
    pass_replace(pass, &node->out[0], quantize_stand_in(pass, &numbers, coded->items));
}

static const char *visit(struct pass *pass, struct node *node)
{
    enum { MOST_LOOKS = 100 };
    struct coded coded;

    if (!is_op(node, OP_dequantize) || !coded_find(&node->out[0], &coded) ||
        !coded_is_known(&coded))
        return NULL;
    if (value_items(coded.items)) {
        decode(pass, node, &coded);
        return NULL;
    }
    if (!coded_is_single(&coded))
        return NULL;
    struct value *x = undone(pass, coded.items, &coded, MOST_LOOKS);
    if (x)
        pass_replace(pass, &node->out[0], x);
    return NULL;
}

static void drop_integers(struct pass *pass)
{
    pass_drop_unused(pass, VALUE_VARIABLE);
}

static const struct pass_desc undo = {.visit = visit, .end = drop_integers};

/* What a file says of its integers tells nothing of the scalars that have been made of them. */
static void forget_entries(const struct graph *graph)
{
    for (struct source *s = graph->variables.first; s; s = s->next)
        s->quant = s->value->dtype == DTYPE_SCALAR ? NULL : s->quant;
}

bool quantize_undo(struct graph *graph, struct retained_tensor **kept)
{
    forget_entries(graph);
    return pass_run_once(graph, &undo, NULL, kept);
}
