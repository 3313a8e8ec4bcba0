/*
 * upsample.c - multilinear upsampling of images, channels last
 *
 * For each row of results, two rows of the image are first mixed into one; then each pixel of the
 * result is a mix of two pixels of that row.  Rows of the image may be bytes, which become numbers
 * first, and so may rows of the result.  Bytes whose scale and zero stay are mixed as integers if
 * their weights allow it, which is exact.
 */
#include "backend/portable/portable.h"

#include "backend/portable/quantized.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/interpolate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PART = 1 << 13,                                     /* items of a part of the work */
    WORDS_BEYOND = KERNEL_ALIGNMENT / sizeof(uint16_t), /* that kernels may read, see mix.h */
};

/* One dimension. */
struct upsample_line {
    int64_t in, out;
    struct neighbours *at; /* by result: the two items that it mixes */
};

/* Bytes that are mixed as integers. */
struct byte_means {
    const struct byte_kernels *kernels;
    struct byte_mix *rows, *pixels; /* of an image of results; from: the row, and the item */
    int row_bits, bits;   /* see struct mixed_byte_row; row_bits: of the mix of two rows */
    uint8_t zero, flip;   /* zero: as it lies in memory */
    bool reaches_outside; /* has results of zeros outside the image */
    int64_t zeros, room;  /* words of a member: where a mixed pixel of zeros is, and all */
};

/* The state of a step. */
struct upsample {
    const struct kernels *kernels;
    int64_t batch, channels;
    struct upsample_line y, x;
    struct pixel_mix *pixels;        /* of a row of results; NULL if there are means */
    int64_t room;                    /* items of rows, rounded up to the alignment */
    const struct byte_items *source; /* NULL: it has numbers */
    const struct byte_items *target; /* likewise */
    const struct byte_means *means;  /* NULL: numbers are mixed */
};

/* A run. */
struct upsample_job {
    const struct upsample *upsample;
    const void *from;
    void *to;
    float *scratch; /* zeros, and the rows of each member */
};

/* What a member has computed. */
struct upsample_rows {
    float *mixed;      /* a row */
    float *numbers[2]; /* rows of the image, if it has bytes, and which these are */
    int64_t have[2];
};

/* --- running -------------------------------------------------------------------------------- */

static size_t zeros_size(const struct upsample *u)
{
    return (size_t)u->room * sizeof(float);
}

/* Of the rows of a member. */
static size_t rows_size(const struct upsample *u)
{
    return u->means ? (size_t)u->means->room * sizeof(uint16_t)
                    : 3 * (size_t)u->room * sizeof(float);
}

static size_t scratch_size(const struct upsample *u, int members)
{
    return zeros_size(u) + MEMBERS_APART + rooms_size(rows_size(u), members);
}

static void *rows_at(const struct upsample_job *job, int member)
{
    const struct upsample *u = job->upsample;

    return (char *)job->scratch + zeros_size(u) + MEMBERS_APART + room_begin(rows_size(u), member);
}

static struct upsample_rows rows_of(const struct upsample_job *job, int member)
{
    const struct upsample *u = job->upsample;
    float *own = rows_at(job, member);

    return (struct upsample_rows){
        .mixed = own, .numbers = {own + u->room, own + 2 * u->room}, .have = {OUTSIDE, OUTSIDE}};
}

/* The numbers of row `index` of all images, and leave those of another row as they are. */
static const float *row_numbers(const struct upsample_job *job, struct upsample_rows *rows,
                                int64_t index, int64_t other)
{
    const struct byte_items *source = job->upsample->source;
    const int64_t items = job->upsample->x.in * job->upsample->channels;

    if (!source)
        return (const float *)job->from + index * items;
    for (int i = 0; i < 2; i++)
        if (rows->have[i] == index)
            return rows->numbers[i];
    const int at = rows->have[0] == other;
    source->kernels->numbers(rows->numbers[at],
                             (const char *)job->from + index * items * source->size[0],
                             &source->code, source->scale, items);
    rows->have[at] = index;
    return rows->numbers[at];
}

