/*
 * matrix.c - products with a constant matrix on the right: linear and matmul
 *
 * With few rows, reading the matrix takes most of the time, so that it is not packed but read once.
 * With more rows it is packed, and the product is a convolution of an image of one row.
 */
#include "backend/portable/portable.h"

#include "backend/portable/conv.h"

#include "base/arena.h"
#include "base/num.h"
#include "exec/epilogue.h"
#include "exec/packed.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/matmul.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

enum { LEFT, RIGHT, BIAS };

/* The state of a step. */
struct matrix_step {
    struct kernel kernel; /* with more rows, named after the algorithm */
    const struct kernels *kernels;
    int64_t columns;
    struct narrow narrow; /* with few rows; a run sets its operands */
    struct conv conv;     /* with more rows */
    const struct conv_kernel *algorithm;
    const float *packed, *bias;
    bool has_residual;
};

/* --- few rows -------------------------------------------------------------------------------- */

/* Packing does not pay for FEW_ROWS or fewer.  Columns are shared among members in parts of whole
 * lines of the cache: PARTS for each member, within these limits. */
enum { FEW_ROWS = 8, LINE = 16, MOST_COLUMNS = 1024, PART_ITEMS = 1 << 14, PARTS = 4 };

/* A run with few rows: `narrow` with the operands of the run. */
struct narrow_job {
    const struct matrix_step *step;
    struct narrow narrow;
};

/* The kernel takes at most MOST_COLUMNS at a time: so much of the result stays in the cache. */
static void do_columns(void *data, int64_t begin, int64_t end, int member)
{
    const struct narrow_job *job = data;

    (void)member;
    for (; begin < end; begin += MOST_COLUMNS)
        job->step->kernels->narrow(&job->narrow, begin,
                                   end - begin < MOST_COLUMNS ? end : begin + MOST_COLUMNS);
}

/* The residual, if there is one, is operand 1. */
static const float *residual_of(const struct matrix_step *s, const struct step *step,
                                const struct step_frame *frame)
{
    return s->has_residual ? step_in(step, frame, 1) : NULL;
}

static bool run_narrow(const struct step *step, const struct step_frame *frame)
{
    const struct matrix_step *s = step->state;
    struct narrow_job job = {s, s->narrow};
    int64_t least = PART_ITEMS / s->narrow.depth;
    int64_t columns = s->columns / ((int64_t)team_size(frame->team) * PARTS);

    columns = columns < least ? least : num_min(columns, MOST_COLUMNS);
    job.narrow.left = step_in(step, frame, 0);
    job.narrow.residual = residual_of(s, step, frame);
    job.narrow.result = step_out(step, frame, 0);
    team_share(frame->team, s->columns, num_divide_up(columns, LINE) * LINE, do_columns, &job);
    return true;
}

static const struct kernel portable_narrow = {.name = "product, unpacked", .run = run_narrow};

/* --- more rows ------------------------------------------------------------------------------- */

static bool run_packed(const struct step *step, const struct step_frame *frame)
{
    const struct matrix_step *s = step->state;
    const struct conv_operands operands = {
        .src = step_in(step, frame, 0),
        .packed = s->packed,
        .bias = s->bias,
        .residual = residual_of(s, step, frame),
        .dst = step_out(step, frame, 0),
        .scratch = frame->scratch,
    };

    s->algorithm->run(&s->conv, &operands, frame->team);
    return true;
}

/* --- steps ----------------------------------------------------------------------------------- */

/*
 * Either operator gives result[.., i, j] = sum left[.., i, k] * right[k, j].  The rows of all left
 * matrices together are the rows of one matrix, as the right operand is the same for all of them.
 * linear has the right matrix as [columns, depth] (NNEF 1.0.5, sections 4.7 and 4.9.2).
 */
