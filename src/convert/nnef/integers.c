/*
 * integers.c - operations on integers, written by those on scalars; see integers.h
 *
 * A scalar holds every integer whose size is at most 2^24.  So an operation is the same on scalars
 * if its operands, and all that it computes, stay within that.  What is beyond 2^24 is rounded, but
 * not past a smaller integer: comparisons with one are exact, whatever the other operand is.
 */
#include "convert/nnef/integers.h"

#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"
#include "ir/graph_edit.h"
#include "ir/site.h"
#include "lower/lower.h"
#include "op/op_build.h"
#include "pass/bounds.h"
#include "tensor/shape.h"

#include <assert.h>
#include <math.h>

static const struct interval exact = {-SCALAR_EXACT, SCALAR_EXACT};
static const struct interval inside = {1 - SCALAR_EXACT, SCALAR_EXACT - 1};
static const struct interval near = {-(1 << 22), 1 << 22}; /* a quarter of that */

/* The graph whose operations are replaced. */
struct replacing {
    struct graph *graph;
    const struct interval *bounds; /* by id of its values, new ones apart */
    const bool *indexes;           /* likewise: nothing is done with it but to index */
    struct value **scalars;        /* likewise: the cast to a scalar, NULL: not made */
    const struct node *node;       /* the operation at hand */
};

static struct interval operand(const struct replacing *r, const struct node *node, uint32_t index)
{
    return bounds_of_operand(r->bounds, node, index);
}

/* --- what is known to be the same ---------------------------------------------------------- */

/* Is operand `use` taken as an index of few items, or moved to where it is? */
static bool is_index(const bool *indexes, const struct use *use)
{
    const struct node *node = use->node;
    const struct op_desc *op = node->op;
    const struct shape *input = node->in[0].value->shape;

    if ((op->id == OP_gather || op->id == OP_gather_elements) && use == &node->in[1])
        return shape_known(input) && input->extent[attr_axis(node)] <= near.high;
    if (op->id == OP_gather_nd && use == &node->in[1])
        return shape_known(input) && shape_volume(input) <= near.high;
    if (op->result[0] != OP_RESULT_GENERIC || (op->traits & (OP_EFFECT | OP_CUSTOM)))
        return false;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!indexes[node->out[i].id])
            return false;
    return true;
}

/* By id: the values of which all operations that read them make an index, and nothing else. */
static const bool *find_indexes(const struct graph *graph)
{
    bool *indexes = arena_array_of(graph->context->arena, bool, graph->value_count);

    for (const struct node *n = graph->last; n; n = n->prev)
        for (uint32_t i = 0; i < n->nout; i++)
            indexes[n->out[i].id] = true;
    for (int i = 0; i < graph->noutput; i++)
        indexes[graph->outputs[i].value->id] = false;
    for (const struct node *n = graph->last; n; n = n->prev)
        for (uint32_t i = 0; i < n->nout; i++)
            for (const struct use *u = n->out[i].uses; u && indexes[n->out[i].id]; u = u->next)
                indexes[n->out[i].id] = is_index(indexes, u);
    return indexes;
}

/*
 * A small integer and any other are added, for an index.  A sum that scalars round is off by less
 * than what keeps it out of the range of all indices, as it is if it wraps.
 */
static bool is_shifted_index(const struct replacing *r, const struct node *node)
{
    const enum op_id op = (enum op_id)node->op->id;

    return (op == OP_integer_add || op == OP_integer_sub) && r->indexes[node->out[0].id] &&
           attr_bits(node) >= 32 && attr_is_signed(node) &&
           (interval_has(near, operand(r, node, 0)) || interval_has(near, operand(r, node, 1)));
}

/* Can scalars compute what is left of `result` in that width?  The steps add at most twice the
 * modulus to it. */
static bool can_wrap(const struct node *node, struct interval result)
{
    int64_t bits = attr_bits(node), room = (int64_t)2 << (bits < 32 ? bits : 32);

    return interval_has(bounds_of_width(node), result) ||
           interval_has((struct interval){exact.low + room, exact.high - room}, result);
}

/* What is cast from a scalar has its digits: however large, the rest of a division by a power of 2
 * is a scalar, too.  Without a sign it becomes positive, which has no more than 24 bits. */
