/* product.c - matmul and linear (NNEF 1.0.5, sections 4.7 and 4.9.2) */
#include "backend/onednn/making.h"

#include "op/matmul.h"
#include "tensor/tensor.h"

#include <string.h>

/* A factor or the result: matrices along the last two dimensions, maybe transposed. */
struct matrices {
    int rank;
    int64_t dims[MAX_RANK], stride[MAX_RANK];
};

struct product {
    struct making m;
    struct matrices a, b, c;
    const struct value *bias; /* NULL: none */
    bool packed;              /* b is a constant */
};

/* --- shapes ----------------------------------------------------------------------------------- */

static struct matrices matrices_of(const struct shape *shape, bool transposed)
{
    struct matrices x = {.rank = shape->rank};
    int last = shape->rank - 1;

    memcpy(x.dims, shape->extent, (size_t)x.rank * sizeof *x.dims);
    shape_strides(shape, x.stride);
    if (transposed) {
        x.dims[last] = shape->extent[last - 1];
        x.dims[last - 1] = shape->extent[last];
        x.stride[last] = x.stride[last - 1];
        x.stride[last - 1] = 1;
    }
    return x;
}

/* How many matrices there are. */
static int64_t count_of(const struct matrices *x)
{
    int64_t count = 1;

    for (int i = 0; i + 2 < x->rank; i++)
        count *= x->dims[i];
    return count;
}

/* The matrices along one dimension; none if there is but one. */
static void merge_batch(struct matrices *x, int rank)
{
    int64_t count = count_of(x), rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
    int64_t down = x->stride[x->rank - 2], across = x->stride[x->rank - 1];

    *x = rank == 3 ? (struct matrices){3, {count, rows, columns}, {rows * columns, down, across}}
                   : (struct matrices){2, {rows, columns}, {down, across}};
}

/* All matrices as one, one below the other. */
static void stack(struct matrices *x)
{
    int64_t count = count_of(x), rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];

    *x = (struct matrices){2, {count * rows, columns}, {columns, 1}};
}