unsigned portable_matrix_match(const struct planner *planner, const struct group *group,
                               void *match)
{
    const struct node *node = group->nodes[0];
    const struct value *left = node->in[LEFT].value, *right = node->in[RIGHT].value;
    const struct shape *out = node->out[0].shape;
    bool linear = is_op(node, OP_linear), transposed = linear || attr_transpose_b(node);
    struct matrix_match *r = match;
    int last = left->shape->rank - 1, of = right->shape->rank - 1;

    assert(linear || is_op(node, OP_matmul));
    r->bias = NULL;
    r->right.items = plan_items(planner, right);
    if (!r->right.items || !has_numbers(left) || !has_numbers(&node->out[0]) || last < 1 ||
        of < 1 || left->shape->rank != out->rank || (!linear && attr_transpose_a(node)))
        return 0;
    r->depth = left->shape->extent[last];
    r->columns = right->shape->extent[transposed ? of - 1 : of];
    r->rows = shape_volume(left->shape) / r->depth;
    r->right.row = transposed ? 1 : r->columns;
    r->right.column = transposed ? r->depth : 1;

    /* The right operand is one matrix, not a batch of them. */
    bool fits =
        shape_volume(right->shape) == r->depth * r->columns &&
        shape_volume(out) == r->rows * r->columns && fused_of(planner, group, true, &r->fused) &&
        (!linear || bias_of(planner, node->in[BIAS].value, out->rank - 1, r->columns, &r->bias));
    return fits ? IN_PLAIN : 0;
}

/* Pack the matrix for the algorithm; strassen takes fewer products but is not as exact. */
static bool pack_matrix(struct planner *planner, const struct group *group, struct step *step)
{
    const struct matrix_match *r = group->match;
    const struct kernels *k = kernels_variant(0);
    struct matrix_step *s = step->state;

    bool exact = plan_is_exact(planner, group_result(group));
    s->algorithm = !exact && k->strassen->fits(&s->conv) ? k->strassen : k->direct;
    const struct weight_packing packing = {
        s->algorithm,
        &s->conv,
        {.items = r->right.items, .out = r->right.column, .in = r->right.row},
        group->nodes[0]->in[RIGHT].value};

    s->kernel = (struct kernel){
        .name = s->algorithm->name, .shortens = s->algorithm->shortens, .run = run_packed};
    step->kernel = &s->kernel;
    step->scratch = kernels_scratch(s->algorithm, &s->conv, plan_threads(planner));
    s->packed = packed_weights(planner, &packing);
    return s->packed;
}

bool portable_matrix_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct matrix_step *s = arena_new_of(planner->plan->arena, struct matrix_step);
    const struct matrix_match *r = group->match;
    const struct tensor *first = r->bias ? r->bias : r->fused.bias;

    assert(r->rows > 0 && r->depth > 0 && r->columns > 0);
    if (first) { /* two biases become one */
        float *bias = plan_memory(planner, (size_t)r->columns * sizeof *bias);
        if (!bias)
            return false;
        bias_fill(first, r->columns, bias);
        if (r->bias && r->fused.bias)
            bias_add(r->fused.bias, r->columns, bias);
        s->bias = bias;
    }
    s->kernels = kernels_variant(0);
    s->columns = r->columns;
    s->conv = conv_of_matrices(r->rows, r->depth, r->columns);
    s->conv.epilogue = r->fused.epilogue;
    s->has_residual = r->fused.residual;
    step->state = s;
    if (r->rows <= FEW_ROWS) {
        step->kernel = &portable_narrow;
        s->narrow = (struct narrow){.rows = r->rows,
                                    .depth = r->depth,
                                    .left_row = r->depth,
                                    .right = r->right,
                                    .bias = s->bias,
                                    .result_row = r->columns,
                                    .epilogue = &s->conv.epilogue};
    } else if (!pack_matrix(planner, group, step)) {
        return false;
    }
    if (!plan_read(planner, step, group->nodes[0]->in[LEFT].value, step->layout))
        return false;
    if (r->fused.residual) {
        step->reused = step->nin;
        if (!plan_read(planner, step, r->fused.residual, step->layout))
            return false;
    }
    return plan_write(planner, step, group_result(group));
}
