/*
 * merge_scales.c - constants that are added, or multiplied by, one after the other become one
 *
 *     (x + a) - b = x + (a - b)        c - (x + a) = (c - a) - x
 *     (x * a) / b = x * (a / b)        c / (x * a) = (c / a) / x
 *
 * The new constant is computed in double and rounded once.  The result may differ in its last
 * digits; it would in more of them if the constants cancel each other, or if what was computed
 * between them could leave the range of numbers, and so these stay.
 */
#include "pass/pass_priv.h"

#include "tensor/shape.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* x and a constant, either of which may be taken away, or divided by, instead. */
struct scale_step {
    struct value *x;
    const struct value *constant;
    bool product;
    bool x_inverse, constant_inverse;
};

static bool step_of(const struct node *node, struct scale_step *step)
{
    bool commutes = is_op(node, OP_add) || is_op(node, OP_mul);

    if (!commutes && !is_op(node, OP_sub) && !is_op(node, OP_div))
        return false;
    int second = value_items(node->in[1].value) ? 1 : 0;
    if (!value_items(node->in[0].value) == !second) /* both are known, or neither is */
        return false;
    *step = (struct scale_step){.x = node->in[1 - second].value,
                                .constant = node->in[second].value,
                                .product = is_op(node, OP_mul) || is_op(node, OP_div),
                                .x_inverse = !commutes && second == 0,
                                .constant_inverse = !commutes && second == 1};
    return true;
}

/* --- the constant ---------------------------------------------------------------------------- */

struct merging {
    struct scale_step outer, inner;
    struct shape shape; /* of the constant */
};

static bool is_tame(double factor)
{
    double size = fabs(factor);

    return size == 0 || (size >= 0x1p-64 && size <= 0x1p64);
}

/* One item for `a` of the inner and `b` of the outer constant; false if both constants stay. */
static bool combine(const struct merging *m, double a, double b, double *item)
{
    bool a_inverse = m->inner.constant_inverse != m->outer.x_inverse;
    bool b_inverse = m->outer.constant_inverse;

    assert(m->inner.product == m->outer.product);
    if (m->inner.product) {
        *item = (a_inverse ? 1 / a : a) * (b_inverse ? 1 / b : b);
        return is_tame(a) && is_tame(b) && is_tame(*item);
    }
    *item = (a_inverse ? -a : a) + (b_inverse ? -b : b);
    return fabs(*item) <= (double)FLT_MAX && fabs(*item) >= fmax(fabs(a), fabs(b)) / 2;
}

/* Item of the constant that is read for item `index` of a tensor of shape `whole`. */
static double item_for(const struct value *value, const struct shape *whole, int64_t index)
{
    int64_t stride[MAX_RANK], at = 0;

    assert(index >= 0);
    if (shape_volume(&value_items(value)->shape) == 1)
        return value_item(value, 0);
    shape_broadcast_strides(value->shape, whole, stride);
    for (int i = whole->rank - 1; i >= 0; i--) {
        at += index % whole->extent[i] * stride[i];
        index /= whole->extent[i];
    }
    return value_item(value, at);
}

/* NULL after a report, or if it is to stay as it is. */
static struct value *make_constant(struct pass *pass, const struct merging *m)
{
    const struct value *inner = m->inner.constant, *outer = m->outer.constant;
    struct tensor tensor;

    if (!pass_tensor(pass, &tensor, DTYPE_SCALAR, &m->shape))
        return NULL;
    for (int64_t i = 0, volume = shape_volume(&m->shape); i < volume; i++) {
        double item;
        if (!combine(m, item_for(inner, &m->shape, i), item_for(outer, &m->shape, i), &item)) {
            tensor_clear(&tensor);
            return NULL;
        }
        ((float *)tensor.data)[i] = (float)item;
    }
    return pass_fixed(pass, NULL, &tensor, inner->kind == VALUE_VARIABLE ? inner : outer);
}

/* --- the pass ------------------------------------------------------------------------------- */

static const char *visit(struct pass *pass, struct node *node)
{
    struct merging m;

    if (!step_of(node, &m.outer) || m.outer.x->kind != VALUE_RESULT ||
        !step_of(m.outer.x->producer, &m.inner) || m.outer.product != m.inner.product ||
        !shape_known(node->out[0].shape))
        return NULL;
    /* The constant must not have more items than both of the two. */
    const struct shape *a = m.inner.constant->shape, *b = m.outer.constant->shape;
    int axis;
    m.shape = *a;
    if (!broadcast(BROADCAST_NNEF, &m.shape, b, &axis))
        return NULL;
    int64_t volume = shape_volume(&m.shape);
    if (volume == 0 || (volume != shape_volume(a) && volume != shape_volume(b)))
        return NULL;
    if (!value_is_inner(pass, m.outer.x))
        return "what comes between is needed elsewhere";
    struct value *constant = make_constant(pass, &m);
    if (!constant)
        return pass->failed ? NULL
                            : pass_because(pass,
                                           "its constant and that of '%s' cancel, or make a number "
                                           "out of range",
                                           VALUE_TEXT(m.outer.x));
    /* x with a constant before it, or what is taken from a constant. */
    struct recipe merged = {.op = op_plain(m.inner.product ? OP_mul : OP_add),
                            .in = {m.inner.x, constant}};
    if (m.inner.x_inverse != m.outer.x_inverse)
        merged = (struct recipe){.op = op_plain(m.inner.product ? OP_div : OP_sub),
                                 .in = {constant, m.inner.x}};
    pass_replace(pass, &node->out[0], pass_make(pass, &merged));
    return NULL;
}

const struct pass_desc pass_merge_scales = {
    .purpose = "make one of two constants that are added, or multiplied by, one after the other",
    .ops = {OP_add, OP_mul, OP_sub, OP_div},
    .visit = visit,
};
