/*
 * matrix.c - products with a constant matrix: linear, and matmul of which that is the second
 *
 * If there are few rows, reading the matrix is what takes the time, so it is read where it is.
 * Otherwise it is packed, and the product is a convolution of an image of one row.
 */
#include "backend/portable/portable.h"

#include "backend/portable/conv.h"

#include "base/arena.h"
#include "exec/epilogue.h"
#include "exec/packed.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/matmul.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

enum { LEFT, RIGHT, BIAS };

/* What it knows. */
struct matrix_step {
    struct kernel kernel; /* of more rows, by the name of the algorithm */
    const struct kernels *kernels;
    int64_t columns;
    struct narrow narrow; /* of few rows, but for operands of a run */
    struct conv conv;     /* of more, with the packed matrix */
    const struct conv_kernel *algorithm;
    const float *packed, *bias;
    bool has_residual;
};

/* --- reading the group ------------------------------------------------------------------------ */

/* The second matrix, and nothing but one: `columns` by `depth` if transposed. */
static bool match_product(const struct planner *planner, const struct group *group, bool transposed,
                          struct matrix_match *r)
{
    const struct node *node = group->nodes[0];
    const struct value *left = node->in[LEFT].value, *right = node->in[RIGHT].value;
    int last = left->shape->rank - 1, of = right->shape->rank - 1;

    r->right.items = plan_items(planner, right);
    if (!r->right.items || !has_numbers(left) || !has_numbers(&node->out[0]) || last < 1 ||
        of < 1 || left->shape->rank != node->out[0].shape->rank)
        return false;
    r->depth = left->shape->extent[last];
    r->columns = right->shape->extent[transposed ? of - 1 : of];
    r->rows = shape_volume(left->shape) / r->depth;
    r->right.row = transposed ? 1 : r->columns;
    r->right.column = transposed ? r->depth : 1;
    return shape_volume(right->shape) == r->depth * r->columns &&
           shape_volume(node->out[0].shape) == r->rows * r->columns &&
           fused_of(planner, group, true, &r->fused);
}

static bool match_linear(const struct planner *planner, const struct group *group,
                         struct matrix_match *r)
{
    const struct node *node = group->nodes[0];

    return match_product(planner, group, true, r) &&
           bias_of(planner, node->in[BIAS].value, node->out[0].shape->rank - 1, r->columns,
                   &r->bias);
}

static bool match_matmul(const struct planner *planner, const struct group *group,
                         struct matrix_match *r)
{
    const struct matmul_attrs *attrs = group->nodes[0]->attrs;

    r->bias = NULL;
    return !attrs->transpose_a && match_product(planner, group, attrs->transpose_b, r);
}

static bool match_matrix(const struct planner *planner, const struct group *group,
                         struct matrix_match *r)
{
    return is_op(group->nodes[0], OP_linear) ? match_linear(planner, group, r)
                                             : match_matmul(planner, group, r);
}

/* --- few rows -------------------------------------------------------------------------------- */

/* Up to so many it does not pay to pack; parts are of whole lines of the cache, and so large. */
enum { FEW_ROWS = 8, LINE = 16, MOST_COLUMNS = 1024, PART_ITEMS = 1 << 14, PARTS = 4 };

struct narrow_job {
    const struct matrix_step *step;
    struct narrow narrow;
};

static void do_columns(void *data, int64_t begin, int64_t end, int member)
{
    const struct narrow_job *job = data;

    (void)member;
    for (; begin < end; begin += MOST_COLUMNS)
        job->step->kernels->narrow(&job->narrow, begin,
                                   end - begin < MOST_COLUMNS ? end : begin + MOST_COLUMNS);
}

static int64_t columns_of_part(const struct matrix_step *s, int members)
{
    int64_t least = PART_ITEMS / s->narrow.depth, columns = s->columns / ((int64_t)members * PARTS);

    columns = columns < least ? least : columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
    return (columns + LINE - 1) / LINE * LINE;
}