/* Row `i` of all results. */
static void make_row(const struct upsample_job *job, struct upsample_rows *rows, int64_t i)
{
    const struct upsample *u = job->upsample;
    const float *zeros = job->scratch;
    const struct byte_items *target = u->target;
    const int64_t items = u->x.out * u->channels;
    const struct neighbours *y = &u->y.at[i % u->y.out];
    const int64_t first = i / u->y.out * u->y.in;
    const int64_t low = y->low == OUTSIDE ? OUTSIDE : first + y->low,
                  high = y->high == OUTSIDE ? OUTSIDE : first + y->high;
    const float *row = low == OUTSIDE ? zeros : row_numbers(job, rows, low, high);

    if (y->share != 0) {
        const float *both[] = {row, high == OUTSIDE ? zeros : row_numbers(job, rows, high, low)};
        u->kernels->mix(rows->mixed, both, (float)y->share, u->x.in * u->channels);
        row = rows->mixed;
    }
    const struct mixed_row mixed = {row, zeros, u->channels, u->pixels, u->x.out};
    if (target)
        target->kernels->mixed_bytes((char *)job->to + i * items * target->size[2], &mixed,
                                     target->scale, &target->to);
    else
        u->kernels->mix_pixels((float *)job->to + i * items, &mixed);
}

/* --- running on bytes ----------------------------------------------------------------------- */

/* What is outside the image: a row of zeros, and a mixed pixel of these for each member. */
static void fill_zeros(const struct upsample_job *job, int members)
{
    const struct upsample *u = job->upsample;
    const struct byte_means *m = u->means;

    memset(job->scratch, m->zero, (size_t)(u->x.in * u->channels));
    for (int k = 0; k < members; k++) {
        uint16_t *pixel = (uint16_t *)rows_at(job, k) + m->zeros;
        for (int64_t i = 0; i < u->channels; i++)
            pixel[i] = (uint16_t)((m->zero ^ m->flip) << m->row_bits);
    }
}

static void make_byte_row(const struct upsample_job *job, uint16_t *row, int64_t i)
{
    const struct upsample *u = job->upsample;
    const struct byte_means *m = u->means;
    const struct byte_mix *y = &m->rows[i % u->y.out];
    const int64_t items = u->x.in * u->channels, first = i / u->y.out * u->y.in;
    const uint8_t *from[2];

    for (int k = 0; k < 2; k++)
        from[k] = y->from[k] == MIX_ZEROS
                      ? (const uint8_t *)job->scratch
                      : (const uint8_t *)job->from + (first + y->from[k]) * items;
    m->kernels->mix(row, from, y->weight, m->flip, items);
    const struct mixed_byte_row mixed = {.row = row,
                                         .channels = u->channels,
                                         .pixels = m->pixels,
                                         .count = u->x.out,
                                         .bits = m->bits,
                                         .zero = m->zero,
                                         .flip = m->flip};
    m->kernels->mean((uint8_t *)job->to + i * u->x.out * u->channels, &mixed);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Rows begin <= i < end of all images of the result. */
static void make_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct upsample_job *job = data;

    if (job->upsample->means) {
        for (; begin < end; begin++)
            make_byte_row(job, rows_at(job, member), begin);
        return;
    }
    struct upsample_rows rows = rows_of(job, member);
    for (; begin < end; begin++)
        make_row(job, &rows, begin);
}

static bool run_upsample(const struct step *step, const struct step_frame *frame)
{
    const struct upsample *u = step->state;
    struct upsample_job job = {u, step_in(step, frame, 0), step_out(step, frame, 0),
                               frame->scratch};

    if (u->means && u->means->reaches_outside)
        fill_zeros(&job, team_size(frame->team));
    else if (!u->means)
        memset(job.scratch, 0, (size_t)u->room * sizeof *job.scratch);
    team_share(frame->team, u->batch * u->y.out, PART / (u->x.out * u->channels), make_rows, &job);
    return true;
}