static bool can_wrap_cast(const struct node *node)
{
    const struct value *x = node->in[0].value;

    return x->kind == VALUE_RESULT && x->producer->op->id == OP_cast &&
           x->producer->in[0].value->dtype == DTYPE_SCALAR &&
           (attr_is_signed(node) || attr_bits(node) <= 24);
}

/* ONNX and PyTorch leave open what a scalar beyond the type becomes.  Implementations wrap it in 8
 * and 16 bits, but not in 32: there the cast alone will do. */
static bool is_plain_cast(const struct node *node)
{
    return node->op->id == OP_integer_wrap && attr_bits(node) == 32 && can_wrap_cast(node);
}

static bool is_same_comparison(const struct replacing *r, const struct node *node)
{
    struct interval a = operand(r, node, 0), b = operand(r, node, 1);

    return (interval_has(exact, a) && interval_has(exact, b)) || interval_has(inside, a) ||
           interval_has(inside, b);
}

/* No divisor may be 0, which integers report; the modulus takes x - floor(x / y) * y, whose product
 * may be larger than x by y. */
static bool is_same_division(const struct replacing *r, const struct node *node)
{
    struct interval a = operand(r, node, 0), b = operand(r, node, 1);

    if ((b.low <= 0 && b.high >= 0) || !interval_has(exact, a) || !interval_has(exact, b))
        return false;
    return node->op->id != OP_integer_mod ||
           num_max(-a.low, a.high) + num_max(-b.low, b.high) <= exact.high;
}

/* Are scalars known to give what the integers do? */
static bool is_same(const struct replacing *r, const struct node *node)
{
    struct interval result;

    if (bounds_mistake_sign(r->bounds, node))
        return false;
    switch ((int)node->op->id) {
    case OP_integer_lt:
    case OP_integer_gt:
    case OP_integer_le:
    case OP_integer_ge:
    case OP_integer_eq:
    case OP_integer_ne:
    case OP_integer_min:
    case OP_integer_max:
        return is_same_comparison(r, node);
    case OP_integer_sign:
        return true;
    case OP_integer_argmax_reduce:
    case OP_integer_argmin_reduce:
        return interval_has(exact, operand(r, node, 0));
    case OP_integer_wrap: /* what fits stays as it is */
        return can_wrap(node, operand(r, node, 0)) || can_wrap_cast(node);
    case OP_integer_div:
    case OP_integer_rest:
    case OP_integer_mod:
        if (!is_same_division(r, node))
            return false;
        break;
    default:
        if (is_shifted_index(r, node))
            return true;
        break;
    }
    for (uint32_t i = 0; i < node->nin; i++)
        if (!interval_has(exact, operand(r, node, i)))
            return false;
    return bounds_before_wrap(r->bounds, node, &result) && interval_has(exact, result) &&
           can_wrap(node, result);
}

/* --- the operation on scalars --------------------------------------------------------------- */

enum { OPERANDS = 3 }; /* that an operation on scalars has at most */

/* NULL after a report, or if one of the operands in[], of which there is room for OPERANDS, is
 * missing. */
static struct value *make(const struct replacing *r, struct op_spec spec, enum dtype generic,
                          struct value *const *in)
{
    const struct op_origin origin = {r->node->span, r->node->site, generic};
    const int nin = op_table[spec.op]->noperand;

    assert(nin <= OPERANDS);
    for (int i = 0; i < nin; i++)
        if (!in[i])
            return NULL;
    struct node *node = op_append(r->graph, spec, in, nin, &origin);
    return node ? &node->out[0] : NULL;
}

static struct value *plain(const struct replacing *r, enum op_id op, struct value *x,
                           struct value *y)
{
    return make(r, op_plain(op), DTYPE_UNKNOWN, (struct value *[OPERANDS]){x, y});
}

static struct value *chosen(const struct replacing *r, struct value *condition, struct value *x,
                            struct value *y)
{
    return make(r, op_plain(OP_select), DTYPE_UNKNOWN, (struct value *[OPERANDS]){condition, x, y});
}

static struct value *number(const struct replacing *r, double value)
{
    return graph_literal(r->graph, &(struct datum){.kind = DATUM_SCALAR, .scalar = value});
}

