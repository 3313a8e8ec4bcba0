/*
 * product.c - products of matrices that a run computes, and attention, which consists of two of
 * them
 *
 * A run packs each right matrix before it multiplies blocks of rows with it.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/matmul.h"
#include "tensor/tensor.h"

#include <assert.h>

/* Rows of a block; items of a block's weights of attention that stay in the cache. */
enum { MOST_ROWS = 56, LEAST_ROWS = 14, WEIGHTS = 1 << 15 };

/* The matrices of an operand or result, by strides in items. */
struct matrix_side {
    int operand;             /* of the step; STEP_NONE: a result, or there is none */
    int64_t at;              /* the first item */
    int64_t along[MAX_RANK]; /* strides along the batch of the result; 0: broadcast */
    int64_t row, column;     /* strides within a matrix */
};

/* Right matrices, which are packed one behind the other. */
struct right_packing {
    struct shape own; /* of the right operand itself */
    int64_t depth, columns;
    int64_t packed;          /* items of one packed matrix */
    int64_t along[MAX_RANK]; /* strides of packed matrices along the batch of the result */
    int64_t at;              /* of the first one in the scratch memory, in items */
};

/* The state of a step: left * right, or attention, whose queries are the left matrix and whose keys
 * are the right one, softmax(left * right * scale + mask) * value. */
struct product_step {
    const struct kernels *kernels;
    struct shape batch; /* the dimensions before the matrices */
    struct matrix_side left, right, result;
    struct right_packing packing;
    int64_t rows, block; /* of a matrix; of a block of it */
    int64_t own_at;      /* in the scratch memory, by member: weights of a block, or a copy of its
                            left matrix */
    struct matrix_side value, mask; /* of attention */
    struct right_packing values;
    float scale;
};

static bool attends(const struct product_step *s)
{
    return s->value.operand != STEP_NONE;
}

/* --- geometry ------------------------------------------------------------------------------- */

/* The first item of row `row` of a matrix. */
static int64_t matrix_item(const struct shape *batch, const struct matrix_side *side, int64_t index,
                           int64_t row)
{
    return side->at + shape_offset(batch, side->along, index) + row * side->row;
}

/* The matrices of a tensor under a view; extents of 1 are broadcast along the batch. */
static struct matrix_side side_of_view(const struct shape *batch, const struct shape *shape,
                                       const struct strided_view *view)
{
    struct matrix_side side = {.operand = STEP_NONE,
                               .at = view->at,
                               .row = view->stride[batch->rank],
                               .column = view->stride[batch->rank + 1]};

    for (int i = 0; i < batch->rank; i++)
        side.along[i] = shape->extent[i] == 1 ? 0 : view->stride[i];
    return side;
}

/* --- packing -------------------------------------------------------------------------------- */

/* The packing of right matrices of that shape; along extents of 1 all results share a matrix. */
static struct right_packing packing_of(const struct kernels *kernels, const struct shape *shape,
                                       int64_t depth, int64_t columns)
{
    const struct conv conv = conv_of_matrices(1, depth, columns);
    size_t size = kernels->direct->packed_size(&conv);
    struct right_packing packing = {.own = batch_of(shape),
                                    .depth = depth,
                                    .columns = columns,
                                    .packed = (int64_t)(size / sizeof(float))};
    int64_t stride = packing.packed;

    for (int i = packing.own.rank - 1; i >= 0; stride *= packing.own.extent[i--])
        packing.along[i] = packing.own.extent[i] == 1 ? 0 : stride;
    return packing;
}

static int64_t packing_size(const struct right_packing *packing)
{
    return shape_volume(&packing->own) * packing->packed;
}

/* Members share the right matrices: each packs whole ones. */
struct packing_job {
    const struct conv_kernel *kernel;
    const struct right_packing *packing;
    const struct matrix_side *side;
    const float *from;
    float *to;
};

static void pack_matrix(const struct packing_job *job, int64_t index, float *to)
{
    const struct right_packing *p = job->packing;
    const struct conv conv = conv_of_matrices(1, p->depth, p->columns);
    const struct filter right = {.items = job->from + matrix_item(&p->own, job->side, index, 0),
                                 .out = job->side->column,
                                 .in = job->side->row};

    job->kernel->pack(&conv, &right, to, NULL);
}

