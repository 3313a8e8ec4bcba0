/* bounds.c - the integers that the values of a graph can hold; see bounds.h */
#include "pass/bounds.h"

#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"
#include "op/op.h"
#include "tensor/shape.h"

#include <math.h>

static const struct interval anything = {INT64_MIN, INT64_MAX};
static const struct interval exact = {-SCALAR_EXACT, SCALAR_EXACT};

static struct interval hull(struct interval a, struct interval b)
{
    return (struct interval){num_min(a.low, b.low), num_max(a.high, b.high)};
}

/* What is beyond 64 bits becomes the extreme, as with a cast. */
static int64_t whole(double bound)
{
    int64_t integer;

    if (num_truncate(bound, &integer))
        return integer;
    return bound < 0 ? INT64_MIN : INT64_MAX;
}

static struct interval around(double low, double high)
{
    return (struct interval){whole(floor(low)), whole(ceil(high))};
}

/* --- operations on integers ---------------------------------------------------------------- */

bool is_integer_operation(const struct op_desc *op)
{
    return (op->traits & OP_EXTENSION) && op_attr_row(op, ATTR_bits);
}

/* On scalars, and on integers. */
static const enum op_id forms[][2] = {
    {OP_add, OP_integer_add},
    {OP_sub, OP_integer_sub},
    {OP_mul, OP_integer_mul},
    {OP_div, OP_integer_div},
    {OP_pow, OP_integer_pow},
    {OP_min, OP_integer_min},
    {OP_max, OP_integer_max},
    {OP_lt, OP_integer_lt},
    {OP_gt, OP_integer_gt},
    {OP_le, OP_integer_le},
    {OP_ge, OP_integer_ge},
    {OP_eq, OP_integer_eq},
    {OP_ne, OP_integer_ne},
    {OP_neg, OP_integer_neg},
    {OP_abs, OP_integer_abs},
    {OP_sign, OP_integer_sign},
    {OP_floor, OP_integer_wrap},
    {OP_ceil, OP_integer_wrap},
    {OP_round, OP_integer_wrap},
    {OP_sum_reduce, OP_integer_sum_reduce},
    {OP_max_reduce, OP_integer_max_reduce},
    {OP_min_reduce, OP_integer_min_reduce},
    {OP_argmax_reduce, OP_integer_argmax_reduce},
    {OP_argmin_reduce, OP_integer_argmin_reduce},
    {OP_matmul, OP_integer_matmul},
};

/* The other form of an operation that is in this column. */
static enum op_id form_beside(enum op_id op, int column)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (forms[i][column] == op)
            return forms[i][!column];
    return OP_COUNT;
}

enum op_id integer_form(enum op_id op)
{
    return form_beside(op, 0);
}

enum op_id scalar_form(enum op_id op)
{
    return form_beside(op, 1);
}

static struct interval width_of(int64_t bits, bool is_signed)
{
    int64_t top = (int64_t)1 << (bits < 64 ? bits - 1 : 0);

    if (bits >= 64)
        return anything;
    return is_signed ? (struct interval){-top, top - 1} : (struct interval){0, top - 1 + top};
}

struct interval bounds_of_width(const struct node *node)
{
    return width_of(attr_bits(node), attr_is_signed(node));
}

struct interval bounds_of_operand(const struct interval *bounds, const struct node *node,
                                  uint32_t index)
{
    struct interval operand = bounds[node->in[index].value->id];

    bool is_known = operand.low > INT64_MIN || operand.high < INT64_MAX;

    return is_known || node->op->id == OP_integer_wrap ? operand : bounds_of_width(node);
}

bool bounds_mistake_sign(const struct interval *bounds, const struct node *node)
{
    if (attr_bits(node) < 64 || attr_is_signed(node))
        return false;
    switch ((int)node->op->id) {
    case OP_integer_add:
    case OP_integer_sub:
    case OP_integer_mul:
    case OP_integer_neg:
    case OP_integer_not:
    case OP_integer_wrap:
    case OP_integer_and:
    case OP_integer_or:
    case OP_integer_xor:
    case OP_integer_shift_left:
    case OP_integer_eq:
    case OP_integer_ne:
    case OP_integer_sum_reduce:
    case OP_integer_matmul:
        return false;
    default:
        break;
    }
    for (uint32_t i = 0; i < node->nin; i++)
        if (bounds[node->in[i].value->id].low < 0)
            return true;
    return false;
}

static bool quotient(int64_t x, int64_t y, int64_t *result)
{
    if (y == 0 || (x == INT64_MIN && y == -1))
        return false;
    *result = x / y;
    return true;
}

