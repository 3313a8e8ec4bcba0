/* lanes.c - reductions, softmax and layer normalization, lane by lane */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/items.h"
#include "exec/planner.h"
#include "exec/view.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

/* Columns that are done together; items of a part. */
enum { COLUMNS = 64, PART = 1 << 13 };

/* An operand with an item for each item of a lane. */
struct by_item {
    const float *data; /* NULL: an operand of the step */
    int operand;
};

struct lane_step {
    const struct lane_kernels *kernels;
    struct reduction band;
    enum fold fold;
    struct by_item scale, offset;
    double epsilon;
};

struct job {
    const struct lane_step *lanes;
    const float *from;
    float *to;
    struct normalization how;
};

/* --- sharing -------------------------------------------------------------------------------- */

static void share(const struct frame *frame, struct job *job, int64_t count, team_part *part)
{
    const struct reduction *b = &job->lanes->band;
    int64_t width = b->inner < COLUMNS ? b->inner : COLUMNS;

    team_share(frame->team, count, PART / (b->length * width), part, job);
}

/* Columns of the whole come in blocks. */
static int64_t block_count(const struct reduction *b)
{
    return (b->inner + COLUMNS - 1) / COLUMNS;
}

struct block {
    int64_t outer, first; /* column */
    struct columns columns;
};

static struct block block_at(const struct reduction *b, int64_t index)
{
    int64_t blocks = block_count(b), first = index % blocks * COLUMNS, left = b->inner - first;

    return (struct block){
        index / blocks, first, {left < COLUMNS ? left : COLUMNS, b->length, b->inner}};
}

static struct job job_of(const struct step *step, const struct frame *frame)
{
    return (struct job){
        .lanes = step->state, .from = step_in(step, frame, 0), .to = step_out(step, frame, 0)};
}

/* --- reductions ----------------------------------------------------------------------------- */

static void fold_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;
    int64_t length = job->lanes->band.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->lanes->kernels->fold_row(job->lanes->fold, job->to + i, job->from + i * length,
                                      length);
}

static void fold_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;
    const struct reduction *b = &job->lanes->band;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct block at = block_at(b, i);
        job->lanes->kernels->fold_columns(
            job->lanes->fold, job->to + at.outer * b->inner + at.first,
            job->from + at.outer * b->length * b->inner + at.first, &at.columns);
    }
}

static bool run_fold(const struct step *step, const struct frame *frame)
{
    struct job job = job_of(step, frame);
    const struct reduction *b = &job.lanes->band;

    if (b->inner == 1)
        share(frame, &job, b->outer, fold_rows);
    else
        share(frame, &job, b->outer * block_count(b), fold_blocks);
    return true;
}

/* --- softmax -------------------------------------------------------------------------------- */

static void softmax_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;
    int64_t length = job->lanes->band.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->lanes->kernels->softmax_row(job->to + i * length, job->from + i * length, length);
}

static void softmax_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;
    const struct reduction *b = &job->lanes->band;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct block at = block_at(b, i);
        int64_t offset = at.outer * b->length * b->inner + at.first;
        job->lanes->kernels->softmax_columns(job->to + offset, job->from + offset, &at.columns);
    }
}

static bool run_softmax(const struct step *step, const struct frame *frame)
{
    struct job job = job_of(step, frame);
    const struct reduction *b = &job.lanes->band;

    if (b->inner == 1)
        share(frame, &job, b->outer, softmax_rows);
    else
        share(frame, &job, b->outer * block_count(b), softmax_blocks);
    return true;
}

/* --- layer normalization -------------------------------------------------------------------- */

static void normalize_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;
    int64_t length = job->lanes->band.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->lanes->kernels->normalize_row(job->to + i * length, job->from + i * length, length,
                                           &job->how);
}

static const float *items_of(const struct step *step, const struct frame *frame,
                             const struct by_item *by)
{
    return by->data ? by->data : step_in(step, frame, by->operand);
}

static bool run_normalize(const struct step *step, const struct frame *frame)
{
    struct job job = job_of(step, frame);

    job.how = (struct normalization){.scale = items_of(step, frame, &job.lanes->scale),
                                     .offset = items_of(step, frame, &job.lanes->offset),
                                     .epsilon = job.lanes->epsilon};
    share(frame, &job, job.lanes->band.outer, normalize_rows);
    return true;
}

/* --- planning ------------------------------------------------------------------------------- */

static const struct kernel portable_fold = {.name = "reduction", .run = run_fold};
static const struct kernel portable_softmax = {.name = "softmax", .run = run_softmax};
static const struct kernel portable_normalize = {.name = "normalization", .run = run_normalize};

static bool lies_so(const struct node *node, enum layout layout, struct reduction *band)
{
    const struct integers *axes = attr_axes(node);
    const struct value *in = node->in[0].value;

    return axes->count > 0 && in->dtype == DTYPE_SCALAR && node->out[0].dtype == DTYPE_SCALAR &&
           reduction_of(in->shape, axes, layout, band);
}