/* One cast for all that read it: it stands where x is made. */
static struct value *as_scalar(const struct replacing *r, struct value *x)
{
    struct node *const here = r->graph->before;

    if (value_is_literal(x) && x->dtype == DTYPE_INTEGER)
        return number(r, (double)value_literal(x).integer);
    if (!r->scalars[x->id]) {
        r->graph->before = x->kind == VALUE_RESULT ? x->producer->next : r->graph->first;
        r->scalars[x->id] = make(r, op_plain(OP_cast), DTYPE_SCALAR, (struct value *[OPERANDS]){x});
        r->graph->before = here;
    }
    return r->scalars[x->id];
}

/* x / y is whole only if the exact quotient of the two integers is: it is rounded once, and the
 * distance to the next whole number is at least 1 / y. */
static struct value *toward_zero(const struct replacing *r, struct value *x, struct value *y)
{
    struct value *quotient = plain(r, OP_div, x, y);
    struct value *down = plain(r, OP_floor, quotient, NULL);

    if (operand(r, r->node, 0).low >= 0 && operand(r, r->node, 1).low > 0)
        return down;
    return chosen(r, plain(r, OP_lt, quotient, number(r, 0)), plain(r, OP_ceil, quotient, NULL),
                  down);
}

/* What is left of x without so many times y. */
static struct value *without(const struct replacing *r, struct value *x, struct value *times,
                             struct value *y)
{
    return plain(r, OP_sub, x, plain(r, OP_mul, times, y));
}

/* The item of the width that has the same bits: x less the modulus, as often as it takes. */
static struct value *wrapped(const struct replacing *r, struct value *x)
{
    const double modulus = ldexp(1, (int)attr_bits(r->node));
    struct value *moved = x;

    if (attr_is_signed(r->node))
        moved = plain(r, OP_add, x, number(r, modulus / 2));
    moved = plain(r, OP_floor, plain(r, OP_mul, moved, number(r, 1 / modulus)), NULL);
    return without(r, x, moved, number(r, modulus));
}

/* The same of x beyond 2^24, by the rest toward 0; the greatest integer of 64 bits became 2^63. */
static struct value *wrapped_cast(const struct replacing *r, struct value *x)
{
    const double modulus = ldexp(1, (int)attr_bits(r->node)), huge = ldexp(1, 63);
    const bool is_signed = attr_is_signed(r->node);
    struct value *times = plain(r, OP_mul, x, number(r, 1 / modulus));

    times = make(r, op_plain(OP_cast), DTYPE_INTEGER, (struct value *[OPERANDS]){times});
    times = make(r, op_plain(OP_cast), DTYPE_SCALAR, (struct value *[OPERANDS]){times});
    struct value *rest = without(r, x, times, number(r, modulus));
    struct value *item = rest;
    if (is_signed)
        item = chosen(r, plain(r, OP_ge, rest, number(r, modulus / 2)),
                      plain(r, OP_sub, rest, number(r, modulus)), item);
    item = chosen(r, plain(r, OP_lt, rest, number(r, is_signed ? -modulus / 2 : 0)),
                  plain(r, OP_add, rest, number(r, modulus)), item);
    return chosen(r, plain(r, OP_ge, x, number(r, huge)), number(r, is_signed ? -1 : modulus - 1),
                  item);
}

/* Where one operand may be beyond 2^24, neither is touched. */
static struct value *extremum(const struct replacing *r, struct value *x, struct value *y)
{
    const enum op_id first = r->node->op->id == OP_integer_min ? OP_lt : OP_gt;

    return chosen(r, plain(r, first, as_scalar(r, x), as_scalar(r, y)), x, y);
}

/* On scalars x and y. */
static struct value *on_scalars(const struct replacing *r, struct value *x, struct value *y)
{
    const struct node *node = r->node;
    const enum op_id op = scalar_form((enum op_id)node->op->id);

