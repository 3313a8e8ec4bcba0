/*
 * upsample.c - multilinear upsampling of images, channels last
 *
 * For each row of results, two rows of the image are first mixed into one; then each pixel of the
 * result is a mix of two pixels of that row.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/interpolate.h"

#include <assert.h>
#include <string.h>

enum { PART = 1 << 13 /* items of a part of the work */ };

/* One dimension. */
struct upsample_line {
    int64_t in, out;
    struct neighbours *at; /* by result: the two items that it mixes */
};

/* The state of a step. */
struct upsample {
    mix_items *mix;
    int64_t batch, channels;
    struct upsample_line y, x;
    int64_t room; /* items of a row of the image, rounded up to the alignment */
};

/* A run. */
struct upsample_job {
    const struct upsample *upsample;
    const float *from;
    float *to;
    float *scratch; /* zeros, and a row for each member */
};

/* --- running -------------------------------------------------------------------------------- */

/* A row or pixel; zeros outside the image. */
static const float *pick(const float *first, int64_t index, int64_t pitch, const float *zeros)
{
    return index == OUTSIDE ? zeros : first + index * pitch;
}

/* Rows begin <= i < end of all images of the result. */
static void make_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct upsample_job *job = data;
    const struct upsample *u = job->upsample;
    const float *zeros = job->scratch;
    float *mixed = job->scratch + (1 + member) * u->room;
    int64_t items = u->x.in * u->channels;

    for (int64_t i = begin; i < end; i++) {
        const struct neighbours *y = &u->y.at[i % u->y.out];
        const float *image = job->from + i / u->y.out * u->y.in * items;
        const float *rows[] = {pick(image, y->low, items, zeros),
                               pick(image, y->high, items, zeros)};
        const float *row = rows[0];
        if (y->share != 0) {
            u->mix(mixed, rows, (float)y->share, items);
            row = mixed;
        }
        float *to = job->to + i * u->x.out * u->channels;
        for (int64_t k = 0; k < u->x.out; k++, to += u->channels) {
            const struct neighbours *x = &u->x.at[k];
            const float *pixels[] = {pick(row, x->low, u->channels, zeros),
                                     pick(row, x->high, u->channels, zeros)};
            u->mix(to, pixels, (float)x->share, u->channels);
        }
    }
}

static bool run_upsample(const struct step *step, const struct step_frame *frame)
{
    const struct upsample *u = step->state;
    struct upsample_job job = {u, step_in(step, frame, 0), step_out(step, frame, 0),
                               frame->scratch};

    memset(job.scratch, 0, (size_t)u->room * sizeof *job.scratch);
    team_share(frame->team, u->batch * u->y.out, PART / (u->x.out * u->channels), make_rows, &job);
    return true;
}

static const struct kernel portable_upsample = {.name = "upsampling", .run = run_upsample};

/* --- planning ------------------------------------------------------------------------------- */

/* Find the neighbours of all results along an axis. */
static struct upsample_line line_of(struct planner *planner, const struct node *node, int axis)
{
    int64_t in = node->in[0].value->shape->extent[axis], out = node->out[0].shape->extent[axis];
    enum resize_method method = attr_resize_method(node);
    enum border border = attr_border(node);
    struct upsample_line line = {in, out,
                                 arena_array_of(planner->plan->arena, struct neighbours, out)};

    for (int64_t i = 0; i < out; i++)
        line.at[i] = neighbours_of(resize_coordinate(method, i, (double)in, out), border, in, 1);
    return line;
}

/* multilinear_upsample of images with one or two dimensions behind batch and channel. */
unsigned portable_upsample_match(const struct planner *planner, const struct group *group,
                                 void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    bool fits = group->count == 1 && is_image(in, out) && shape_volume(in) > 0;

    (void)planner;
    (void)match;
    return fits ? IN_CHANNELS_LAST : 0;
}

bool portable_upsample_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    const struct shape *out = node->out[0].shape;
    const int64_t unit = BUFFER_ALIGNMENT / (int64_t)sizeof(float);
    struct upsample *u = arena_new_of(planner->plan->arena, struct upsample);

    assert(step->layout == LAYOUT_CHANNELS_LAST);
    *u = (struct upsample){.mix = planner->plan->kernels->mix,
                           .batch = out->extent[0],
                           .channels = out->extent[1],
                           .x = line_of(planner, node, out->rank - 1)};
    if (out->rank == FIRST_SLIDING + MOST_SLIDING)
        u->y = line_of(planner, node, FIRST_SLIDING);
    else
        u->y = (struct upsample_line){1, 1, arena_new_of(planner->plan->arena, struct neighbours)};
    u->room = num_divide_up(u->x.in * u->channels, unit) * unit;
    step->kernel = &portable_upsample;
    step->state = u;
    step->scratch = (size_t)((1 + planner->plan->threads) * u->room) * sizeof(float);
    return plan_read(planner, step, node->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}
