/*
 * integer_unroll.c - operations on integers, written in NNEF's own; see integer.h
 *
 * A scalar holds every integer whose size is at most 2^24.  Bounds of an operand follow from what
 * computes it.  A comparison needs the bounds of one side only: an integer beyond 2^24 is rounded,
 * but not past a smaller one.
 */
#include "op/integer.h"

#include "base/num.h"
#include "diag/context.h"
#include "ir/site.h"
#include "op/op_build.h"
#include "tensor/shape.h"

#include <assert.h>

enum { DEPTH = 8 /* of operations that bounds are followed through */ };
static const int64_t exact = 1 << 24;

/* The same on integers and on scalars: operations item by item, and reductions. */
static const enum op_id same[][2] = {
    {OP_integer_add, OP_add}, {OP_integer_sub, OP_sub},   {OP_integer_mul, OP_mul},
    {OP_integer_min, OP_min}, {OP_integer_max, OP_max},   {OP_integer_lt, OP_lt},
    {OP_integer_gt, OP_gt},   {OP_integer_le, OP_le},     {OP_integer_ge, OP_ge},
    {OP_integer_eq, OP_eq},   {OP_integer_ne, OP_ne},     {OP_integer_neg, OP_neg},
    {OP_integer_abs, OP_abs}, {OP_integer_sign, OP_sign},
};
static const enum op_id reductions[][2] = {
    {OP_integer_sum_reduce, OP_sum_reduce},       {OP_integer_max_reduce, OP_max_reduce},
    {OP_integer_min_reduce, OP_min_reduce},       {OP_integer_argmax_reduce, OP_argmax_reduce},
    {OP_integer_argmin_reduce, OP_argmin_reduce},
};

struct bounds {
    int64_t low, high; /* low > high: unknown */
};
static const struct bounds unknown = {1, 0};

static bool known(struct bounds b)
{
    return b.low <= b.high;
}

static bool is_small(struct bounds b)
{
    return known(b) && b.low >= -exact && b.high <= exact;
}

static bool is_tiny(struct bounds b)
{
    return known(b) && b.low >= -exact / 4 && b.high <= exact / 4;
}