static bool are_batches_equal(const struct matrices *a, const struct matrices *b)
{
    for (int i = 0; i + 2 < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* Fewer dimensions where the same can be said in fewer. */
static void simplify(struct product *p)
{
    int rank = p->a.rank;

    if (count_of(&p->b) == 1 && p->a.stride[rank - 1] == 1) {
        merge_batch(&p->b, 2);
        stack(&p->a);
        stack(&p->c);
    } else if (rank > 3 &&
               (are_batches_equal(&p->a, &p->b) || count_of(&p->a) == 1 || count_of(&p->b) == 1)) {
        merge_batch(&p->a, 3);
        merge_batch(&p->b, 3);
        merge_batch(&p->c, 3);
    }
}

static bool describe_shapes(const struct planner *planner, const struct node *node,
                            struct product *p)
{
    bool linear = plan_is(planner, node, OP_linear);
    const struct shape *a = node->in[0].value->shape, *b = node->in[1].value->shape;
    const struct shape *c = node->out[0].shape;
    const struct matmul_attrs filter_transposed = {.transpose_b = true};
    const struct matmul_attrs *attrs = linear ? &filter_transposed : node->attrs;

    if (a->rank < 2 || b->rank != a->rank || c->rank != a->rank || shape_volume(a) == 0 ||
        shape_volume(b) == 0)
        return false;
    p->a = matrices_of(a, attrs->transpose_a);
    p->b = matrices_of(b, attrs->transpose_b);
    p->c = matrices_of(c, false);
    return p->a.dims[a->rank - 2] == p->c.dims[a->rank - 2] &&
           p->b.dims[a->rank - 1] == p->c.dims[a->rank - 1] &&
           p->a.dims[a->rank - 1] == p->b.dims[a->rank - 2];
}

/* --- what can be done -------------------------------------------------------------------------- */

/* One number for each column, or for all. */
static bool is_bias(const struct planner *planner, const struct value *value,
                    const struct shape *out)
{
    int64_t items = shape_volume(value->shape);

    return plan_constant(planner, value) &&
           (items == 1 || (value->shape->rank == out->rank && items == out->extent[out->rank - 1] &&
                           value->shape->extent[out->rank - 1] == items));
}

static bool has_bias(const struct planner *planner, const struct node *node)
{
    double bias;

    return plan_is(planner, node, OP_linear) &&
           !(plan_number(planner, node->in[2].value, &bias) && bias == 0);
}

unsigned product_layouts(const struct planner *planner, const struct task *task)
{
    const struct node *node = task->nodes[0];
    struct product p;

    if (task->count > 1)
        return fused_all(planner, task, !has_bias(planner, node)) ? IN_PLAIN : 0;
    if (!describe_shapes(planner, node, &p) || shape_volume(node->out[0].shape) == 0)
        return 0;
    return !has_bias(planner, node) || is_bias(planner, node->in[2].value, node->out[0].shape)
               ? IN_PLAIN
               : 0;
}

/* --- making ------------------------------------------------------------------------------------ */

static bool describe_bias(struct product *p)
{
    struct matrices bias = {.rank = p->c.rank};

    for (int i = 0; i < bias.rank; i++) {
        bias.dims[i] = i == bias.rank - 1 ? p->c.dims[i] : 1;
        bias.stride[i] = i == bias.rank - 1 ? 1 : p->c.dims[bias.rank - 1];
    }
    return md_strided(&p->m.on.bias, bias.rank, bias.dims, bias.stride);
}

static bool describe(struct product *p)
{
    struct operands *on = &p->m.on;

    return md_strided(&on->input, p->a.rank, p->a.dims, p->a.stride) &&
           (p->packed ? md_any(&on->weights, p->b.rank, p->b.dims)
                      : md_strided(&on->weights, p->b.rank, p->b.dims, p->b.stride)) &&
           md_strided(&on->output, p->c.rank, p->c.dims, p->c.stride) &&
           (!p->bias || describe_bias(p));
}

static dnnl_primitive_desc_t choose(struct product *p)
{
    dnnl_primitive_attr_t attributes = making_attributes(&p->m, p->packed ? 1 : 2);

    if (!attributes)
        return NULL;
    dnnl_primitive_desc_t pd = pd_matmul(p->m.work->engine, &p->m.on, attributes);
    dnnl_primitive_attr_destroy(attributes);
    return pd;
}

static bool add_second(struct product *p, const struct value *value)
{
    struct md stored = {.made = false};

    if (!p->packed)
        return work_add(p->m.work, &(struct argument){.name = DNNL_ARG_WEIGHTS,
                                                      .index = 1,
                                                      .md = p->m.on.weights}) &&
               plan_read(p->m.planner, p->m.step, value, LAYOUT_PLAIN);
    bool ok = md_strided(&stored, p->b.rank, p->b.dims, p->b.stride) &&
              making_pack(&p->m, DNNL_ARG_WEIGHTS, value, &stored, &p->m.on.weights);
    md_drop(&stored);
    return ok;
}

static bool add_arguments(struct product *p, const struct node *node)
{
    struct making *m = &p->m;
    int64_t columns = p->c.dims[p->c.rank - 1];

    return making_input_output(m) &&
           plan_read(m->planner, m->step, node->in[0].value, LAYOUT_PLAIN) &&
           add_second(p, node->in[1].value) &&
           (!p->bias || making_bias(m, p->bias, columns, &m->on.bias));
}

static bool build(struct product *p, const struct node *node)
{
    struct making *m = &p->m;
    dnnl_primitive_desc_t pd = describe(p) ? choose(p) : NULL;

    if (!pd)
        return false;
    md_drop(&m->on.weights);
    bool ok =
        md_wanted(&m->on.weights, pd, dnnl_query_weights_md, 0) && work_use(m->work, m->step, pd);
    return ok && add_arguments(p, node) && fused_read(m->planner, m->task, m->step, LAYOUT_PLAIN) &&
           plan_write(m->planner, m->step, task_result(m->task));
}

bool product_make(struct planner *planner, const struct task *task, struct step *step)
{
    const struct node *node = task->nodes[0];
    struct product p = {.packed = plan_constant(planner, node->in[1].value) != NULL};

    if (!describe_shapes(planner, node, &p) || !making_begin(&p.m, planner, task, step))
        return false;
    simplify(&p);
    p.packed &= p.c.dims[p.c.rank - 2] > 1;
    p.bias = has_bias(planner, node) ? node->in[2].value : fused_bias(planner, task);
    bool ok = build(&p, node);
    return making_end(&p.m, ok);
}