static const struct kernel portable_upsample = {.name = "upsampling", .run = run_upsample};
static const struct kernel portable_byte_upsample = {.name = "upsampling of bytes",
                                                     .run = run_upsample};

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

static struct pixel_mix *pixels_of(struct planner *planner, const struct upsample *u)
{
    struct pixel_mix *pixels = arena_array_of(planner->plan->arena, struct pixel_mix, u->x.out);

    for (int64_t i = 0; i < u->x.out; i++) {
        const struct neighbours *at = &u->x.at[i];
        pixels[i] = (struct pixel_mix){
            .from = {at->low == OUTSIDE ? MIX_ZEROS : at->low * u->channels,
                     at->high == OUTSIDE ? MIX_ZEROS : at->high * u->channels},
            .share = (float)at->share,
        };
    }
    return pixels;
}

/* --- planning of means of bytes ------------------------------------------------------------- */

/* All shares are multiples of 2^-bits; more than MIX_MOST_BITS: of no such number. */
static int bits_of(const struct upsample_line *line)
{
    int bits = 0;

    for (int64_t i = 0; i < line->out; i++)
        while (bits <= MIX_MOST_BITS &&
               line->at[i].share * (1 << bits) != floor(line->at[i].share * (1 << bits)))
            bits++;
    return bits;
}

/* The weights of all results of a line whose neighbours are `pitch` items apart; `outside` is the
 * offset of those outside. */
static struct byte_mix *weights_of(struct planner *planner, const struct upsample_line *line,
                                   int bits, int64_t pitch, int64_t outside)
{
    struct byte_mix *mixes = arena_array_of(planner->plan->arena, struct byte_mix, line->out);

    for (int64_t i = 0; i < line->out; i++) {
        const struct neighbours *at = &line->at[i];
        const double share = at->share * (1 << bits);
        mixes[i] = (struct byte_mix){{at->low == OUTSIDE ? outside : at->low * pitch,
                                      at->high == OUTSIDE ? outside : at->high * pitch},
                                     {(uint16_t)((1 << bits) - share), (uint16_t)share}};
    }
    return mixes;
}

static bool reaches_outside(const struct upsample_line *line)
{
    for (int64_t i = 0; i < line->out; i++)
        if (line->at[i].low == OUTSIDE || line->at[i].high == OUTSIDE)
            return true;
    return false;
}

/* Bytes become bytes of the same scale and zero, which is one of them, and no number on the way
 * overflows or underflows. */
static bool keeps_code(const struct byte_items *source, const struct byte_items *target)
{
    return !source->code.wide && byte_target_is_whole(&target->to) &&
           source->code.is_signed == ((int32_t)target->to.low + target->to.zero < 0) &&
           source->code.zero == target->to.zero && is_code(source->code.zero, &source->code) &&
           source->scale == target->scale && source->scale > 0x1p-60F && source->scale < 0x1p60F;
}

/* The words that so many items take, and those that may be read beyond. */
static int64_t words_of(int64_t items)
{
    return (num_divide_up(items, WORDS_BEYOND) + 1) * WORDS_BEYOND;
}

/* NULL: numbers have to be mixed. */
static const struct byte_means *means_of(struct planner *planner, const struct upsample *u)
{
    const int row_bits = bits_of(&u->y), bits = row_bits + bits_of(&u->x);
    struct byte_means *m;

    if (!u->source || !u->target || !keeps_code(u->source, u->target) || bits == 0 ||
        bits > MIX_MOST_BITS)
        return NULL;
    const int64_t zeros = words_of(u->x.in * u->channels);
    m = arena_new_of(planner->plan->arena, struct byte_means);
    *m = (struct byte_means){.kernels = u->target->kernels,
                             .rows = weights_of(planner, &u->y, row_bits, 1, MIX_ZEROS),
                             .pixels =
                                 weights_of(planner, &u->x, bits - row_bits, u->channels, zeros),
                             .row_bits = row_bits,
                             .bits = bits,
                             .zero = (uint8_t)u->source->code.zero,
                             .flip = u->source->code.is_signed ? 1 << 7 : 0,
                             .reaches_outside = reaches_outside(&u->y) || reaches_outside(&u->x),
                             .zeros = zeros,
                             .room = zeros + words_of(u->channels)};
    return m;
}