/* Of a function that grows or falls all along each of its operands. */
static bool of_corners(bool (*function)(int64_t, int64_t, int64_t *), struct interval a,
                       struct interval b, struct interval *result)
{
    int64_t corner[4];

    if (!function(a.low, b.low, &corner[0]) || !function(a.low, b.high, &corner[1]) ||
        !function(a.high, b.low, &corner[2]) || !function(a.high, b.high, &corner[3]))
        return false;
    *result = (struct interval){corner[0], corner[0]};
    for (int i = 1; i < 4; i++)
        *result = hull(*result, (struct interval){corner[i], corner[i]});
    return true;
}

/* Sums of so many, or of fewer of them. */
static bool times(int64_t count, struct interval item, struct interval *result)
{
    return count >= 0 && num_mul(num_min(item.low, 0), count, &result->low) &&
           num_mul(num_max(item.high, 0), count, &result->high);
}

/* Items of operand 0 that become one of the result, -1: not known. */
static int64_t folded(const struct node *node)
{
    const struct shape *from = node->in[0].value->shape, *to = node->out[0].shape;

    if (!shape_known(from) || !shape_known(to))
        return -1;
    return shape_volume(to) > 0 ? shape_volume(from) / shape_volume(to) : 0;
}

/* Products that a product of matrices sums up, -1: not known. */
static int64_t summed(const struct node *node)
{
    const struct shape *a = node->in[0].value->shape;
    int axis = a->rank - (attr_transpose_a(node) ? 2 : 1);

    return axis >= 0 && shape_known(a) ? a->extent[axis] : -1;
}

/* Of what is left of a division; the one of a divisor of 0 is never seen. */
static struct interval of_rest(const struct node *node, struct interval a, struct interval b)
{
    int64_t most = num_max(b.high, b.low > -INT64_MAX ? -b.low : INT64_MAX);

    most = num_max(most, 1) - 1;
    if (node->op->id == OP_integer_rest) /* it has the sign of a */
        return (struct interval){a.low < 0 ? num_max(a.low, -most) : 0,
                                 a.high > 0 ? num_min(a.high, most) : 0};
    struct interval rest = {b.low < 0 ? b.low + 1 : 0, b.high > 0 ? b.high - 1 : 0};
    if (a.low >= 0 && b.low >= 0)
        rest.high = num_min(rest.high, a.high);
    return rest;
}

static bool of_pair(const struct node *node, struct interval a, struct interval b,
                    struct interval *result)
{
    switch ((int)node->op->id) {
    case OP_integer_add:
        return num_add(a.low, b.low, &result->low) && num_add(a.high, b.high, &result->high);
    case OP_integer_sub:
        return num_sub(a.low, b.high, &result->low) && num_sub(a.high, b.low, &result->high);
    case OP_integer_mul:
        return of_corners(num_mul, a, b, result);
    case OP_integer_div:
        return (b.low > 0 || b.high < 0) && of_corners(quotient, a, b, result);
    case OP_integer_rest:
    case OP_integer_mod:
        *result = of_rest(node, a, b);
        return true;
    case OP_integer_min:
        *result = (struct interval){num_min(a.low, b.low), num_min(a.high, b.high)};
        return true;
    case OP_integer_max:
        *result = (struct interval){num_max(a.low, b.low), num_max(a.high, b.high)};
        return true;
    case OP_integer_matmul:
        return of_corners(num_mul, a, b, result) && times(summed(node), *result, result);
    default:
        return false;
    }
}

int64_t bounds_of_ones(const struct node *node)
{
    return attr_is_signed(node) || attr_bits(node) >= 64 ? -1 : bounds_of_width(node).high;
}

static bool of_one(const struct node *node, struct interval a, struct interval *result)
{
    const int64_t ones = bounds_of_ones(node);

    switch ((int)node->op->id) {
    case OP_integer_neg:
        return num_sub(0, a.high, &result->low) && num_sub(0, a.low, &result->high);
    case OP_integer_not:
        return num_sub(ones, a.high, &result->low) && num_sub(ones, a.low, &result->high);
    case OP_integer_abs:
        *result = a;
        if (a.low < 0 && !num_sub(0, a.low, &result->high))
            return false;
        if (a.low < 0) {
            result->low = a.high < 0 ? -a.high : 0;
            result->high = num_max(result->high, a.high);
        }
        return true;
    case OP_integer_sign:
        *result = (struct interval){(a.low > 0) - (a.low < 0), (a.high > 0) - (a.high < 0)};
        return true;
    case OP_integer_wrap:
    case OP_integer_max_reduce:
    case OP_integer_min_reduce:
        *result = a;
        return true;
    case OP_integer_sum_reduce:
        return times(folded(node), a, result);
    default:
        return false;
    }
}

