/* fused.c - see fused.h */
#include "backend/onednn/fused.h"

#include "exec/attribute.h"
#include "tensor/tensor.h"

#include <math.h>

/* --- activations ---------------------------------------------------------------------------- */

struct activation {
    enum op_id op;
    dnnl_alg_kind_t algorithm;
    double alpha;
    const char *parameter; /* that is alpha instead; NULL */
};

static const struct activation activations[] = {
    {OP_relu, dnnl_eltwise_relu, 0, NULL},      {OP_leaky_relu, dnnl_eltwise_relu, 0, "alpha"},
    {OP_elu, dnnl_eltwise_elu, 0, "alpha"},     {OP_sigmoid, dnnl_eltwise_logistic, 0, NULL},
    {OP_tanh, dnnl_eltwise_tanh, 0, NULL},      {OP_silu, dnnl_eltwise_swish, 1, NULL},
    {OP_gelu, dnnl_eltwise_swish, 1.702, NULL}, {OP_gelu_erf, dnnl_eltwise_gelu_erf, 0, NULL},
};

static bool is_activation(const struct planner *planner, const struct node *node,
                          struct fused *fused)
{
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++) {
        const struct activation *a = &activations[i];
        if (!plan_is(planner, node, a->op))
            continue;
        *fused = (struct fused){FUSED_ITEM, a->algorithm, a->alpha, 0, NULL};
        if (a->parameter)
            fused->alpha = attribute_number(node, a->parameter);
        return true;
    }
    return false;
}

static bool is_clamp(const struct planner *planner, const struct node *node, struct fused *fused)
{
    double low, high;

    if (!plan_is(planner, node, OP_clamp) || !plan_number(planner, node->in[1].value, &low) ||
        !plan_number(planner, node->in[2].value, &high) || low > high)
        return false;
    *fused = (struct fused){FUSED_ITEM, dnnl_eltwise_clip, low, high, NULL};
    return true;
}

/* --- with another operand -------------------------------------------------------------------- */

static bool is_with_number(const struct planner *planner, const struct node *node, bool second,
                           struct fused *fused)
{
    double number;

    if (!plan_number(planner, node->in[second ? 0 : 1].value, &number))
        return false;
    *fused = (struct fused){FUSED_ITEM, dnnl_eltwise_linear, 1, 0, NULL};
    if (plan_is(planner, node, OP_add)) {
        fused->beta = number;
    } else if (plan_is(planner, node, OP_sub)) {
        fused->alpha = second ? -1 : 1;
        fused->beta = second ? number : -number;
    } else if (plan_is(planner, node, OP_mul)) {
        fused->alpha = number;
    } else if (plan_is(planner, node, OP_max) || plan_is(planner, node, OP_min)) {
        bool max = plan_is(planner, node, OP_max);
        *fused = (struct fused){FUSED_ITEM, dnnl_eltwise_clip, max ? number : -(double)INFINITY,
                                max ? (double)INFINITY : number, NULL};
    } else {
        return false;
    }
    return true;
}

/* A constant that repeats along all but the last dimension. */
static bool is_row(const struct planner *planner, const struct value *value,
                   const struct shape *shape)
{
    int64_t last = shape_extent(shape, shape->rank - 1);

    return plan_constant(planner, value) && value->shape->rank == shape->rank &&
           shape_extent(value->shape, shape->rank - 1) == last &&
           shape_volume(value->shape) == last;
}

static bool is_with_tensor(const struct planner *planner, const struct node *node, bool second,
                           struct fused *fused)
{
    const struct value *other = node->in[second ? 0 : 1].value;
    bool add = plan_is(planner, node, OP_add);

    if (!add && !plan_is(planner, node, OP_mul))
        return false;
    *fused = (struct fused){FUSED_TENSOR, add ? dnnl_binary_add : dnnl_binary_mul, .other = other};
    if (shape_equal(other->shape, node->out[0].shape))
        return true;
    fused->kind = FUSED_BIAS;
    return add && is_row(planner, other, node->out[0].shape);
}

bool fused_of(const struct planner *planner, const struct task *task, int at, struct fused *fused)
{
    const struct node *node = task->nodes[at];
    const struct value *inner = &task->nodes[at - 1]->out[0];

    if (!shape_equal(node->out[0].shape, inner->shape) || node->out[0].dtype != DTYPE_SCALAR)
        return false;
    if (node->nin == 1 || node->in[1].value != inner) {
        if (node->in[0].value == inner &&
            (is_activation(planner, node, fused) || is_clamp(planner, node, fused)))
            return true;
    }
    bool second = node->nin == 2 && node->in[1].value == inner;
    return node->nin == 2 && (is_with_number(planner, node, second, fused) ||
                              is_with_tensor(planner, node, second, fused));
}