    switch ((int)node->op->id) {
    case OP_integer_wrap:
        return x;
    case OP_integer_div:
        return toward_zero(r, x, y);
    case OP_integer_rest:
        return without(r, x, toward_zero(r, x, y), y);
    case OP_integer_mod:
        return without(r, x, plain(r, OP_floor, plain(r, OP_div, x, y), NULL), y);
    case OP_integer_not:
        return plain(r, OP_sub, number(r, (double)bounds_of_ones(node)), x);
    case OP_integer_matmul:
        return make(r,
                    OP_SPEC(matmul, .transpose_a = attr_transpose_a(node),
                            .transpose_b = attr_transpose_b(node)),
                    DTYPE_UNKNOWN, (struct value *[OPERANDS]){x, y});
    }
    assert(op < OP_COUNT);
    if (!node_has_attr(node, ATTR_axes))
        return plain(r, op, x, y);
    return make(r, (struct op_spec){op, &(struct reduce_attrs){.axes = *attr_axes(node)}},
                DTYPE_UNKNOWN, (struct value *[OPERANDS]){x, y});
}

/* --- products of quantized tensors ---------------------------------------------------------- */

enum { LEFT, RIGHT, BIAS, LEFT_ZERO, RIGHT_ZERO };

static bool is_product(const struct op_desc *op)
{
    return op->id == OP_quantized_matmul || op->id == OP_quantized_conv;
}

/*
 * The axis along which products are summed up, in parts whose sums are within 2^24, in whatever
 * order: part i ends before index end[i].  Digits of 12 bits hold the sum of all parts.
 */
enum { MOST_PARTS = 64, DIGIT = 4096 };

struct parts {
    int count;
    int64_t end[MOST_PARTS];
    int64_t largest; /* size of what all of them and the bias can add up to, at most */
};

/* The factors on the right, less their zeros: [outer, depth, inner]. */
struct factors {
    const struct node *node;
    const struct tensor *item, *zero; /* NULL: they are not known, but have this size at most: */
    int64_t size;
    int64_t outer, depth, inner;
    bool shares; /* all of `inner` are factors of one sum; else each has its own */
};

static int64_t size_of(struct interval x)
{
    return num_max(num_max(-x.low, x.high), 0);
}

/* The size that items of an operand, less those of its zeros, have at most; -1: beyond 2^24. */
static int64_t largest_without(const struct replacing *r, const struct node *node, int items,
                               int zeros)
{
    struct interval x = r->bounds[node->in[items].value->id];
    struct interval zero = r->bounds[node->in[zeros].value->id];
    const struct interval each = {x.low - zero.high, x.high - zero.low};

    return interval_has(inside, x) && interval_has(inside, zero) && interval_has(inside, each)
               ? size_of(each)
               : -1;
}

static const struct tensor *known_integers(const struct value *value)
{
    bool fixed = value->kind == VALUE_CONSTANT ||
                 (value->kind == VALUE_VARIABLE && value->source->made && !value->source->updated);
    const struct tensor *tensor = fixed ? value->source->tensor : NULL;

    return tensor && shape_equal(&tensor->shape, value->shape) ? tensor : NULL;
}

static bool find_factors(const struct replacing *r, const struct node *node, struct factors *f)
{
    const struct value *right = node->in[RIGHT].value;
    const struct shape *shape = right->shape;
    const bool conv = node->op->id == OP_quantized_conv;
    const int axis = conv ? 1 : attr_transpose_b(node) ? shape->rank - 1 : shape->rank - 2;

    *f = (struct factors){.node = node,
                          .item = known_integers(right),
                          .zero = known_integers(node->in[RIGHT_ZERO].value),
                          .size = largest_without(r, node, RIGHT, RIGHT_ZERO),
                          .outer = shape_volume_range(shape, 0, axis),
                          .depth = shape->extent[axis],
                          .inner = shape_volume_range(shape, axis + 1, shape->rank),
                          .shares = conv};
    return f->size >= 0;
}

/* The size of one of them, at most. */
static int64_t factor_size(const struct factors *f, int64_t outer, int64_t k, int64_t inner)
{
    if (!f->item || !f->zero)
        return f->size;
    const int64_t zeros = shape_volume(&f->zero->shape);
    const int64_t channel = f->shares ? outer : f->inner > 1 ? inner : outer;
    const int64_t item =
        ((const int64_t *)f->item->data)[(outer * f->depth + k) * f->inner + inner];
    const int64_t less = ((const int64_t *)f->zero->data)[channel % zeros];
    return item > less ? item - less : less - item;
}