/* --- planning of the whole ------------------------------------------------------------------ */

/* multilinear_upsample of images with one or two dimensions behind batch and channel. */
static bool is_fit(const struct node *node)
{
    const struct shape *in = node->in[0].value->shape;

    return is_op(node, OP_multilinear_upsample) && is_image(in, node->out[0].shape) &&
           shape_volume(in) > 0;
}

unsigned portable_upsample_match(const struct planner *planner, const struct group *group,
                                 void *match)
{
    (void)planner;
    (void)match;
    return group->count == 1 && is_fit(group->nodes[0]) ? IN_CHANNELS_LAST : 0;
}

/* Bytes of one known scale and zero. */
static bool match_known(const struct planner *planner, const struct node *node,
                        struct byte_items *items)
{
    return match_coded(planner, node, items) && !items->scale_value && !items->zero_value;
}

/* Such an image between 'dequantize' and perhaps 'quantize'. */
unsigned portable_byte_upsample_match(const struct planner *planner, const struct group *group,
                                      void *match)
{
    struct byte_upsample *u = match;
    const bool whole = group->count == 3;

    *u = (struct byte_upsample){.quantizes = whole};
    if ((!whole && group->count != 2) || !is_fit(group->nodes[1]) ||
        !match_known(planner, group->nodes[0], &u->source))
        return 0;
    if (whole && (!is_op(group->nodes[2], OP_quantize) || !group_is_inner(group, 2, 0) ||
                  !match_known(planner, group->nodes[2], &u->target)))
        return 0;
    return IN_CHANNELS_LAST;
}

/* The state of the step; `coded`: its source and target. */
static void make_upsample(struct planner *planner, const struct node *node, struct step *step,
                          const struct upsample *coded)
{
    const struct shape *out = node->out[0].shape;
    const int64_t unit = BUFFER_ALIGNMENT / (int64_t)sizeof(float);
    struct upsample *u = arena_new_of(planner->plan->arena, struct upsample);

    assert(step->layout == LAYOUT_CHANNELS_LAST);
    *u = *coded;
    u->kernels = planner->plan->kernels;
    u->batch = out->extent[0];
    u->channels = out->extent[1];
    u->x = line_of(planner, node, out->rank - 1);
    if (out->rank == FIRST_SLIDING + MOST_SLIDING)
        u->y = line_of(planner, node, FIRST_SLIDING);
    else
        u->y = (struct upsample_line){1, 1, arena_new_of(planner->plan->arena, struct neighbours)};
    u->room = num_divide_up(u->x.in * u->channels, unit) * unit;
    u->means = means_of(planner, u);
    if (!u->means)
        u->pixels = pixels_of(planner, u);
    step->state = u;
    step->scratch = scratch_size(u, planner->plan->threads);
}

bool portable_upsample_make(struct planner *planner, const struct group *group, struct step *step)
{
    step->kernel = &portable_upsample;
    make_upsample(planner, group->nodes[0], step, &(struct upsample){0});
    return plan_read(planner, step, group->nodes[0]->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}

bool portable_byte_upsample_make(struct planner *planner, const struct group *group,
                                 struct step *step)
{
    struct byte_upsample *coded = arena_new_of(planner->plan->arena, struct byte_upsample);

    *coded = *(const struct byte_upsample *)group->match;
    coded->source.size[0] = (int)plan_item_size(planner, group->nodes[0]->in[0].value);
    coded->target.size[2] = (int)plan_item_size(planner, group_result(group));
    step->kernel = &portable_byte_upsample;
    make_upsample(planner, group->nodes[1], step,
                  &(struct upsample){.source = &coded->source,
                                     .target = coded->quantizes ? &coded->target : NULL});
    return plan_read(planner, step, group->nodes[0]->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}