static const float *residual_of(const struct matrix_step *s, const struct step *step,
                                const struct step_frame *frame)
{
    return s->has_residual ? step_in(step, frame, 1) : NULL;
}

static bool run_narrow(const struct step *step, const struct step_frame *frame)
{
    const struct matrix_step *s = step->state;
    struct narrow_job job = {s, s->narrow};

    job.narrow.left = step_in(step, frame, 0);
    job.narrow.residual = residual_of(s, step, frame);
    job.narrow.result = step_out(step, frame, 0);
    team_share(frame->team, s->columns, columns_of_part(s, team_size(frame->team)), do_columns,
               &job);
    return true;
}

static const struct kernel portable_narrow = {.name = "product, unpacked", .run = run_narrow};

static void make_narrow(const struct matrix_match *r, struct step *step)
{
    struct matrix_step *s = step->state;

    step->kernel = &portable_narrow;
    s->narrow = (struct narrow){.rows = r->rows,
                                .depth = r->depth,
                                .left_row = r->depth,
                                .right = r->right,
                                .bias = s->bias,
                                .result_row = r->columns,
                                .epilogue = &s->conv.epilogue};
}

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

/* The one that takes fewer products is not as exact. */
static const struct conv_kernel *algorithm_for(const struct planner *planner,
                                               const struct conv *conv)
{
    const struct kernels *k = kernels_variant(0);
    bool shortens = !plan_is_exact(planner) && k->strassen->fits(conv);

    return shortens ? k->strassen : k->direct;
}

static bool make_packed(struct planner *planner, const struct group *group,
                        const struct matrix_match *r, struct step *step)
{
    struct matrix_step *s = step->state;
    s->algorithm = algorithm_for(planner, &s->conv);
    const struct weight_packing packing = {
        s->algorithm,
        &s->conv,
        {.items = r->right.items, .out = r->right.column, .in = r->right.row},
        group->nodes[0]->in[RIGHT].value};

    s->kernel = (struct kernel){
        .name = s->algorithm->name, .shortens = s->algorithm->shortens, .run = run_packed};
    step->kernel = &s->kernel;
    s->packed = packed_weights(planner, &packing);
    step->scratch = kernels_scratch(s->algorithm, &s->conv, plan_threads(planner));
    return s->packed;
}

/* --- steps ----------------------------------------------------------------------------------- */

unsigned portable_matrix_match(const struct planner *planner, const struct group *group,
                               void *match)
{
    return match_matrix(planner, group, match) ? IN_PLAIN : 0;
}

static bool add_matrix_bias(struct planner *planner, const struct matrix_match *r,
                            struct matrix_step *s)
{
    float *bias;

    if (!r->bias && !r->fused.bias)
        return true;
    bias = plan_memory(planner, (size_t)r->columns * sizeof *bias);
    if (bias)
        bias_fill(r->bias ? r->bias : r->fused.bias, r->columns, bias);
    if (bias && r->bias && r->fused.bias)
        bias_add(r->fused.bias, r->columns, bias);
    s->bias = bias;
    return bias;
}

bool portable_matrix_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct matrix_step *s = arena_new_of(planner->plan->arena, struct matrix_step);
    const struct matrix_match *r = group->match;

    assert(r->rows > 0 && r->depth > 0 && r->columns > 0);
    if (!add_matrix_bias(planner, r, s))
        return false;
    s->kernels = kernels_variant(0);
    s->columns = r->columns;
    s->conv = conv_of_matrices(r->rows, r->depth, r->columns);
    s->conv.epilogue = r->fused.epilogue;
    s->has_residual = r->fused.residual;
    step->state = s;
    if (r->rows <= FEW_ROWS)
        make_narrow(r, step);
    else if (!make_packed(planner, group, r, step))
        return false;
    if (!plan_read(planner, step, group->nodes[0]->in[LEFT].value, step->layout))
        return false;
    if (r->fused.residual) {
        step->reused = step->nin;
        if (!plan_read(planner, step, r->fused.residual, step->layout))
            return false;
    }
    return plan_write(planner, step, group_result(group));
}