/* The end of the longest part from `begin` on, of other factors up to `most`.  sums[]: room for
 * each sum; *largest becomes the size of the part's, if it is more. */
static int64_t part_end(const struct factors *f, int64_t begin, int64_t most, int64_t *sums,
                        int64_t *largest)
{
    const int64_t apart = f->shares ? 1 : f->inner;

    for (int64_t i = 0; i < f->outer * apart; i++)
        sums[i] = 0;
    for (int64_t k = begin; k < f->depth; k++) {
        int64_t greatest = 0;
        for (int64_t i = 0; i < f->outer * f->inner; i++) {
            int64_t *sum = &sums[f->shares ? i / f->inner : i];
            *sum += most * factor_size(f, i / f->inner, k, i % f->inner);
            greatest = num_max(greatest, *sum);
        }
        if (greatest > exact.high)
            return k;
        *largest = num_max(*largest, greatest);
    }
    return f->depth;
}

/* Do only casts to scalars read the integers, perhaps moved, or wrapped without effect? */
static bool is_rounded(const struct replacing *r, const struct value *value)
{
    for (int i = 0; i < r->graph->noutput; i++)
        if (r->graph->outputs[i].value == value)
            return false;
    for (const struct use *u = value->uses; u; u = u->next) {
        const struct node *node = u->node;
        const enum op_id op = (enum op_id)node->op->id;
        bool wraps =
            op == OP_integer_wrap && interval_has(bounds_of_width(node), r->bounds[value->id]);
        bool moves = node->nin == 1 && node->op->result[0] == OP_RESULT_GENERIC;
        bool casts = (op == OP_cast && node->out[0].dtype == DTYPE_SCALAR) ||
                     (op == OP_dequantize && value_is_literal(node->in[2].value) &&
                      value_literal(node->in[2].value).integer == 0);
        if (!casts && !((wraps || moves) && op != OP_cast && is_rounded(r, &node->out[0])))
            return false;
    }
    return true;
}

/* Zeros are for all items, or broadcast to those of the operand as it is. */
static bool has_plain_zeros(const struct node *node)
{
    const struct shape *a = node->in[LEFT].value->shape, *b = node->in[RIGHT].value->shape;
    const struct shape *of_a = node->in[LEFT_ZERO].value->shape;
    const struct shape *of_b = node->in[RIGHT_ZERO].value->shape;

    if (node->op->id == OP_quantized_conv)
        return true;
    return (shape_volume(of_a) == 1 || (of_a->rank == a->rank && !attr_transpose_a(node))) &&
           (shape_volume(of_b) == 1 || (of_b->rank == b->rank && !attr_transpose_b(node)));
}

/* How scalars compute the product; false: they are not known to. */
static bool find_parts(const struct replacing *r, const struct node *node, struct parts *parts)
{
    const struct value *left = node->in[LEFT].value;
    const struct interval bias = r->bounds[node->in[BIAS].value->id];
    const bool conv = node->op->id == OP_quantized_conv;
    const int64_t most = largest_without(r, node, LEFT, LEFT_ZERO);
    struct factors f;

    *parts = (struct parts){0};
    if (!node_is_known(node) || shape_volume(node->out[0].shape) == 0 || most < 0 ||
        !interval_has(inside, bias) || !has_plain_zeros(node) || !find_factors(r, node, &f))
        return false;
    int64_t *sums =
        arena_array_of(r->graph->context->arena, int64_t, f.outer * (f.shares ? 1 : f.inner));
    int64_t largest = 0;
    for (int64_t begin = 0, end; begin < f.depth; begin = end) {
        end = part_end(&f, begin, most, sums, &largest);
        if (end == begin || parts->count == MOST_PARTS)
            return false;
        parts->end[parts->count++] = end;
    }
    parts->largest = parts->count > 1 ? INT64_MAX : largest + size_of(bias);
    return parts->count <= 1 || !conv || left->shape->extent[1] == f.depth; /* no groups */
}

/* Items of an operand less its zeros, as scalars. */
static struct value *without_zero(const struct replacing *r, int items, int zeros)
{
    struct value *x = as_scalar(r, r->node->in[items].value);
    const struct value *zero = r->node->in[zeros].value;
    bool none = value_is_literal(zero) && value_literal(zero).integer == 0;

