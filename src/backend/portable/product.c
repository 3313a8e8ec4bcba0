/*
 * product.c - products of matrices that a run computes, and attention, which is made of them
 *
 * The right matrices are packed, all of them, before blocks of rows meet them.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

#include <assert.h>

/* Rows that are done together; items of weights that stay in the cache. */
enum { MOST_ROWS = 56, LEAST_ROWS = 14, WEIGHTS = 1 << 15 };

/* The dimensions before the matrices, of the result. */
struct batch {
    int rank;
    int64_t extent[MAX_RANK];
};

/* An operand, or the result: its strides along the batch and within its matrices, from an item
 * on. */
struct matrix_side {
    int operand; /* of the step; STEP_NONE */
    int64_t at, along[MAX_RANK], row, column;
};

/* Right matrices, which are packed one behind the other. */
struct right_packing {
    struct batch own; /* of them */
    int64_t depth, columns;
    int64_t packed;          /* items of one that is packed */
    int64_t along[MAX_RANK]; /* the batch of the result: items from one to the next of these */
    int64_t at;              /* in the scratch memory, in items */
};

struct product_step {
    const struct kernels *kernels;
    struct batch batch;
    struct matrix_side left, right, result;
    struct right_packing packing;
    int64_t rows, block;
    int64_t copy_at; /* of a block of the left one, by member; if its columns lie together */
};

struct attention_step {
    const struct kernels *kernels;
    struct batch batch;
    struct matrix_side query, key, value, mask, result;
    struct right_packing keys, values;
    int64_t rows, block;
    float scale;
    int64_t weights_at; /* of a block, by member */
};

/* --- geometry ------------------------------------------------------------------------------- */

static struct batch batch_of(const struct shape *result)
{
    struct batch batch = {.rank = result->rank - 2};

    for (int i = 0; i < batch.rank; i++)
        batch.extent[i] = result->extent[i];
    return batch;
}

static int64_t batch_count(const struct batch *batch)
{
    int64_t count = 1;

    for (int i = 0; i < batch->rank; i++)
        count *= batch->extent[i];
    return count;
}

static int64_t offset_of(const struct batch *batch, const int64_t *along, int64_t index)
{
    int64_t offset = 0;

    for (int i = batch->rank - 1; i >= 0; index /= batch->extent[i--])
        offset += index % batch->extent[i] * along[i];
    return offset;
}

/* The first item of row `row` of a matrix. */
static int64_t matrix_item(const struct batch *batch, const struct matrix_side *side, int64_t index,
                           int64_t row)
{
    return side->at + offset_of(batch, side->along, index) + row * side->row;
}

/* A matrix for each of the batch, whatever is broadcast to that. */
static struct matrix_side side_of_view(const struct batch *batch, const struct shape *shape,
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

/* How an operand is read whose matrices are of `rows` and `columns`, or broadcast to that. */
static struct matrix_side side_of(const struct batch *batch, const struct shape *shape,
                                  int64_t rows, int64_t columns)
{
    struct shape whole = {.rank = batch->rank + 2};
    struct matrix_side side = {.operand = STEP_NONE};
    int64_t stride[MAX_RANK];

    for (int i = 0; i < batch->rank; i++)
        whole.extent[i] = batch->extent[i];
    whole.extent[batch->rank] = rows;
    whole.extent[batch->rank + 1] = columns;
    shape_broadcast_strides(shape, &whole, stride);
    for (int i = 0; i < batch->rank; i++)
        side.along[i] = stride[i];
    side.row = stride[batch->rank];
    side.column = stride[batch->rank + 1];
    return side;
}

/* --- packing -------------------------------------------------------------------------------- */

static struct right_packing packing_of(const struct kernels *kernels, const struct shape *shape,
                                       int64_t depth, int64_t columns)
{
    struct right_packing packing = {.own = batch_of(shape),
                                    .depth = depth,
                                    .columns = columns,
                                    .packed = kernels->product->packed_size(depth, columns)};
    int64_t stride = packing.packed;

    for (int i = packing.own.rank - 1; i >= 0; stride *= packing.own.extent[i--])
        packing.along[i] = packing.own.extent[i] == 1 ? 0 : stride;
    return packing;
}

static int64_t packing_size(const struct right_packing *packing)
{
    return batch_count(&packing->own) * packing->packed;
}

struct packing_job {
    const struct product_kernels *kernels;
    const struct right_packing *packing;
    const struct matrix_side *side;
    const float *from;
    float *to;
};

static void pack_some(void *data, int64_t begin, int64_t end, int member)
{
    const struct packing_job *job = data;
    const struct right_packing *p = job->packing;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct matrix right = {job->from + matrix_item(&p->own, job->side, i, 0),
                                     job->side->row, job->side->column};
        job->kernels->pack(&right, p->depth, p->columns, job->to + i * p->packed);
    }
}