bool bounds_go_by_extents(const struct op_desc *op)
{
    return op->id == OP_integer_sum_reduce || op->id == OP_integer_matmul;
}

bool bounds_before_wrap(const struct interval *bounds, const struct node *node,
                        struct interval *result)
{
    struct interval a = bounds_of_operand(bounds, node, 0);

    if (bounds_mistake_sign(bounds, node))
        return false;
    return node->nin == 1 ? of_one(node, a, result)
                          : of_pair(node, a, bounds_of_operand(bounds, node, 1), result);
}

/* --- other operations ---------------------------------------------------------------------- */

/* An operation that moves items around has those of its operands of the same type. */
static struct interval of_moved(const struct interval *bounds, const struct node *node)
{
    struct interval all = {0, 0};
    bool begun = false;

    for (uint32_t i = 0; i < node->nin; i++) {
        int operand = node->op->traits & OP_VARIADIC ? 0 : (int)i;
        if (operand < node->op->noperand && node->op->operand[operand] != OP_RESULT_GENERIC)
            continue;
        struct interval items = bounds[node->in[i].value->id];
        all = begun ? hull(all, items) : items;
        begun = true;
    }
    return begun ? all : anything;
}

/* Scalars round integers beyond 2^24. */
static struct interval of_cast(const struct interval *bounds, const struct node *node)
{
    struct interval items = bounds[node->in[0].value->id];
    bool rounds = node->out[0].dtype == DTYPE_SCALAR && node->in[0].value->dtype != DTYPE_SCALAR;

    return rounds && !interval_has(exact, items) ? anything : items;
}

/* NaN stays in min, max and clamp, whatever the other operands are, and in all functions of one
 * operand (docs/nnef-notes.md, NaN).  A cast makes 0 of it: 0 is in every result that is computed.
 */
static struct interval of_scalars(const struct interval *bounds, const struct node *node)
{
    const struct interval zero = {0, 0};
    struct interval in[3] = {anything, anything, anything}, result;

    for (uint32_t i = 0; i < node->nin && i < 3; i++)
        in[i] = bounds[node->in[i].value->id];
    switch ((int)node->op->id) {
    case OP_min:
        result = (struct interval){num_min(in[0].low, in[1].low), num_min(in[0].high, in[1].high)};
        return hull(result, zero);
    case OP_max:
        result = (struct interval){num_max(in[0].low, in[1].low), num_max(in[0].high, in[1].high)};
        return hull(result, zero);
    case OP_clamp: /* max(min(x, high), low) */
        result = (struct interval){num_max(num_min(in[0].low, in[2].low), in[1].low),
                                   num_max(num_min(in[0].high, in[2].high), in[1].high)};
        return hull(result, zero);
    case OP_add: /* sums are rounded, but not past a bound that a scalar can be */
    case OP_sub:
        if (!interval_has(exact, in[0]) || !interval_has(exact, in[1]))
            return anything;
        result = node->op->id == OP_add
                     ? (struct interval){in[0].low + in[1].low, in[0].high + in[1].high}
                     : (struct interval){in[0].low - in[1].high, in[0].high - in[1].low};
        return interval_has(exact, result) ? hull(result, zero) : anything;
    case OP_floor: /* bounds are whole */
    case OP_ceil:
    case OP_round:
        return hull(in[0], zero);
    default:
        break;
    }
    if (!node->op->range)
        return anything;
    return hull(around(node->op->range->low, node->op->range->high), zero);
}

/* An index has no width to wrap at. */
static bool finds_index(const struct op_desc *op)
{
    return op->id == OP_argmax_reduce || op->id == OP_argmin_reduce ||
           op->id == OP_integer_argmax_reduce || op->id == OP_integer_argmin_reduce;
}

/* The indices that are result 1. */
static struct interval of_found(const struct node *node, bool open)
{
    const struct shape *input = node->in[0].value->shape;
    const bool is_known = shape_known(input) && !open;

    return (struct interval){0,
                             is_known ? num_max(input->extent[attr_axis(node)], 1) - 1 : INT64_MAX};
}

/* Sums of products of integers less their zeros, and a bias; as many as the work says. */
static struct interval of_sums(const struct interval *bounds, const struct node *node)
{
    enum { ITEMS = 2, BIAS = 2, MOST = 1 << 24 };
    const struct interval most = {-MOST, MOST}, bias = bounds[node->in[BIAS].value->id];
    int64_t volume = node_is_known(node) ? shape_volume(node->out[0].shape) : 0, size = 1;