    return none ? x : plain(r, OP_sub, x, as_scalar(r, r->node->in[zeros].value));
}

static struct value *part_of(const struct replacing *r, struct value *x, int axis,
                             const struct parts *parts, int part)
{
    const int64_t axes[] = {axis}, begin[] = {part > 0 ? parts->end[part - 1] : 0};
    const int64_t end[] = {parts->end[part]};

    return parts->count == 1
               ? x
               : make(r, OP_SPEC(slice, .axes = {1, axes}, .begin = {1, begin}, .end = {1, end}),
                      DTYPE_UNKNOWN, (struct value *[OPERANDS]){x});
}

/* The sums of one part.  Whoever plans the text again sees by the casts that they are whole. */
static struct value *part_sums(const struct replacing *r, struct value *x, struct value *y,
                               const struct parts *parts, int part)
{
    const struct node *node = r->node;
    const int left = x->shape->rank, right = y->shape->rank;
    struct value *sums;

    if (node->op->id == OP_quantized_conv) {
        sums = make(r, (struct op_spec){OP_conv, node->attrs}, DTYPE_UNKNOWN,
                    (struct value *[OPERANDS]){part_of(r, x, 1, parts, part),
                                               part_of(r, y, 1, parts, part), number(r, 0)});
    } else {
        const bool a = attr_transpose_a(node), b = attr_transpose_b(node);
        sums = make(r, OP_SPEC(matmul, .transpose_a = a, .transpose_b = b), DTYPE_UNKNOWN,
                    (struct value *[OPERANDS]){part_of(r, x, left - (a ? 2 : 1), parts, part),
                                               part_of(r, y, right - (b ? 1 : 2), parts, part)});
    }
    sums = make(r, op_plain(OP_cast), DTYPE_INTEGER, (struct value *[OPERANDS]){sums});
    return make(r, op_plain(OP_cast), DTYPE_SCALAR, (struct value *[OPERANDS]){sums});
}

/* A number in two digits; both are exact. */
struct digits {
    struct value *high, *low;
};

/* Adds x to the digits; NULL in both: to 0. */
static void add_digits(const struct replacing *r, struct digits *to, struct value *x)
{
    struct value *high = plain(r, OP_floor, plain(r, OP_mul, x, number(r, 1.0 / DIGIT)), NULL);
    struct value *low = without(r, x, high, number(r, DIGIT));

    *to = to->high
              ? (struct digits){plain(r, OP_add, to->high, high), plain(r, OP_add, to->low, low)}
              : (struct digits){high, low};
}

/* Scalars of the sums; beyond 2^24 they are rounded once, as a cast does it. */
static struct value *product_of_scalars(const struct replacing *r)
{
    const struct value *bias = r->node->in[BIAS].value;
    const bool adds = !value_is_literal(bias) || value_literal(bias).integer != 0;
    struct parts parts;
    struct digits sum = {0}, carry = {0};

    if (!find_parts(r, r->node, &parts))
        return NULL;
    struct value *x = without_zero(r, LEFT, LEFT_ZERO), *y = without_zero(r, RIGHT, RIGHT_ZERO);
    if (!x || !y)
        return NULL;
    for (int i = 0; i < parts.count; i++) {
        struct value *part = part_sums(r, x, y, &parts, i);
        if (parts.largest <= exact.high)
            return adds ? plain(r, OP_add, part, as_scalar(r, r->node->in[BIAS].value)) : part;
        add_digits(r, &sum, part);
    }
    if (adds)
        add_digits(r, &sum, as_scalar(r, r->node->in[BIAS].value));
    add_digits(r, &carry, sum.low);
    return plain(r, OP_add,
                 plain(r, OP_mul, plain(r, OP_add, sum.high, carry.high), number(r, DIGIT)),
                 carry.low);
}

/* --- results --------------------------------------------------------------------------------- */

/*
 * `made`, which is whole, is the result of r->node as a scalar: no cast there and back.  It takes
 * the name, too, if nothing else needs the integer.
 */
static void share_whole(const struct replacing *r, struct value *made)
{
    struct value *const integer = &r->node->out[0], *const cast = r->scalars[integer->id];

    if (!cast)
        return;
    graph_replace_operands(cast, made);
    graph_erase_node(r->graph, cast->producer);
    for (int i = 0; i < r->graph->noutput; i++)
        if (r->graph->outputs[i].value == integer)
            return;
    if (integer->uses)
        return;
    made->name = integer->name;
    integer->name = NULL;
}