static void pack_right(const struct step *step, const struct step_frame *frame,
                       const struct right_packing *packing, const struct matrix_side *side)
{
    struct packing_job job = {kernels_variant(0)->product, packing, side,
                              step_in(step, frame, side->operand),
                              (float *)frame->scratch + packing->at};

    team_share(frame->team, batch_count(&packing->own), 1, pack_some, &job);
}

/* The packed matrix that one of the result is made with. */
static const float *packed_for(const struct step_frame *frame, const struct batch *batch,
                               const struct right_packing *packing, int64_t index)
{
    return (const float *)frame->scratch + packing->at + offset_of(batch, packing->along, index);
}

/* --- a product ------------------------------------------------------------------------------ */

struct product_job {
    const void *state;
    const struct step *step;
    const struct step_frame *frame;
    int64_t blocks; /* of a matrix */
};

/* Rows that follow each other, of which the items do. */
static const float *straighten(const struct product_job *job, const float *from, int64_t rows,
                               int member)
{
    const struct product_step *s = job->state;
    int64_t depth = s->packing.depth;
    float *to = (float *)job->frame->scratch + s->copy_at + member * s->block * depth;

    for (int64_t k = 0; k < depth; k++)
        for (int64_t i = 0; i < rows; i++)
            to[i * depth + k] = from[i * s->left.row + k * s->left.column];
    return to;
}

static void multiply_rows(const struct product_job *job, int64_t index, int member)
{
    const struct product_step *s = job->state;
    int64_t batch = index / job->blocks, row = index % job->blocks * s->block;
    int64_t rows = s->rows - row < s->block ? s->rows - row : s->block;
    int64_t columns = s->packing.columns, depth = s->packing.depth;
    const float *left = (const float *)step_in(job->step, job->frame, s->left.operand) +
                        matrix_item(&s->batch, &s->left, batch, row);
    bool straight = s->left.column == 1 || depth == 1;
    const struct packed_product product = {
        .rows = rows,
        .depth = depth,
        .columns = columns,
        .left = straight ? left : straighten(job, left, rows, member),
        .left_row = straight ? s->left.row : depth,
        .packed = packed_for(job->frame, &s->batch, &s->packing, batch),
        .result = (float *)step_out(job->step, job->frame, 0) +
                  matrix_item(&s->batch, &s->result, batch, row),
        .result_row = s->result.row,
    };

    s->kernels->product->run(&product);
}

static void multiply_blocks(void *data, int64_t begin, int64_t end, int member)
{
    for (int64_t i = begin; i < end; i++)
        multiply_rows(data, i, member);
}

static bool run_product(const struct step *step, const struct step_frame *frame)
{
    const struct product_step *s = step->state;
    struct product_job job = {s, step, frame, (s->rows + s->block - 1) / s->block};

    pack_right(step, frame, &s->packing, &s->right);
    team_share(frame->team, batch_count(&s->batch) * job.blocks, 1, multiply_blocks, &job);
    return true;
}

/* --- attention ------------------------------------------------------------------------------ */

static const float *part(const struct product_job *job, const struct matrix_side *side,
                         int64_t batch, int64_t row)
{
    const struct attention_step *s = job->state;

    if (side->operand == STEP_NONE)
        return NULL;
    return (const float *)step_in(job->step, job->frame, side->operand) +
           matrix_item(&s->batch, side, batch, row);
}

