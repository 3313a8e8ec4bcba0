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
#include "exec/planner.h"
#include "kernel/kernels.h"

#include <assert.h>

enum { LEFT, RIGHT, BIAS };

/* The state of a step with few rows. */
struct matrix_step {
    narrow_columns *run;
    int64_t columns;
    struct narrow narrow; /* but for the operands of a run */
    struct epilogue epilogue;
    bool has_residual;
};

/* --- running -------------------------------------------------------------------------------- */

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
        job->step->run(&job->narrow, begin, num_min(end, begin + MOST_COLUMNS));
}

/* The residual, if there is one, is operand 1. */
static bool run_narrow(const struct step *step, const struct step_frame *frame)
{
    const struct matrix_step *s = step->state;
    struct narrow_job job = {s, s->narrow};
    int64_t least = PART_ITEMS / s->narrow.depth;
    int64_t columns = s->columns / ((int64_t)team_size(frame->team) * PARTS);

    columns = columns < least ? least : num_min(columns, MOST_COLUMNS);
    job.narrow.left = step_in(step, frame, 0);
    job.narrow.residual = s->has_residual ? step_in(step, frame, 1) : NULL;
    job.narrow.result = step_out(step, frame, 0);
    team_share(frame->team, s->columns, num_divide_up(columns, LINE) * LINE, do_columns, &job);
    return true;
}

static const struct kernel portable_narrow = {.name = "product, unpacked", .run = run_narrow};

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
    int last = left->shape->rank - 1, of = right->shape->rank - 1;
    struct conv_match *r = match;

    assert(linear || is_op(node, OP_matmul));
    *r =
        (struct conv_match){.weights = right, .exact = plan_is_exact(planner, group_result(group))};
    r->filter.items = plan_items(planner, right);
    if (!r->filter.items || !has_numbers(left) || !has_numbers(&node->out[0]) || last < 1 ||
        of < 1 || left->shape->rank != out->rank || (!linear && attr_transpose_a(node)))
        return 0;
    int64_t depth = left->shape->extent[last], rows = shape_volume(left->shape) / depth;
    int64_t columns = right->shape->extent[transposed ? of - 1 : of];
    r->filter.in = transposed ? 1 : columns;
    r->filter.out = transposed ? depth : 1;

    /* The right operand is one matrix, not a batch of them. */
    bool fits =
        shape_volume(right->shape) == depth * columns && shape_volume(out) == rows * columns &&
        fused_of(planner, group, true, &r->fused) &&
        (!linear || bias_of(planner, node->in[BIAS].value, out->rank - 1, columns, &r->bias));
    if (!fits)
        return 0;
    r->conv = conv_of_matrices(rows, depth, columns);
    r->conv.epilogue = r->fused.epilogue;
    return IN_PLAIN;
}

bool portable_matrix_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct matrix_step *s = arena_new_of(planner->plan->arena, struct matrix_step);
    const struct conv_match *r = group->match;
    const struct tensor *const bias[] = {r->bias, r->fused.bias};
    int64_t rows = r->conv.out.x, depth = r->conv.in_channels, columns = r->conv.out_channels;

    assert(rows > 0 && depth > 0 && columns > 0);
    if (rows > FEW_ROWS)
        return portable_conv_make(planner, group, step);
    *s = (struct matrix_step){.run = planner->plan->kernels->narrow,
                              .columns = columns,
                              .narrow = {.rows = rows,
                                         .depth = depth,
                                         .left_row = depth,
                                         .right = {r->filter.items, r->filter.in, r->filter.out},
                                         .result_row = columns,
                                         .epilogue = &s->epilogue},
                              .epilogue = r->conv.epilogue,
                              .has_residual = r->fused.residual};
    step->kernel = &portable_narrow;
    step->state = s;
    return bias_make(planner, bias, columns, &s->narrow.bias) &&
           read_with_residual(planner, group, step, r->fused.residual) &&
           plan_write(planner, step, group_result(group));
}