    for (int i = 0; i < ITEMS; i++) {
        const struct interval x = bounds[node->in[i].value->id];
        const struct interval zero = bounds[node->in[BIAS + 1 + i].value->id];
        if (!interval_has(most, x) || !interval_has(most, zero))
            return anything;
        size *= num_max(num_max(x.high - zero.low, zero.high - x.low), 0);
    }
    if (volume == 0 || !num_mul(size, node->work / volume, &size) || size > INT64_MAX / 4 ||
        bias.low < INT64_MIN / 4 || bias.high > INT64_MAX / 4)
        return anything;
    return (struct interval){bias.low - size, bias.high + size};
}

static struct interval of_node(const struct interval *bounds, const struct node *node, bool open)
{
    const struct op_desc *op = node->op;
    const bool combines = node_has_attr(node, ATTR_combining); /* updates with what is there */
    struct interval result;

    if ((op->traits & OP_CUSTOM) || (combines && attr_combining(node) == COMBINING_ADD) ||
        (combines && attr_combining(node) == COMBINING_MUL))
        return anything;
    if (open && finds_index(op))
        return (struct interval){0, INT64_MAX};
    if (open && bounds_go_by_extents(op))
        return bounds_of_width(node);
    if (finds_index(op))
        return folded(node) > 0 ? (struct interval){0, folded(node) - 1} : anything;
    if (is_integer_operation(op)) {
        const struct interval width = bounds_of_width(node);
        bool fits = bounds_before_wrap(bounds, node, &result) && interval_has(width, result);
        return fits ? result : width;
    }
    if (op->id == OP_cast)
        return of_cast(bounds, node);
    if (op->id == OP_quantized_matmul || op->id == OP_quantized_conv)
        return open ? anything : of_sums(bounds, node);
    if (node_has_attr(node, ATTR_low))
        return (struct interval){attr_low(node), attr_high(node)};
    return op->result[0] == OP_RESULT_GENERIC ? of_moved(bounds, node) : of_scalars(bounds, node);
}

/* --- sources ------------------------------------------------------------------------------- */

struct interval bounds_of_items(const struct tensor *tensor)
{
    int64_t volume = shape_volume(&tensor->shape);
    struct interval items = anything;

    if (tensor->bytes) { /* all that there may be, at no cost */
        const int64_t range = tensor->are_nibbles ? 1 << 4 : 1 << 8;
        const int64_t low = tensor->bytes_are_signed ? -range / 2 : 0;
        return (struct interval){low, low + range - 1};
    }
    for (int64_t i = 0; i < volume; i++) {
        const int64_t item = tensor_integer(tensor, i);
        items = i > 0 ? hull(items, (struct interval){item, item}) : (struct interval){item, item};
    }
    return items;
}

/* A variable keeps its items unless some is updated: the update may be under another name. */
static void note_sources(struct interval *bounds, const struct source_list *list, bool is_fixed)
{
    for (const struct source *s = list->first; s; s = s->next) {
        bounds[s->value->id] = anything;
        if (s->value->dtype == DTYPE_LOGICAL)
            bounds[s->value->id] = (struct interval){0, 1};
        else if (is_fixed && s->tensor && s->value->dtype == DTYPE_INTEGER)
            bounds[s->value->id] = bounds_of_items(s->tensor);
        else if (is_fixed && s->tensor && value_is_literal(s->value) &&
                 s->value->dtype == DTYPE_SCALAR && !isnan(tensor_item(s->tensor, 0)))
            bounds[s->value->id] = around(tensor_item(s->tensor, 0), tensor_item(s->tensor, 0));
    }
}

/* A foreign model says how many bits the integers of its inputs have. */
static void note_inputs(struct interval *bounds, const struct graph *graph)
{
    for (int i = 0; i < graph->ninput; i++) {
        const struct port *input = &graph->inputs[i];
        if (input->items.bits > 0 && input->value->dtype == DTYPE_INTEGER)
            bounds[input->value->id] =
                width_of(input->items.bits, input->items.type == ITEM_SIGNED);
    }
}

const struct interval *bounds_of_values(const struct graph *graph, bool open)
{
    struct interval *bounds =
        arena_array_of(graph->context->arena, struct interval, graph->value_count);
    bool updates = false;

    for (const struct node *n = graph->first; n; n = n->next)
        updates |= (n->op->traits & OP_EFFECT) != 0;
    note_sources(bounds, &graph->externals, false);
    note_inputs(bounds, graph);
    note_sources(bounds, &graph->variables, !updates);
    note_sources(bounds, &graph->constants, true);
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            bounds[n->out[i].id] = n->out[i].dtype == DTYPE_LOGICAL ? (struct interval){0, 1}
                                   : n->op->id == OP_topk && i == 1 ? of_found(n, open)
                                                                    : of_node(bounds, n, open);
    return bounds;
}