/* Is it done before another node, to single items? */
static bool is_repeated(const struct planner *planner, const struct task *task, int at,
                        const struct fused *fused)
{
    struct fused other;

    for (int i = 1; i < at && fused->kind == FUSED_ITEM; i++)
        if (fused_of(planner, task, i, &other) && other.kind == FUSED_ITEM &&
            other.algorithm == fused->algorithm)
            return true;
    return false;
}

/* Code of version 2.6 has one place for the numbers of an algorithm, whoever uses it, and products
 * without bias forget those of the linear one. */
bool fused_all(const struct planner *planner, const struct task *task, bool biased)
{
    bool product =
        plan_is(planner, task->nodes[0], OP_matmul) || plan_is(planner, task->nodes[0], OP_linear);
    struct fused fused;

    for (int at = 1; at < task->count; at++)
        if (!fused_of(planner, task, at, &fused) ||
            (fused.kind == FUSED_BIAS && (at > 1 || !biased)) ||
            is_repeated(planner, task, at, &fused) ||
            (product && fused.kind == FUSED_ITEM && fused.algorithm == dnnl_eltwise_linear))
            return false;
    return true;
}

const struct value *fused_bias(const struct planner *planner, const struct task *task)
{
    struct fused fused;

    if (task->count < 2 || !fused_of(planner, task, 1, &fused) || fused.kind != FUSED_BIAS)
        return NULL;
    return fused.other;
}

/* --- attributes ---------------------------------------------------------------------------- */

/* Can the result begin as that operand, to which the rest is added?  Not if the primitive reads it. */
static bool begins_as(const struct fusion *fusion, const struct fused *fused, int done)
{
    const struct node *node = fusion->task->nodes[0];

    if (done > 0 || fused->algorithm != dnnl_binary_add ||
        !plan_ends(fusion->planner, fusion->task, fused->other))
        return false;
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value == fused->other)
            return false;
    return true;
}

static bool add_tensor(struct fusion *fusion, dnnl_post_ops_t ops, const struct fused *fused)
{
    int done = dnnl_post_ops_len(ops), operand = fusion->operands++;
    struct argument other = {.name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(done) | DNNL_ARG_SRC_1,
                             .origin = ORIGIN_OPERAND,
                             .index = operand,
                             .md = *fusion->output};

    if (begins_as(fusion, fused, done)) {
        fusion->work->sum = operand;
        fusion->work->sum_size = md_size(fusion->output);
        return post_sum(ops);
    }
    return work_add(fusion->work, &other) && post_binary(ops, fused->algorithm, fusion->output);
}

static bool add_operations(struct fusion *fusion, dnnl_post_ops_t ops)
{
    bool ok = true;

    for (int at = 1; at < fusion->task->count && ok; at++) {
        struct fused fused;
        ok = fused_of(fusion->planner, fusion->task, at, &fused);
        if (ok && fused.kind == FUSED_TENSOR)
            ok = add_tensor(fusion, ops, &fused);
        else if (ok && fused.kind == FUSED_ITEM)
            ok = post_eltwise(ops, fused.algorithm, fused.alpha, fused.beta);
    }
    return ok;
}

static bool fill(struct fusion *fusion, dnnl_primitive_attr_t attributes)
{
    dnnl_post_ops_t ops;

    if (dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user) !=
            dnnl_success ||
        dnnl_post_ops_create(&ops) != dnnl_success)
        return false;
    bool ok = add_operations(fusion, ops) &&
              dnnl_primitive_attr_set_post_ops(attributes, ops) == dnnl_success;
    dnnl_post_ops_destroy(ops);
    return ok;
}

dnnl_primitive_attr_t fused_attributes(struct fusion *fusion)
{
    dnnl_primitive_attr_t attributes;

    if (dnnl_primitive_attr_create(&attributes) != dnnl_success)
        return NULL;
    if (fill(fusion, attributes))
        return attributes;
    dnnl_primitive_attr_destroy(attributes);
    return NULL;
}

/* --- operands ------------------------------------------------------------------------------- */

bool fused_read(struct planner *planner, const struct task *task, struct step *step,
                enum layout layout)
{
    const struct work *work = step->state;
    bool ok = true;

    for (int at = 1; at < task->count && ok; at++) {
        struct fused fused;
        if (fused_of(planner, task, at, &fused) && fused.kind == FUSED_TENSOR)
            ok = plan_read(planner, step, fused.other, layout);
    }
    step->reused = work->sum;
    return ok;
}