/* The result of r->node, an integer again.  NULL after a report. */
static struct value *replaced(const struct replacing *r)
{
    const struct node *node = r->node;
    const bool chooses = node->op->id == OP_integer_min || node->op->id == OP_integer_max;
    struct interval result;
    struct value *in[2] = {NULL}, *made;
    if (is_product(node->op)) {
        made = product_of_scalars(r);
        if (made)
            share_whole(r, made);
        return made ? make(r, op_plain(OP_cast), DTYPE_INTEGER, (struct value *[OPERANDS]){made})
                    : NULL;
    }
    bool wraps = node->op->result[0] == OP_RESULT_INTEGER && !is_shifted_index(r, node) &&
                 bounds_before_wrap(r->bounds, node, &result) &&
                 !interval_has(bounds_of_width(node), result);

    if (is_plain_cast(node))
        return node->in[0].value;
    if (node->op->id == OP_integer_wrap && !wraps)
        return plain(r, OP_copy, node->in[0].value, NULL);
    if (chooses &&
        !(interval_has(exact, operand(r, node, 0)) && interval_has(exact, operand(r, node, 1))))
        return extremum(r, node->in[0].value, node->in[1].value);
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = as_scalar(r, node->in[i].value);
    made = on_scalars(r, in[0], in[1]);
    if (made && wraps)
        made = can_wrap(node, result) ? wrapped(r, made) : wrapped_cast(r, made);
    if (made && made->dtype == DTYPE_SCALAR)
        share_whole(r, made);
    return made && made->dtype == DTYPE_SCALAR
               ? make(r, op_plain(OP_cast), DTYPE_INTEGER, (struct value *[OPERANDS]){made})
               : made;
}

/* --- the graph ------------------------------------------------------------------------------ */

static bool refuse(const struct graph *graph, const struct node *node)
{
    const struct place place = {graph->context->diag, node->site, node->span};
    const enum op_id op = (enum op_id)node->op->id;
    bool has_counterpart = is_product(node->op) || op == OP_integer_not || op == OP_integer_rest ||
                           op == OP_integer_mod ||
                           (op != OP_integer_pow && scalar_form(op) < OP_COUNT);

    place_fault(&place, DIAG_NOT_IN_NNEF, "'%s' cannot be written as an operation on scalars: %s",
                node->op->name,
                has_counterpart ? "its integers may be beyond 2^24, or wrap"
                                : "none computes the same");
    diag_help(graph->context->diag, "`--profile=custom` keeps operations on integers as they are.");
    return false;
}

static bool is_replaced(const struct op_desc *op)
{
    return is_integer_operation(op) || is_product(op);
}

static bool can_replace(const struct replacing *r, const struct node *node)
{
    struct parts parts;

    if (!is_product(node->op))
        return is_same(r, node);
    return find_parts(r, node, &parts) &&
           (parts.largest <= exact.high || is_rounded(r, &node->out[0]));
}

/* From the last on, so that the operands are still those whose bounds are known. */
bool integers_as_scalars(struct graph *graph,
                         bool (*may_stay)(const void *data, const struct op_desc *op),
                         const void *data)
{
    struct replacing r = {
        .graph = graph,
        .bounds = bounds_of_values(graph, false),
        .indexes = find_indexes(graph),
        .scalars = arena_array_of(graph->context->arena, struct value *, graph->value_count)};
    struct node *prev;

    for (const struct node *n = graph->first; n; n = n->next)
        if (is_replaced(n->op) && !may_stay(data, n->op) && !can_replace(&r, n))
            return refuse(graph, n);
    for (struct node *n = graph->last; n; n = prev) {
        prev = n->prev;
        if (!is_replaced(n->op) || may_stay(data, n->op))
            continue;
        uint32_t first_id = graph->node_count;
        r.node = n;
        graph->before = n;
        struct value *result = replaced(&r);
        bool ok = result && lower_take_place(graph, n, &result, first_id);
        graph->before = NULL;
        if (!ok)
            return false;
    }
    return true;
}