static void pack_some(void *data, int64_t begin, int64_t end, int member)
{
    const struct packing_job *job = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        pack_matrix(job, i, job->to + i * job->packing->packed);
}

/* The packing of the right matrices of an operand into the scratch memory. */
static struct packing_job packing_job(const struct step *step, const struct step_frame *frame,
                                      const struct right_packing *packing,
                                      const struct matrix_side *side)
{
    const struct product_step *s = step->state;

    return (struct packing_job){s->kernels->direct, packing, side,
                                step_in(step, frame, side->operand),
                                (float *)frame->scratch + packing->at};
}

/* --- running -------------------------------------------------------------------------------- */

/* A run. */
struct product_job {
    const struct product_step *state;
    const struct step *step;
    const struct step_frame *frame;
    struct packing_job right, value; /* value: of attention */
    int64_t blocks;                  /* of a matrix */
    bool in_turn; /* each right matrix is packed just before its blocks, else all at first */
};

/* One member computes all blocks of a matrix, and no other matrix of the result needs the right
 * one: then it packs that just before, to where the one before was, which is in the cache. */
static bool packs_in_turn(const struct product_job *job)
{
    const struct product_step *s = job->state;
    int64_t count = shape_volume(&s->batch);

    return (job->blocks == 1 || team_size(job->frame->team) == 1) &&
           shape_volume(&s->packing.own) == count &&
           (!attends(s) || shape_volume(&s->values.own) == count);
}

/* The packed matrix for block `i` of the result, of those from `begin` on. */
static const float *packed_for(const struct product_job *job, const struct packing_job *packing,
                               int64_t i, int64_t begin)
{
    const struct right_packing *p = packing->packing;
    int64_t index = i / job->blocks;

    if (!job->in_turn)
        return packing->to + shape_offset(&job->state->batch, p->along, index);
    float *to = packing->to + begin / job->blocks * p->packed;
    if (i == begin || i % job->blocks == 0)
        pack_matrix(packing, index, to);
    return to;
}

/* The rows of a matrix of an operand from `row` on; NULL if there is no such operand. */
static const float *rows_of(const struct product_job *job, const struct matrix_side *side,
                            int64_t batch, int64_t row)
{
    if (side->operand == STEP_NONE)
        return NULL;
    return (const float *)step_in(job->step, job->frame, side->operand) +
           matrix_item(&job->state->batch, side, batch, row);
}

/* Block i of all matrices: block i % blocks of matrix i / blocks. */
static void multiply_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct product_job *job = data;
    const struct product_step *s = job->state;
    int64_t columns = s->packing.columns, depth = s->packing.depth;
    bool straight = s->left.column == 1 || depth == 1;
    float *scratch = job->frame->scratch;
    float *copy = straight ? NULL : scratch + s->own_at + member * s->block * depth;

    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / job->blocks, row = i % job->blocks * s->block;
        int64_t rows = num_min(s->rows - row, s->block);
        const float *left = rows_of(job, &s->left, batch, row);
        /* The kernel wants the items of a row to follow each other. */
        for (int64_t k = 0; k < depth && !straight; k++)
            for (int64_t r = 0; r < rows; r++)
                copy[r * depth + k] = left[r * s->left.row + k * s->left.column];
        const struct packed_product product = {
            .rows = rows,
            .depth = depth,
            .columns = columns,
            .left = straight ? left : copy,
            .left_row = straight ? s->left.row : depth,
            .packed = packed_for(job, &job->right, i, begin),
            .result = (float *)step_out(job->step, job->frame, 0) +
                      matrix_item(&s->batch, &s->result, batch, row),
            .result_row = s->result.row,
        };
        s->kernels->product(&product);
    }
}

