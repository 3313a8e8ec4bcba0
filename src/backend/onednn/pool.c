/* pool.c - maxima and means over windows (NNEF 1.0.5, sections 4.3.2, 4.4 and 4.9.3) */
#include "backend/onednn/making.h"

#include "exec/attribute.h"
#include "tensor/tensor.h"

enum { FIRST = 2 }; /* dimension that windows slide along */

struct pool {
    dnnl_alg_kind_t algorithm;
    struct sliding sliding;
    int thin; /* dimensions of extent 1 that are put before the last */
};

/* There is no code for pictures of one dimension. */
static struct shape thickened(const struct shape *shape, const struct pool *pool)
{
    struct shape out = *shape;

    if (pool->thin == 0)
        return out;
    out.extent[out.rank] = out.extent[out.rank - 1];
    out.extent[out.rank - 1] = 1;
    out.rank++;
    return out;
}

/* --- means over all of a picture -------------------------------------------------------------- */

static bool is_picture_mean(const struct planner *planner, const struct node *node)
{
    const struct integers *axes = attribute_integers(node, "axes");
    int rank = node->in[0].value->shape->rank;
    int found = 0;

    if (!plan_is(planner, node, OP_mean_reduce) || axes->count != rank - FIRST)
        return false;
    for (int i = 0; i < axes->count; i++)
        found |= 1 << axes->item[i];
    return found == (1 << rank) - (1 << FIRST);
}

static void picture_mean(const struct shape *input, struct pool *pool)
{
    pool->algorithm = dnnl_pooling_avg_exclude_padding;
    for (int i = 0; i + FIRST < input->rank; i++)
        pool->sliding.size[pool->thin + i] = input->extent[i + FIRST];
}

/* --- windows ---------------------------------------------------------------------------------- */

static bool stays(const struct window_dim *dim)
{
    return dim->size == 1 && dim->stride == 1 && dim->before == 0 && dim->after == 0;
}

/* The library pads less than a window. */
static bool slides(const struct window_dim *dim)
{
    return dim->dilation == 1 && dim->before >= 0 && dim->after > -dim->stride &&
           dim->before < dim->size && dim->after < dim->size + dim->stride;
}

static bool is_padded(const struct window *window)
{
    for (int i = FIRST; i < window->rank; i++)
        if (window->dim[i].before > 0 || window->dim[i].after > 0)
            return true;
    return false;
}

/* Zeros of the border never exceed what is there. */
static bool is_never_negative(const struct planner *planner, const struct value *value)
{
    return value->kind == VALUE_RESULT && (plan_is(planner, value->producer, OP_relu) ||
                                           plan_is(planner, value->producer, OP_sigmoid));
}

static bool find_algorithm(const struct planner *planner, const struct node *node,
                           const struct window *window, dnnl_alg_kind_t *algorithm)
{
    bool max = plan_is(planner, node, OP_max_pool), padded = is_padded(window);

    if (padded && window->border != BORDER_IGNORE && window->border != BORDER_CONSTANT)
        return false;
    if (max) {
        *algorithm = dnnl_pooling_max;
        return !padded || window->border == BORDER_IGNORE ||
               is_never_negative(planner, node->in[0].value);
    }
    *algorithm = window->border == BORDER_IGNORE ? dnnl_pooling_avg_exclude_padding
                                                 : dnnl_pooling_avg_include_padding;
    return plan_is(planner, node, OP_avg_pool) ||
           ((const struct window_attrs *)node->attrs)->normalize;
}

static bool find_window(const struct planner *planner, const struct node *node, struct pool *pool)
{
    struct window window = plan_window(planner, node);

    if (window.rank != node->out[0].shape->rank || !stays(&window.dim[0]) ||
        !stays(&window.dim[1]) || !find_algorithm(planner, node, &window, &pool->algorithm))
        return false;
    for (int i = FIRST; i < window.rank; i++) {
        const struct window_dim *dim = &window.dim[i];
        if (!slides(dim))
            return false;
        int at = pool->thin + i - FIRST;
        pool->sliding.size[at] = dim->size;
        pool->sliding.stride[at] = dim->stride;
        pool->sliding.before[at] = dim->before;
        pool->sliding.after[at] = padding_after(dim, dim->out, dim->in);
    }
    return true;
}

static bool find_pool(const struct planner *planner, const struct node *node, struct pool *pool)
{
    const struct shape *in = node->in[0].value->shape;
    int rank = in->rank;

    if (rank <= FIRST || rank > FIRST + SLIDING || node->out[0].shape->rank != rank ||
        node->out[0].dtype != DTYPE_SCALAR || shape_volume(in) == 0 ||
        shape_volume(node->out[0].shape) == 0)
        return false;
    *pool =
        (struct pool){.sliding = {{1, 1, 1}, {1, 1, 1}, {0}, {0}, {0}}, .thin = rank == FIRST + 1};
    if (!plan_is(planner, node, OP_mean_reduce))
        return find_window(planner, node, pool);
    picture_mean(in, pool);
    return is_picture_mean(planner, node);
}

unsigned pool_layouts(const struct planner *planner, const struct task *task)
{
    struct pool pool;

    return task->count == 1 && find_pool(planner, task->nodes[0], &pool)
               ? IN_CHANNELS_LAST | IN_PLAIN
               : 0;
}

/* --- making ----------------------------------------------------------------------------------- */

static dnnl_primitive_desc_t choose(struct making *m, const struct pool *pool)
{
    dnnl_primitive_attr_t attributes = making_attributes(m, 1);

    if (!attributes)
        return NULL;
    dnnl_primitive_desc_t pd =
        pd_pool(m->work->engine, pool->algorithm, &m->on, &pool->sliding, attributes);
    dnnl_primitive_attr_destroy(attributes);
    return pd;
}

static bool build(struct making *m, const struct pool *pool)
{
    const struct node *node = m->task->nodes[0];
    const struct value *input = node->in[0].value;
    struct shape in = thickened(input->shape, pool), out = thickened(node->out[0].shape, pool);
    dnnl_primitive_desc_t pd = NULL;

    if (md_of(&m->on.input, &in, m->step->layout) && md_of(&m->on.output, &out, m->step->layout))
        pd = choose(m, pool);
    if (!pd || !work_use(m->work, m->step, pd))
        return false;
    return making_input_output(m) && plan_read(m->planner, m->step, input, m->step->layout) &&
           plan_write(m->planner, m->step, &node->out[0]);
}

static bool make_as_is(struct planner *planner, const struct task *task, struct step *step)
{
    struct pool pool;
    struct making m;

    return find_pool(planner, task->nodes[0], &pool) && making_begin(&m, planner, task, step) &&
           making_end(&m, build(&m, &pool));
}

/* There is code for more of them with channels last. */
bool pool_make(struct planner *planner, const struct task *task, struct step *step)
{
    if (make_as_is(planner, task, step))
        return true;
    step->layout = LAYOUT_CHANNELS_LAST;
    return make_as_is(planner, task, step);
}