static void attend_block(const struct product_job *job, int64_t index, int member)
{
    const struct attention_step *s = job->state;
    int64_t batch = index / job->blocks, row = index % job->blocks * s->block;
    int64_t keys = s->keys.columns, width = s->values.columns;
    float *weights = (float *)job->frame->scratch + s->weights_at + member * s->block * keys;
    struct packed_product product = {
        .rows = s->rows - row < s->block ? s->rows - row : s->block,
        .depth = s->keys.depth,
        .columns = keys,
        .left = part(job, &s->query, batch, row),
        .left_row = s->query.row,
        .packed = packed_for(job->frame, &s->batch, &s->keys, batch),
        .result = weights,
        .result_row = keys,
    };

    s->kernels->product->run(&product);
    s->kernels->reductions->soften(weights,
                                   &(struct softening){.rows = product.rows,
                                                       .length = keys,
                                                       .scale = s->scale,
                                                       .mask = part(job, &s->mask, batch, row),
                                                       .mask_row = s->mask.row,
                                                       .mask_column = s->mask.column});
    product.depth = keys;
    product.columns = width;
    product.left = weights;
    product.left_row = keys;
    product.packed = packed_for(job->frame, &s->batch, &s->values, batch);
    product.result = (float *)step_out(job->step, job->frame, 0) +
                     matrix_item(&s->batch, &s->result, batch, row);
    product.result_row = s->result.row;
    s->kernels->product->run(&product);
}

static void attend_blocks(void *data, int64_t begin, int64_t end, int member)
{
    for (int64_t i = begin; i < end; i++)
        attend_block(data, i, member);
}

static bool run_attention(const struct step *step, const struct step_frame *frame)
{
    const struct attention_step *s = step->state;
    struct product_job job = {s, step, frame, (s->rows + s->block - 1) / s->block};

    pack_right(step, frame, &s->keys, &s->key);
    pack_right(step, frame, &s->values, &s->value);
    team_share(frame->team, batch_count(&s->batch) * job.blocks, 1, attend_blocks, &job);
    return true;
}

/* --- planning ------------------------------------------------------------------------------- */

static const struct kernel portable_product = {.name = "product", .run = run_product};
static const struct kernel portable_attention = {.name = "attention", .run = run_attention};

/* Rounded up, so that what lies behind is aligned. */
static int64_t place(int64_t *top, int64_t items)
{
    const int64_t unit = BUFFER_ALIGNMENT / (int64_t)sizeof(float);
    int64_t at = *top;

    *top += (items + unit - 1) / unit * unit;
    return at;
}

static bool are_matrices(const struct node *node)
{
    const struct shape *out = node->out[0].shape;
    bool ok = out->rank >= 2 && shape_volume(out) > 0 && node->out[0].dtype == DTYPE_SCALAR;

    for (uint32_t i = 0; ok && i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        ok = value->dtype == DTYPE_SCALAR && shape_volume(value->shape) > 0 &&
             (i > 2 ? value->shape->rank <= out->rank : value->shape->rank == out->rank);
    }
    return ok;
}

unsigned portable_product_match(const struct planner *planner, const struct group *group,
                                void *match)
{
    (void)planner;
    (void)match;
    return group->count == 1 && are_matrices(group->nodes[0]) ? IN_PLAIN : 0;
}

static void turn(struct matrix_side *side)
{
    int64_t row = side->row;

    side->row = side->column;
    side->column = row;
}

/* An operand, the other way round if `turned`. */
static bool read_side(struct planner *planner, struct step *step, const struct value *value,
                      bool turned, struct matrix_side *side)
{
    const struct batch batch = batch_of(value->shape);
    const struct strided_view view = plan_view(planner, value);

    *side = side_of_view(&batch, value->shape, &view);
    if (turned)
        turn(side);
    side->operand = step->nin;
    return plan_read_view(planner, step, value);
}

/* One whose items of a row follow each other. */
static bool read_rows(struct planner *planner, struct step *step, const struct value *value,
                      struct matrix_side *side)
{
    const struct strided_view view = plan_view(planner, value);

    if (view.stride[value->shape->rank - 1] == 1 ||
        value->shape->extent[value->shape->rank - 1] == 1)
        return read_side(planner, step, value, false, side);
    const struct batch batch = batch_of(value->shape);
    const struct strided_view order = view_in_order(value->shape, LAYOUT_PLAIN);
    *side = side_of_view(&batch, value->shape, &order);
    side->operand = step->nin;
    return plan_read(planner, step, value, LAYOUT_PLAIN);
}