static struct bounds both(struct bounds a, struct bounds b)
{
    if (!known(a) || !known(b))
        return unknown;
    return (struct bounds){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct bounds bounds_of_items(const struct tensor *tensor)
{
    struct bounds bounds = {INT64_MAX, INT64_MIN};

    for (int64_t i = 0, volume = shape_volume(&tensor->shape); i < volume; i++) {
        int64_t item = ((const int64_t *)tensor->data)[i];
        bounds = (struct bounds){item < bounds.low ? item : bounds.low,
                                 item > bounds.high ? item : bounds.high};
    }
    return bounds;
}

/* Sums and differences of small bounds do not overflow; products of them need not be small. */
static struct bounds combined(enum op_id op, struct bounds a, struct bounds b)
{
    int64_t ends[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    struct bounds products = {ends[0], ends[0]};

    assert(is_small(a) && is_small(b));
    for (int i = 1; i < 4; i++)
        products = both(products, (struct bounds){ends[i], ends[i]});
    switch ((int)op) {
    case OP_integer_add:
        return (struct bounds){a.low + b.low, a.high + b.high};
    case OP_integer_sub:
        return (struct bounds){a.low - b.high, a.high - b.low};
    case OP_integer_mul:
        return products;
    case OP_integer_min:
        return (struct bounds){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    case OP_integer_max:
        return (struct bounds){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    case OP_integer_div: /* no larger than the dividend */
        return both(a, (struct bounds){-a.high, -a.low});
    case OP_integer_rest:
    case OP_integer_mod: /* no larger than the divisor */
        return both((struct bounds){0, 0}, both(b, (struct bounds){-b.high, -b.low}));
    default:
        return unknown;
    }
}

static struct bounds bounds_of(const struct value *value, int depth);

/* An operation that moves items around has those of its operands that are of the same type. */
static struct bounds bounds_of_operands(const struct node *node, int depth)
{
    const struct op_desc *op = node->op;
    struct bounds bounds = unknown;
    bool begun = false;

    for (uint32_t i = 0; i < node->nin; i++) {
        int operand = op->traits & OP_VARIADIC ? 0 : (int)i;
        if (operand < op->noperand && op->operand[operand] != OP_RESULT_GENERIC)
            continue;
        struct bounds b = bounds_of(node->in[i].value, depth);
        bounds = begun ? both(bounds, b) : b;
        begun = true;
    }
    return bounds;
}

/* How many items of operand 0 are folded into one of the result. */
static int64_t folded(const struct node *node)
{
    int64_t results = shape_volume(node->out[0].shape);

    return results > 0 ? shape_volume(node->in[0].value->shape) / results : 0;
}

static struct bounds width_of(const struct node *node)
{
    int64_t bits = attr_bits(node);

    if (bits > 62)
        return (struct bounds){attr_is_signed(node) ? INT64_MIN : 0, INT64_MAX};
    return attr_is_signed(node)
               ? (struct bounds){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1}
               : (struct bounds){0, ((int64_t)1 << bits) - 1};
}

/* Operands have the width of the operation, too, but for what is wrapped to it. */
static struct bounds bounds_in(const struct node *node, uint32_t index, int depth)
{
    struct bounds bounds = {0, 0};

    if (index < node->nin)
        bounds = bounds_of(node->in[index].value, depth);
    if (known(bounds) || !op_attr_row(node->op, ATTR_bits) || attr_bits(node) > 16 ||
        node->op->id == OP_integer_wrap)
        return bounds;
    return width_of(node);
}

/* Of what the operation makes before it wraps. */
static struct bounds bounds_of_result(const struct node *node, enum op_id op, int depth)
{
    struct bounds a = bounds_in(node, 0, depth), b = bounds_in(node, 1, depth);
    int64_t times;

    if (op == OP_integer_argmax_reduce || op == OP_integer_argmin_reduce ||
        op == OP_argmax_reduce || op == OP_argmin_reduce)
        return (struct bounds){0, folded(node)};
    if (!is_small(a) || !is_small(b))
        return unknown;
    switch ((int)op) {
    case OP_integer_neg:
    case OP_integer_not:
    case OP_integer_abs:
        return both(a, (struct bounds){-a.high - 1, -a.low});
    case OP_integer_sign:
        return (struct bounds){-1, 1};
    case OP_integer_wrap:
    case OP_integer_min_reduce:
    case OP_integer_max_reduce:
        return a;
    case OP_integer_sum_reduce:
    case OP_integer_matmul:
        times = op == OP_integer_sum_reduce ? folded(node)
                : attr_transpose_a(node)
                    ? node->in[0].value->shape->extent[node->out->shape->rank - 2]
                    : node->in[0].value->shape->extent[node->out->shape->rank - 1];
        a = op == OP_integer_matmul ? combined(OP_integer_mul, a, b) : a;
        return num_mul(a.low, times, &a.low) && num_mul(a.high, times, &a.high)
                   ? both(a, (struct bounds){0, 0})
                   : unknown;
    default:
        return combined(op, a, b);
    }
}

static bool fits(struct bounds b, const struct node *node)
{
    struct bounds width = width_of(node);

    return is_small(b) && b.low >= width.low && b.high <= width.high;
}

/* The same operation on integers, which nodes that were replaced before stood for; COUNT: none. */
static enum op_id on_integers(const struct node *node)
{
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (same[i][1] == node->op->id)
            return same[i][0];
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
        if (reductions[i][1] == node->op->id)
            return node_has_attr(node, ATTR_normalize) && attr_normalize(node) ? OP_COUNT
                                                                               : reductions[i][0];
    return node->op->id == OP_matmul ? OP_integer_matmul : OP_COUNT;
}

/* Of whole numbers that are scalars. */
static struct bounds bounds_of_scalar(const struct value *value, int depth)
{
    const struct node *node = value->kind == VALUE_RESULT ? value->producer : NULL;
    int64_t item;

    if (!node && value_is_literal(value) &&
        num_truncate(tensor_item(value->source->tensor, 0), &item))
        return (double)item < tensor_item(value->source->tensor, 0) ||
                       (double)item > tensor_item(value->source->tensor, 0)
                   ? unknown
                   : (struct bounds){item, item};
    if (!node)
        return unknown;
    if (node->op->id == OP_cast)
        return bounds_of(node->in[0].value, depth - 1);
    enum op_id op = on_integers(node);
    return op < OP_COUNT ? bounds_of_result(node, op, depth - 1) : unknown;
}

static struct bounds bounds_of(const struct value *value, int depth)
{
    const struct node *node = value->kind == VALUE_RESULT ? value->producer : NULL;

    if (depth == 0)
        return unknown;
    if (value->dtype == DTYPE_SCALAR)
        return bounds_of_scalar(value, depth);
    if (value->dtype != DTYPE_INTEGER)
        return (struct bounds){0, 1};
    if (!node)
        return value->source->tensor && !value->source->updated
                   ? bounds_of_items(value->source->tensor)
                   : unknown;
    if (node->op->id == OP_cast)
        return bounds_of(node->in[0].value, depth - 1);
    if (node->op->result[0] == OP_RESULT_GENERIC)
        return bounds_of_operands(node, depth - 1);
    if (node->op->integer || node->op->id == OP_integer_matmul) {
        struct bounds result = bounds_of_result(node, (enum op_id)node->op->id, depth - 1);
        struct bounds width = width_of(node);
        return fits(result, node) || node->op->result[0] != OP_RESULT_INTEGER ? result : width;
    }
    return node->op->id == OP_argmax_reduce || node->op->id == OP_argmin_reduce
               ? bounds_of_result(node, (enum op_id)node->op->id, depth - 1)
               : unknown;
}

/* --- nodes ------------------------------------------------------------------------------- */

/* The operation that is replaced. */
struct scalars {
    struct graph *graph;
    const struct node *node;
};

/* NULL after a report, or if one of the operands in[] is missing. */
static struct value *make(const struct scalars *s, struct op_spec spec, enum dtype generic,
                          struct value *const *in)
{
    const struct op_origin origin = {s->node->span, s->node->site, generic};
    const int nin = op_table[spec.op]->noperand;

    for (int i = 0; i < nin; i++)
        if (!in[i])
            return NULL;
    struct node *node = op_append(s->graph, spec, in, nin, &origin);
    return node ? &node->out[0] : NULL;
}

static struct value *plain(const struct scalars *s, enum op_id op, struct value *x, struct value *y)
{
    return make(s, op_plain(op), DTYPE_UNKNOWN, (struct value *[]){x, y});
}

static struct value *number(const struct scalars *s, double value)
{
    return graph_literal(s->graph, &(struct datum){.kind = DATUM_SCALAR, .scalar = value});
}

/* x / y is whole only if the exact quotient of the two small integers is. */
static struct value *toward_zero(const struct scalars *s, struct value *quotient)
{
    struct value *is_negative = plain(s, OP_lt, quotient, number(s, 0));

    return make(s, op_plain(OP_select), DTYPE_UNKNOWN,
                (struct value *[]){is_negative, plain(s, OP_ceil, quotient, NULL),
                                   plain(s, OP_floor, quotient, NULL)});
}

/* What is left of x without so many times y. */
static struct value *without(const struct scalars *s, struct value *x, struct value *times,
                             struct value *y)
{
    return plain(s, OP_sub, x, plain(s, OP_mul, times, y));
}

/* The operation on scalars x and y.  NULL after a report, or if there is none. */
static struct value *on_scalars(const struct scalars *s, struct value *x, struct value *y)
{
    const enum op_id op = (enum op_id)s->node->op->id;

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (same[i][0] == op)
            return plain(s, same[i][1], x, y);
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
        if (reductions[i][0] == op)
            return make(s,
                        (struct op_spec){reductions[i][1],
                                         &(struct reduce_attrs){.axes = *attr_axes(s->node)}},
                        DTYPE_UNKNOWN, &x);
    switch ((int)op) {
    case OP_integer_div:
        return toward_zero(s, plain(s, OP_div, x, y));
    case OP_integer_rest:
        return without(s, x, toward_zero(s, plain(s, OP_div, x, y)), y);
    case OP_integer_mod:
        return without(s, x, plain(s, OP_floor, plain(s, OP_div, x, y), NULL), y);
    case OP_integer_not:
        return plain(s, OP_sub, number(s, -1), x);
    case OP_integer_matmul:
        return make(s,
                    OP_SPEC(matmul, .transpose_a = attr_transpose_a(s->node),
                            .transpose_b = attr_transpose_b(s->node)),
                    DTYPE_UNKNOWN, (struct value *[]){x, y});
    default:
        return NULL;
    }
}

/* Is the value nothing but an index, or compared with small integers?  Then one that is beyond
 * 2^24, where sums are rounded, is out of range, exact or not. */
static bool is_index(const struct value *value, int depth)
{
    for (const struct use *u = value->uses; u; u = u->next) {
        const struct op_desc *op = u->node->op;
        const struct value *other =
            u->node->in[u->node->nin > 1 && u == &u->node->in[0] ? 1 : 0].value;
        bool fine = false;
        if (op->id == OP_gather && u == &u->node->in[1])
            fine = shape_volume(other->shape) <= exact / 4;
        else if (op->integer && op->result[0] == OP_RESULT_LOGICAL)
            fine = is_tiny(bounds_of(other, DEPTH));
        else if (depth > 0 && u->node->nout == 1 &&
                 (op->id == OP_integer_add || op->id == OP_integer_sub ||
                  op->id == OP_integer_mul || op->id == OP_integer_sum_reduce ||
                  (op->result[0] == OP_RESULT_GENERIC && op->id != OP_cast && op->id != OP_gather)))
            fine = is_index(&u->node->out[0], depth - 1);
        if (!fine)
            return false;
    }
    return value->uses;
}

/* Are scalars known to give what the integers do? */
static bool is_exact(const struct node *node)
{
    const enum op_id op = (enum op_id)node->op->id;
    struct bounds a = bounds_in(node, 0, DEPTH), b = bounds_in(node, 1, DEPTH);
    bool unsigned_64 = attr_bits(node) == 64 && !attr_is_signed(node);

    if (unsigned_64 && (!known(a) || !known(b) || a.low < 0 || b.low < 0))
        return false;
    switch ((int)op) {
    case OP_integer_lt:
    case OP_integer_gt:
    case OP_integer_le:
    case OP_integer_ge:
    case OP_integer_eq:
    case OP_integer_ne:
        return is_small(a) || is_small(b);
    case OP_integer_argmax_reduce:
    case OP_integer_argmin_reduce:
        return is_small(a);
    case OP_integer_pow:
    case OP_integer_and:
    case OP_integer_or:
    case OP_integer_xor:
    case OP_integer_shift_left:
    case OP_integer_shift_right:
        return false;
    case OP_integer_div:
    case OP_integer_rest:
    case OP_integer_mod: /* a division by 0 is reported by the integers only */
        return fits(bounds_of_result(node, op, DEPTH), node) && (b.low > 0 || b.high < 0);
    case OP_integer_add:
    case OP_integer_sub:
    case OP_integer_mul:
        if (attr_bits(node) >= 32 && is_index(&node->out[0], DEPTH))
            return true;
        break;
    default:
        break;
    }
    return fits(bounds_of_result(node, op, DEPTH), node);
}

bool integer_unroll(struct graph *graph, struct node *node, struct value **results)
{
    const struct scalars s = {graph, node};
    struct value *in[2] = {NULL};

    if (!is_exact(node)) {
        const struct place place = {graph->context->diag, node->site, node->span};
        place_fault(&place, DIAG_NOT_IN_NNEF,
                    "'%s' cannot be written as an operation on scalars: its integers may be beyond "
                    "2^24, or wrap",
                    node->op->name);
        diag_help(graph->context->diag,
                  "the profile 'custom' keeps operations on integers as they are.");
        return false;
    }
    if (node->op->id == OP_integer_wrap) { /* of what fits, all is left */
        results[0] = plain(&s, OP_copy, node->in[0].value, NULL);
        return results[0];
    }
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = make(&s, op_plain(OP_cast), DTYPE_SCALAR, &node->in[i].value);
    results[0] = on_scalars(&s, in[0], in[1]);
    if (results[0] && results[0]->dtype == DTYPE_SCALAR)
        results[0] = make(&s, op_plain(OP_cast), DTYPE_INTEGER, &results[0]);
    return results[0];
}
