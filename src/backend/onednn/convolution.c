/* convolution.c - conv and deconv (NNEF 1.0.5, section 4.3.1) */
#include "backend/onednn/making.h"

#include "op/convolve.h"
#include "tensor/tensor.h"

#include <string.h>

/* What is to be convolved. */
struct convolution {
    struct making m;
    struct window window;
    bool reverse, biased;
    int64_t groups;
    int64_t in, out;  /* channels */
    struct md filter; /* as it is stored */
};

/* --- what can be done ----------------------------------------------------------------------- */

static bool is_plain_window(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before < 0 || window->dim[i].after <= -window->dim[i].stride)
            return false;
    return true;
}

static bool is_bias(const struct planner *planner, const struct value *value, int64_t channels)
{
    const struct tensor *tensor = plan_constant(planner, value);
    int64_t items = shape_volume(value->shape);

    return tensor && (items == 1 || (items == channels && value->shape->rank >= 2 &&
                                     value->shape->extent[1] == channels));
}

unsigned convolution_layouts(const struct planner *planner, const struct task *task)
{
    const struct node *node = task->nodes[0];
    const struct value *input = node->in[CONV_INPUT].value;
    const struct shape *out = node->out[0].shape;
    const struct window_attrs *attrs = node->attrs;

    if (task->count > 1)
        return fused_all(planner, task, false) ? IN_CHANNELS_LAST : 0;
    if (out->rank < 3 || out->rank > 2 + SLIDING || input->shape->rank != out->rank ||
        node->in[CONV_FILTER].value->shape->rank != out->rank || shape_volume(out) == 0 ||
        shape_volume(input->shape) == 0 || attrs->border != BORDER_CONSTANT)
        return 0;
    struct window window = plan_window(planner, node);
    bool ok = is_plain_window(&window) && plan_constant(planner, node->in[CONV_FILTER].value) &&
              is_bias(planner, node->in[CONV_BIAS].value, out->extent[1]);
    return ok ? IN_CHANNELS_LAST : 0;
}

/* --- geometry ------------------------------------------------------------------------------- */

static struct sliding sliding_of(const struct convolution *c)
{
    struct sliding s = {{0}, {0}, {0}, {0}, {0}};

    for (int i = 0; i < c->window.rank; i++) {
        const struct window_dim *dim = &c->window.dim[i];
        int64_t small = c->reverse ? dim->in : dim->out, large = c->reverse ? dim->out : dim->in;
        s.stride[i] = dim->stride;
        s.dilation[i] = dim->dilation - 1;
        s.before[i] = dim->before;
        s.after[i] = padding_after(dim, small, large);
    }
    return s;
}

/*
 * Filters are (c, C / groups, f1, ..), c of the down-scaled tensor, C of the up-scaled one; the library
 * has (groups, output channels of a group, input channels of a group, f1, ..).
 */
static bool describe_filter(struct convolution *c, const struct shape *shape, struct md *best)
{
    int64_t dims[MAX_RANK + 1], stride[MAX_RANK + 1], own[MAX_RANK];
    int64_t out = c->out / c->groups, in = c->in / c->groups;
    int first = c->groups > 1, rank = shape->rank + first;

    shape_strides(shape, own);
    dims[0] = c->groups;
    stride[0] = own[0] * (c->reverse ? in : out);
    dims[first] = out;
    stride[first] = own[c->reverse ? 1 : 0];
    dims[first + 1] = in;
    stride[first + 1] = own[c->reverse ? 0 : 1];
    for (int axis = 2; axis < shape->rank; axis++) {
        dims[first + axis] = shape->extent[axis];
        stride[first + axis] = own[axis];
    }
    return md_strided(&c->filter, rank, dims, stride) && md_any(best, rank, dims);
}

static bool describe(struct convolution *c, const struct node *node)
{
    struct operands *on = &c->m.on;
    enum layout layout = c->m.step->layout;
    bool ok = describe_filter(c, node->in[CONV_FILTER].value->shape, &on->weights) &&
              md_of(&on->input, node->in[CONV_INPUT].value->shape, layout) &&
              md_of(&on->output, node->out[0].shape, layout);

    if (ok && c->biased)
        ok = md_strided(&on->bias, 1, &c->out, (const int64_t[]){1});
    return ok;
}

/* --- making ---------------------------------------------------------------------------------- */

static struct convolution convolution_of(const struct planner *planner, const struct node *node)
{
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    double bias;
    struct convolution c = {.window = plan_window(planner, node),
                            .reverse = plan_is(planner, node, OP_deconv),
                            .biased = true,
                            .in = in->extent[1],
                            .out = out->extent[1]};

    if (plan_number(planner, node->in[CONV_BIAS].value, &bias))
        c.biased = bias != 0;
    c.groups = conv_groups(in, node->in[CONV_FILTER].value->shape, out, c.reverse);
    return c;
}

/* Where it convolves by products of matrices the library has a tensor met by items of other places. */
static bool is_wrong(const struct convolution *c, dnnl_primitive_desc_t pd)
{
    bool has_tensor = c->m.work->sum != STEP_NONE || c->m.work->count > 0;

    return has_tensor && strstr(pd_name(pd), "gemm");
}

static dnnl_primitive_desc_t choose(struct convolution *c)
{
    struct sliding sliding = sliding_of(c);
    dnnl_primitive_attr_t attributes = making_attributes(&c->m, 1);
    dnnl_primitive_desc_t pd = NULL;

    if (!attributes)
        return NULL;
    pd = c->reverse ? pd_deconv(c->m.work->engine, &c->m.on, &sliding, attributes)
                    : pd_conv(c->m.work->engine, &c->m.on, &sliding, attributes);
    dnnl_primitive_attr_destroy(attributes);
    if (!pd || !is_wrong(c, pd))
        return pd;
    dnnl_primitive_desc_destroy(pd);
    return NULL;
}

static bool add_arguments(struct convolution *c, const struct node *node)
{
    const struct operands *on = &c->m.on;

    return making_input_output(&c->m) &&
           making_pack(&c->m, DNNL_ARG_WEIGHTS, node->in[CONV_FILTER].value, &c->filter,
                       &on->weights) &&
           (!c->biased || making_bias(&c->m, node->in[CONV_BIAS].value, c->out, &on->bias));
}

static bool build(struct convolution *c, const struct node *node)
{
    struct making *m = &c->m;
    dnnl_primitive_desc_t pd = describe(c, node) ? choose(c) : NULL;

    if (!pd)
        return false;
    md_drop(&m->on.weights);
    bool ok =
        md_wanted(&m->on.weights, pd, dnnl_query_weights_md, 0) && work_use(m->work, m->step, pd);
    return ok && add_arguments(c, node) &&
           plan_read(m->planner, m->step, node->in[CONV_INPUT].value, m->step->layout) &&
           fused_read(m->planner, m->task, m->step, m->step->layout) &&
           plan_write(m->planner, m->step, task_result(m->task));
}

bool convolution_make(struct planner *planner, const struct task *task, struct step *step)
{
    struct convolution c = convolution_of(planner, task->nodes[0]);

    if (!making_begin(&c.m, planner, task, step))
        return false;
    bool ok = build(&c, task->nodes[0]);
    md_drop(&c.filter);
    return making_end(&c.m, ok);
}