/* Items of a row of the result follow each other. */
static bool write_side(struct planner *planner, struct step *step, const struct value *value,
                       struct matrix_side *side)
{
    const struct batch batch = batch_of(value->shape);
    struct strided_view view = plan_target(planner, value, LAYOUT_PLAIN);
    bool fits = view.stride[batch.rank + 1] == 1 || value->shape->extent[batch.rank + 1] == 1;

    if (!fits)
        view = view_in_order(value->shape, LAYOUT_PLAIN);
    view.at = 0;
    *side = side_of_view(&batch, value->shape, &view);
    return fits ? plan_write_view(planner, step, value) : plan_write(planner, step, value);
}

bool portable_product_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    const struct shape *left = node->in[0].value->shape, *right = node->in[1].value->shape,
                       *out = node->out[0].shape;
    bool turned = attr_transpose_a(node);
    struct product_step *s = arena_new_of(planner->plan->arena, struct product_step);
    int64_t top = 0;
    int last = out->rank - 1;

    assert(out->rank >= 2 && step->layout == LAYOUT_PLAIN);
    s->kernels = kernels_variant(0);
    s->batch = batch_of(out);
    s->packing =
        packing_of(s->kernels, right, left->extent[turned ? last - 1 : last], out->extent[last]);
    s->rows = out->extent[last - 1];
    s->block = s->rows < MOST_ROWS ? s->rows : MOST_ROWS;
    step->kernel = &portable_product;
    step->state = s;
    if (!read_side(planner, step, node->in[0].value, turned, &s->left) ||
        !read_side(planner, step, node->in[1].value, attr_transpose_b(node), &s->right) ||
        !write_side(planner, step, group_result(group), &s->result))
        return false;
    s->packing.at = place(&top, packing_size(&s->packing));
    s->copy_at =
        place(&top, s->left.column != 1 ? plan_threads(planner) * s->block * s->packing.depth : 0);
    step->scratch = (size_t)top * sizeof(float);
    return true;
}

static int64_t rows_for(int64_t rows, int64_t keys)
{
    int64_t block = WEIGHTS / keys;

    block = block < LEAST_ROWS ? LEAST_ROWS : block > MOST_ROWS ? MOST_ROWS : block;
    return block < rows ? block : rows;
}

enum { QUERY, KEY, VALUE, MASK };

static void describe(struct attention_step *s, const struct node *node)
{
    const struct shape *query = node->in[QUERY].value->shape, *key = node->in[KEY].value->shape,
                       *value = node->in[VALUE].value->shape, *out = node->out[0].shape;
    int last = out->rank - 1;
    int64_t keys = key->extent[last - 1];

    s->kernels = kernels_variant(0);
    s->batch = batch_of(out);
    s->keys = packing_of(s->kernels, key, query->extent[last], keys);
    s->values = packing_of(s->kernels, value, keys, out->extent[last]);
    s->rows = out->extent[last - 1];
    s->block = rows_for(s->rows, keys);
    s->scale = (float)attr_scale(node);
}

static bool read_mask(struct planner *planner, struct step *step, const struct node *node,
                      struct attention_step *s)
{
    s->mask.operand = STEP_NONE;
    if (node->nin <= MASK)
        return true;
    s->mask = side_of(&s->batch, node->in[MASK].value->shape, s->rows, s->keys.columns);
    s->mask.operand = step->nin;
    return plan_read(planner, step, node->in[MASK].value, LAYOUT_PLAIN);
}

bool portable_attention_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct attention_step *s = arena_new_of(planner->plan->arena, struct attention_step);
    int64_t top = 0;

    assert(node->nin > VALUE && step->layout == LAYOUT_PLAIN);
    describe(s, node);
    s->keys.at = place(&top, packing_size(&s->keys));
    s->values.at = place(&top, packing_size(&s->values));
    s->weights_at = place(&top, plan_threads(planner) * s->block * s->keys.columns);
    step->kernel = &portable_attention;
    step->state = s;
    step->scratch = (size_t)top * sizeof(float);
    return read_rows(planner, step, node->in[QUERY].value, &s->query) &&
           read_side(planner, step, node->in[KEY].value, true, &s->key) &&
           read_side(planner, step, node->in[VALUE].value, false, &s->value) &&
           read_mask(planner, step, node, s) &&
           write_side(planner, step, group_result(group), &s->result);
}