/* Blocks as above: the weights of a block of queries are made, softened and multiplied at once. */
static void attend_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct product_job *job = data;
    const struct product_step *s = job->state;
    int64_t keys = s->packing.columns;
    float *weights = (float *)job->frame->scratch + s->own_at + member * s->block * keys;

    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / job->blocks, row = i % job->blocks * s->block;
        struct packed_product product = {
            .rows = num_min(s->rows - row, s->block),
            .depth = s->packing.depth,
            .columns = keys,
            .left = rows_of(job, &s->left, batch, row),
            .left_row = s->left.row,
            .packed = packed_for(job, &job->right, i, begin),
            .result = weights,
            .result_row = keys,
        };
        const struct softening softening = {
            .rows = product.rows,
            .length = keys,
            .scale = s->scale,
            .mask = rows_of(job, &s->mask, batch, row),
            .mask_row = s->mask.row,
            .mask_column = s->mask.column,
        };
        s->kernels->product(&product);
        s->kernels->reductions->soften(weights, &softening);

        /* The weights stay in the cache for the second product. */
        product.depth = keys;
        product.columns = s->values.columns;
        product.left = weights;
        product.left_row = keys;
        product.packed = packed_for(job, &job->value, i, begin);
        product.result = (float *)step_out(job->step, job->frame, 0) +
                         matrix_item(&s->batch, &s->result, batch, row);
        product.result_row = s->result.row;
        s->kernels->product(&product);
    }
}

/* Pack all right matrices of an operand, if there is one. */
static void pack_all(struct team *team, struct packing_job *job)
{
    if (job->packing)
        team_share(team, shape_volume(&job->packing->own), 1, pack_some, job);
}

static bool run_product(const struct step *step, const struct step_frame *frame)
{
    const struct product_step *s = step->state;
    struct product_job job = {.state = s,
                              .step = step,
                              .frame = frame,
                              .right = packing_job(step, frame, &s->packing, &s->right),
                              .blocks = num_divide_up(s->rows, s->block)};

    if (attends(s))
        job.value = packing_job(step, frame, &s->values, &s->value);
    job.in_turn = packs_in_turn(&job);
    if (!job.in_turn) {
        pack_all(frame->team, &job.right);
        pack_all(frame->team, &job.value);
    }
    team_share(frame->team, shape_volume(&s->batch) * job.blocks, 1,
               attends(s) ? attend_blocks : multiply_blocks, &job);
    return true;
}

/* --- planning ------------------------------------------------------------------------------- */

static const struct kernel portable_product = {.name = "product", .run = run_product};
static const struct kernel portable_attention = {.name = "attention", .run = run_product};

/* Take memory behind `top`, rounded up so that the next piece is aligned, too. */
static int64_t place(int64_t *top, int64_t items)
{
    const int64_t unit = BUFFER_ALIGNMENT / (int64_t)sizeof(float);
    int64_t at = *top;

    *top += (items + unit - 1) / unit * unit;
    return at;
}

/* matmul of two tensors of a run, and attention: one matrix for each item of the batch. */
unsigned portable_product_match(const struct planner *planner, const struct group *group,
                                void *match)
{
    const struct node *node = group->nodes[0];
    const struct value *out = &node->out[0];
    bool ok = group->count == 1 && out->shape->rank >= 2 && has_numbers(out);

    (void)planner;
    (void)match;
    assert(node->nin >= 2);
    /* A mask, operand 3, may have a lower rank. */
    for (uint32_t i = 0; ok && i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        ok = has_numbers(value) && (i > 2 ? value->shape->rank <= out->shape->rank
                                          : value->shape->rank == out->shape->rank);
    }
    return ok ? IN_PLAIN : 0;
}

enum side_use { AS_IT_IS, TURNED, IN_ROWS };

/* Read an operand with any strides; TURNED: transposed; IN_ROWS: items of a row follow each other,
 * even if a step must put them in order. */
static bool read_side(struct planner *planner, struct step *step, const struct value *value,
                      enum side_use use, struct matrix_side *side)
{
    const struct shape batch = batch_of(value->shape);
    const struct strided_view view = plan_view(planner, value),
                              order = view_in_order(value->shape, LAYOUT_PLAIN);
    int last = value->shape->rank - 1;
    bool ordered = use == IN_ROWS && view.stride[last] != 1 && value->shape->extent[last] != 1;

    *side = side_of_view(&batch, value->shape, ordered ? &order : &view);
    side->operand = step->nin;
    if (use == TURNED) {
        int64_t row = side->row;
        side->row = side->column;
        side->column = row;
    }
    return ordered ? plan_read(planner, step, value, LAYOUT_PLAIN)
                   : plan_read_view(planner, step, value);
}