unsigned portable_lanes_match(const struct planner *planner, const struct task *task, void *match)
{
    const struct node *node = task->nodes[0];
    struct reduction band;
    unsigned layouts = 0;

    (void)planner;
    (void)match;
    if (task->count > 1)
        return 0;
    if (lies_so(node, LAYOUT_PLAIN, &band))
        layouts |= IN_PLAIN;
    if (!layout_is_moot(node->in[0].value->shape) && lies_so(node, LAYOUT_CHANNELS_LAST, &band))
        layouts |= IN_CHANNELS_LAST;
    return layouts;
}

static struct lane_step *add_lanes(struct planner *planner, const struct task *task,
                                   struct step *step)
{
    struct lane_step *lanes = arena_new_of(planner->plan->arena, struct lane_step);
    const struct value *in = task->nodes[0]->in[0].value;

    lanes->kernels = kernels_variant(0)->lanes;
    step->state = lanes;
    return lies_so(task->nodes[0], step->layout, &lanes->band) &&
                   plan_read(planner, step, in, step->layout)
               ? lanes
               : NULL;
}

static enum fold fold_of(const struct node *node)
{
    if (is_op(node, OP_max_reduce))
        return FOLD_MAX;
    if (is_op(node, OP_min_reduce))
        return FOLD_MIN;
    bool mean = is_op(node, OP_mean_reduce) || attr_normalize(node);
    return mean ? FOLD_MEAN : FOLD_SUM;
}

bool portable_lanes_make(struct planner *planner, const struct task *task, struct step *step)
{
    struct lane_step *lanes = add_lanes(planner, task, step);

    if (!lanes)
        return false;
    step->kernel = &portable_fold;
    lanes->fold = fold_of(task->nodes[0]);
    return plan_write(planner, step, task_result(task));
}

bool portable_softmax_make(struct planner *planner, const struct task *task, struct step *step)
{
    if (!add_lanes(planner, task, step))
        return false;
    step->kernel = &portable_softmax;
    step->reused = 0;
    return plan_write(planner, step, task_result(task));
}

/* --- planning of layer normalization -------------------------------------------------------- */

/* Has it an item for each item of a lane, or one for all? */
static bool goes_by_item(const struct planner *planner, const struct node *node,
                         const struct value *value)
{
    const struct shape *in = node->in[0].value->shape;
    const struct integers *axes = attr_axes(node);
    const struct tensor *constant = plan_constant(planner, value);
    int64_t across = shape_volume(value->shape), length = 1;

    if (value->dtype != DTYPE_SCALAR || (constant && shape_volume(&constant->shape) == 1))
        return value->dtype == DTYPE_SCALAR;
    for (int i = 0; i < axes->count; i++) {
        int64_t extent = axes->item[i] < in->rank ? in->extent[axes->item[i]] : 1;
        length *= extent;
        if (shape_extent(value->shape, (int)axes->item[i]) != extent)
            return false;
    }
    return across == length;
}

/* Rows only, so that an item of a lane goes with an item of scale and offset. */
unsigned portable_normalize_match(const struct planner *planner, const struct task *task,
                                  void *match)
{
    const struct node *node = task->nodes[0];
    unsigned layouts = portable_lanes_match(planner, task, match);
    struct reduction band;

    if (layouts == 0 || !goes_by_item(planner, node, node->in[1].value) ||
        !goes_by_item(planner, node, node->in[2].value))
        return 0;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (layouts & 1U << layout &&
            (!lies_so(node, (enum layout)layout, &band) || band.inner > 1))
            layouts &= ~(1U << layout);
    return layouts;
}

static bool add_by_item(struct planner *planner, struct step *step, const struct value *value,
                        struct by_item *by)
{
    const struct lane_step *lanes = step->state;
    const struct tensor *constant = plan_constant(planner, value);

    if (!constant || shape_volume(&constant->shape) > 1) {
        by->operand = step->nin;
        return plan_read(planner, step, value, step->layout);
    }
    float *all = plan_memory(planner, (size_t)lanes->band.length * sizeof *all);
    for (int64_t i = 0; all && i < lanes->band.length; i++)
        all[i] = (float)tensor_item(constant, 0);
    by->data = all;
    return all != NULL;
}

bool portable_normalize_make(struct planner *planner, const struct task *task, struct step *step)
{
    const struct node *node = task->nodes[0];
    struct lane_step *lanes = add_lanes(planner, task, step);

    if (!lanes)
        return false;
    step->kernel = &portable_normalize;
    step->reused = 0;
    lanes->epsilon = attr_epsilon(node);
    return add_by_item(planner, step, node->in[1].value, &lanes->scale) &&
           add_by_item(planner, step, node->in[2].value, &lanes->offset) &&
           plan_write(planner, step, task_result(task));
}
