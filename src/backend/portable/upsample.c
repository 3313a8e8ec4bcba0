/*
 * upsample.c - multilinear upsampling of images, channels last
 *
 * A row of results is made from a row between two of the image.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/interpolate.h"

#include <assert.h>
#include <string.h>

enum { FIRST_SLIDING = 2, MOST_SLIDING = 2, PART = 1 << 13 };

/* Of a dimension: the neighbours of each result. */
struct upsample_line {
    int64_t in, out;
    struct neighbours *at;
};

struct upsample {
    mix_items *mix;
    int64_t batch, channels;
    struct upsample_line y, x;
    int64_t room; /* items of a row of the image, and as many as are aligned */
};

struct upsample_job {
    const struct upsample *upsample;
    const float *from;
    float *to;
    float *scratch; /* zeros, and a row for each member */
};

/* --- running -------------------------------------------------------------------------------- */

/* A row or pixel, or zeros. */
static const float *pick(const float *first, int64_t index, int64_t pitch, const float *zeros)
{
    return index == OUTSIDE ? zeros : first + index * pitch;
}

/* The row between two that results with this second coordinate are made from. */
static const float *mix_rows(const struct upsample_job *job, const float *image, int64_t y,
                             float *room)
{
    const struct upsample *u = job->upsample;
    const struct neighbours *at = &u->y.at[y];
    int64_t items = u->x.in * u->channels;
    const float *from[] = {pick(image, at->low, items, job->scratch),
                           pick(image, at->high, items, job->scratch)};

    if (at->share == 0)
        return from[0];
    u->mix(room, from, (float)at->share, items);
    return room;
}

static void make_row(const struct upsample_job *job, int64_t index, int member)
{
    const struct upsample *u = job->upsample;
    const float *image = job->from + index / u->y.out * u->y.in * u->x.in * u->channels;
    float *to = job->to + index * u->x.out * u->channels;
    const float *row =
        mix_rows(job, image, index % u->y.out, job->scratch + (1 + member) * u->room);

    for (int64_t x = 0; x < u->x.out; x++, to += u->channels) {
        const struct neighbours *at = &u->x.at[x];
        const float *from[] = {pick(row, at->low, u->channels, job->scratch),
                               pick(row, at->high, u->channels, job->scratch)};
        u->mix(to, from, (float)at->share, u->channels);
    }
}

static void make_rows(void *data, int64_t begin, int64_t end, int member)
{
    for (int64_t i = begin; i < end; i++)
        make_row(data, i, member);
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

unsigned portable_upsample_match(const struct planner *planner, const struct group *group,
                                 void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    int sliding = out->rank - FIRST_SLIDING;

    (void)planner;
    (void)match;
    return group->count == 1 && in->rank == out->rank && sliding >= 1 && sliding <= MOST_SLIDING &&
                   shape_volume(in) > 0
               ? IN_CHANNELS_LAST
               : 0;
}

bool portable_upsample_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    const struct shape *out = node->out[0].shape;
    const int64_t unit = BUFFER_ALIGNMENT / (int64_t)sizeof(float);
    struct upsample *u = arena_new_of(planner->plan->arena, struct upsample);

    assert(step->layout == LAYOUT_CHANNELS_LAST);
    *u = (struct upsample){.mix = kernels_variant(0)->mix,
                           .batch = out->extent[0],
                           .channels = out->extent[1],
                           .x = line_of(planner, node, out->rank - 1)};
    if (out->rank == FIRST_SLIDING + MOST_SLIDING) {
        u->y = line_of(planner, node, FIRST_SLIDING);
    } else {
        u->y = (struct upsample_line){1, 1, arena_new_of(planner->plan->arena, struct neighbours)};
    }
    u->room = (u->x.in * u->channels + unit - 1) / unit * unit;
    step->kernel = &portable_upsample;
    step->state = u;
    step->scratch = (size_t)((1 + plan_threads(planner)) * u->room) * sizeof(float);
    return plan_read(planner, step, node->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}