/* Write a result whose items of a row follow each other. */
static bool write_side(struct planner *planner, struct step *step, const struct value *value,
                       struct matrix_side *side)
{
    const struct shape batch = batch_of(value->shape);
    struct strided_view view = plan_target(planner, value, LAYOUT_PLAIN);
    bool fits = view.stride[batch.rank + 1] == 1 || value->shape->extent[batch.rank + 1] == 1;

    if (!fits)
        view = view_in_order(value->shape, LAYOUT_PLAIN);
    view.at = 0;
    *side = side_of_view(&batch, value->shape, &view);
    return fits ? plan_write_view(planner, step, value) : plan_write(planner, step, value);
}

/* Begin the step, in which a row of the left matrices has `depth` items, and a product `columns`.
 */
static struct product_step *add_product(struct planner *planner, const struct group *group,
                                        struct step *step, int64_t depth, int64_t columns)
{
    const struct node *node = group->nodes[0];
    const struct shape *out = node->out[0].shape;
    struct product_step *s = arena_new_of(planner->plan->arena, struct product_step);

    assert(out->rank >= 2 && step->layout == LAYOUT_PLAIN);
    s->kernels = planner->plan->kernels;
    s->batch = batch_of(out);
    s->packing = packing_of(s->kernels, node->in[1].value->shape, depth, columns);
    s->rows = out->extent[out->rank - 2];
    s->value.operand = s->mask.operand = STEP_NONE;
    step->state = s;
    return s;
}

bool portable_product_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    const struct shape *left = node->in[0].value->shape, *out = node->out[0].shape;
    bool turned = attr_transpose_a(node);
    int last = out->rank - 1;
    struct product_step *s = add_product(planner, group, step,
                                         left->extent[turned ? last - 1 : last], out->extent[last]);
    int64_t top = 0;

    s->block = num_min(s->rows, MOST_ROWS);
    step->kernel = &portable_product;
    if (!read_side(planner, step, node->in[0].value, turned ? TURNED : AS_IT_IS, &s->left) ||
        !read_side(planner, step, node->in[1].value, attr_transpose_b(node) ? TURNED : AS_IT_IS,
                   &s->right) ||
        !write_side(planner, step, group_result(group), &s->result))
        return false;
    s->packing.at = place(&top, packing_size(&s->packing));
    s->own_at =
        place(&top, s->left.column != 1 ? planner->plan->threads * s->block * s->packing.depth : 0);
    step->scratch = (size_t)top * sizeof(float);
    return true;
}

enum { QUERY, KEY, VALUE, MASK };

bool portable_attention_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    const struct shape *out = node->out[0].shape;
    const struct shape *query = node->in[QUERY].value->shape, *key = node->in[KEY].value->shape;
    int64_t keys = key->extent[key->rank - 2], top = 0;
    int last = out->rank - 1;
    struct product_step *s = add_product(planner, group, step, query->extent[last], keys);

    assert(node->nin > VALUE);
    s->values = packing_of(s->kernels, node->in[VALUE].value->shape, keys, out->extent[last]);
    s->block = num_min(s->rows, num_min(num_max(WEIGHTS / keys, LEAST_ROWS), MOST_ROWS));
    s->scale = (float)attr_scale(node);
    s->packing.at = place(&top, packing_size(&s->packing));
    s->values.at = place(&top, packing_size(&s->values));
    s->own_at = place(&top, planner->plan->threads * s->block * keys);
    step->kernel = &portable_attention;
    step->scratch = (size_t)top * sizeof(float);
    if (!read_side(planner, step, node->in[QUERY].value, IN_ROWS, &s->left) ||
        !read_side(planner, step, node->in[KEY].value, TURNED, &s->right) ||
        !read_side(planner, step, node->in[VALUE].value, AS_IT_IS, &s->value))
        return false;

    if (node->nin > MASK) { /* broadcast to [batch, rows, keys] */
        const struct value *mask = node->in[MASK].value;
        struct shape weights = *out;
        struct strided_view view = {0};
        weights.extent[last] = keys;
        shape_broadcast_strides(mask->shape, &weights, view.stride);
        s->mask = side_of_view(&s->batch, &weights, &view);
        s->mask.operand = step->nin;
        if (!plan_read(planner, step, mask, LAYOUT_PLAIN))
            return false;
    }
    return write_side(planner, step, group_result(group), &s->result);
}
