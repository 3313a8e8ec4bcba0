/*
 * quantized.c - layers of integers that lie as bytes or words
 *
 * What is not taken here or in byte_items.c is computed by the reference, with integers of 64 bits.
 */
#include "backend/portable/portable.h"

#include "backend/portable/conv.h"
#include "backend/portable/quantized.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/geometry.h"
#include "exec/packed.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "kernel/winograd_place.h"
#include "op/convolve.h"
#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ITEMS, SCALE, ZERO };
enum { SOURCE, FILTER, BIAS, SOURCE_ZERO, FILTER_ZERO };

/* --- constants ------------------------------------------------------------------------------- */

/* One item for all, or one for each of `count` indices of an axis. */
static bool is_along(const struct shape *shape, int axis, int64_t count)
{
    const int64_t volume = shape_volume(shape);

    return volume == 1 || (volume == count && shape_extent(shape, axis) == count);
}

/* A constant with an item for all, or for each of `count` channels; NULL: it is none. */
static const struct tensor *by_channel(const struct planner *planner, const struct value *value,
                                       int axis, int64_t count)
{
    const struct tensor *tensor = plan_constant(planner, value);

    return tensor && (shape_volume(&tensor->shape) == 1 || is_along(value->shape, axis, count))
               ? tensor
               : NULL;
}

static int64_t integer_at(const struct tensor *tensor, int64_t index)
{
    return tensor_integer(tensor, shape_volume(&tensor->shape) > 1 ? index : 0);
}

static float number_at(const struct tensor *tensor, int64_t index)
{
    return ((const float *)tensor->data)[shape_volume(&tensor->shape) > 1 ? index : 0];
}

struct byte_target byte_target_of(int64_t low, int64_t high, int64_t zero)
{
    return (struct byte_target){
        .low = (float)(low - zero), .high = (float)(high - zero), .zero = (int32_t)zero};
}

bool byte_code_of(const struct planner *planner, const struct value *value,
                  const struct value *zero, struct byte_code *code, const struct value **computed)
{
    int64_t number = 0;
    bool is_signed;
    const bool known = plan_integer(planner, zero, &number);

    *computed = known ? NULL : zero;
    const size_t size = plan_narrow_size(planner, value, &code->is_signed);
    code->zero = (int32_t)number;
    code->wide = size > 1;
    if (known)
        return size > 0 && is_narrow(number, code->wide);
    return size == 1 && shape_volume(zero->shape) == 1 && plan_has_bytes(planner, zero, &is_signed);
}

/* --- layers: matching ------------------------------------------------------------------------ */

/* The geometry, the filter and its zeros; false: kernels cannot do it. */
static bool match_image(const struct planner *planner, const struct node *node,
                        struct byte_match *r)
{
    const struct shape *in = node->in[SOURCE].value->shape, *out = node->out[0].shape;
    const struct shape *filter = node->in[FILTER].value->shape;

    if (!is_image(in, out))
        return false;
    const struct window window = plan_window(node);
    if ((window.border != BORDER_CONSTANT && window_is_exceeded(&window)) ||
        !is_near_image(&window, in, out))
        return false;
    r->layer.conv = geometry_of(&window, in, out);
    r->layer.conv.groups = conv_groups(in, filter, out, false);
    r->filter = filter_dense(&r->layer.conv, NULL);
    r->axis = 1;
    r->zeros = by_channel(planner, node->in[FILTER_ZERO].value, 0, out->extent[1]);
    return true;
}

/* The left matrices have one right matrix in common. */
static bool match_matrix(const struct planner *planner, const struct node *node,
                         struct byte_match *r)
{
    const struct shape *left = node->in[SOURCE].value->shape, *out = node->out[0].shape;
    const struct shape *right = node->in[FILTER].value->shape;
    const int last = out->rank - 1;

    if (attr_transpose_a(node) || left->rank != out->rank || shape_volume(left) == 0)
        return false;
    const int64_t depth = left->extent[last], columns = out->extent[last];
    const int64_t rows = shape_volume(left) / depth;
    if (shape_volume(right) != depth * columns || shape_volume(out) != rows * columns)
        return false;
    r->layer.conv = conv_of_matrices(rows, depth, columns);
    r->filter = (struct filter){.out = attr_transpose_b(node) ? depth : 1,
                                .in = attr_transpose_b(node) ? 1 : columns};
    r->axis = last;
    r->zeros = by_channel(planner, node->in[FILTER_ZERO].value, last, columns);
    return true;
}

/* The largest size of items of the source less their zero. */
static int64_t source_size(const struct planner *planner, const struct byte_match *r)
{
    const struct byte_code *src = &r->layer.src;
    bool is_signed = false;

    if (!r->zero_value)
        return num_max(code_high(src) - src->zero, src->zero - code_low(src));
    plan_has_bytes(planner, r->zero_value, &is_signed);
    return is_signed == src->is_signed ? UINT8_MAX : UINT8_MAX - INT8_MIN;
}

/* What weights less their zero are: not 0, if some are beyond 8 or 16 bits; the largest size of
 * sums of a channel, without the bias and with it. */
struct weight_bounds {
    uint64_t beyond_8, beyond_16;
    int64_t products, most;
};

/* Some weights of a filter, less a zero. */
struct weight_run {
    const struct filter *filter;
    int64_t at, step, count, zero;
};

/* Add them; returns the sum of their sizes. */
static inline uint64_t bound_items(const struct weight_run *run, enum filter_form form,
                                   struct weight_bounds *bounds)
{
    uint64_t sum = 0, beyond_8 = 0, beyond_16 = 0;

    for (int64_t i = 0; i < run->count; i++) {
        const int64_t weight = filter_integer(run->filter->items, form, run->at + i * run->step);
        const uint64_t item = (uint64_t)weight - (uint64_t)run->zero;
        beyond_8 |= (item + (1U << 7)) >> 8;
        beyond_16 |= (item + (1U << 15)) >> 16;
        sum += (int64_t)item < 0 ? -item : item;
    }
    bounds->beyond_8 |= beyond_8;
    bounds->beyond_16 |= beyond_16;
    return sum;
}

/* The same in a loop for each form. */
static uint64_t bound_run(const struct weight_run *run, struct weight_bounds *bounds)
{
    switch (run->filter->form) {
    case FILTER_SIGNED:
        return bound_items(run, FILTER_SIGNED, bounds);
    case FILTER_UNSIGNED:
        return bound_items(run, FILTER_UNSIGNED, bounds);
    case FILTER_SIGNED_NIBBLES:
        return bound_items(run, FILTER_SIGNED_NIBBLES, bounds);
    case FILTER_UNSIGNED_NIBBLES:
        return bound_items(run, FILTER_UNSIGNED_NIBBLES, bounds);
    case FILTER_WIDE:
        break;
    }
    return bound_items(run, FILTER_WIDE, bounds);
}

/* What bytes can be at most: they are not read. */
static uint64_t bound_bytes(const struct weight_run *run, struct weight_bounds *bounds)
{
    if (run->zero < INT16_MIN || run->zero > INT16_MAX) {
        bounds->beyond_16 = 1;
        return 0;
    }
    const struct filter_range items = filter_range(run->filter->form);
    const int64_t low = items.low - run->zero, high = items.high - run->zero;

    bounds->beyond_8 |= low < INT8_MIN || high > INT8_MAX;
    bounds->beyond_16 |= low < INT16_MIN || high > INT16_MAX;
    return (uint64_t)run->count * (uint64_t)num_max(-low, high);
}

/* All weights of a channel, one after the other from where the first is. */
static struct weight_run run_of_channel(const struct byte_match *r, int64_t channel)
{
    const struct conv *conv = &r->layer.conv;
    const struct filter *f = &r->filter;
    const int64_t each = conv->out_channels / conv->groups, in = conv->in_channels / conv->groups;

    return (struct weight_run){.filter = f,
                               .at = channel / each * f->group + channel % each * f->out,
                               .step = 1,
                               .count = in * conv->kernel.y * conv->kernel.x,
                               .zero = f->zero[channel * f->zero_step]};
}

/* Read the weights of a channel. */
static uint64_t bound_weights_of(const struct byte_match *r, const struct weight_run *all,
                                 struct weight_bounds *bounds)
{
    const struct conv *conv = &r->layer.conv;
    const struct filter *f = &r->filter;
    const int64_t taps = conv->kernel.y * conv->kernel.x;
    struct weight_run run = *all;
    uint64_t sum = 0;

    if (f->x == 1 && f->y == conv->kernel.x && f->in == taps)
        return bound_run(all, bounds);
    run.step = f->in;
    run.count = all->count / taps;
    for (int64_t tap = 0; tap < taps; tap++) {
        run.at = all->at + tap / conv->kernel.x * f->y + tap % conv->kernel.x * f->x;
        sum += bound_run(&run, bounds);
    }
    return sum;
}

/* Add a channel, whose weights have that sum of sizes.  Sums have no bound if weights are not held
 * in 16 bits. */
static void add_channel(const struct byte_match *r, int64_t channel, uint64_t sum,
                        struct weight_bounds *bounds)
{
    const int64_t bias = integer_at(r->bias, channel);
    const bool none = bounds->beyond_16 || sum > INT32_MAX || bias < INT32_MIN || bias > INT32_MAX;
    const int64_t products = none ? INT64_MAX : (int64_t)sum * r->most;

    bounds->products = num_max(bounds->products, products);
    bounds->most = none ? INT64_MAX : num_max(bounds->most, products + (bias < 0 ? -bias : bias));
}

/* The most that sums may be: those of words are wide enough for any that have a bound. */
static int64_t most_sums(const struct byte_match *r)
{
    return r->layer.src.wide ? INT64_MAX - 1 : INT32_MAX;
}

static struct weight_bounds bound_all(const struct byte_match *r, bool exactly)
{
    struct weight_bounds bounds = {0, 0, 0, 0};

    for (int64_t c = 0; c < r->layer.conv.out_channels && bounds.most <= most_sums(r); c++) {
        const struct weight_run all = run_of_channel(r, c);
        add_channel(r, c, exactly ? bound_weights_of(r, &all, &bounds) : bound_bytes(&all, &bounds),
                    &bounds);
    }
    return bounds;
}

/*
 * Does Winograd's algorithm take less time than quads or pairs?  Times are counted in products of
 * vectors.  Measured are IN and OUT, the transforms of an input or output channel of a tile, and
 * FETCH, the fetching of the filter of an input and an output channel.  Filters take eight times
 * the memory of their weights: MOST of them take 4.5 MiB, and more are not worth it.
 */
static bool winograd_pays(const struct byte_kernels *k, const struct conv *conv)
{
    enum { IN = 5, OUT = 13, FETCH = 14, MOST = 256 * 256 };
    enum { PLANES = WINOGRAD_MOST * WINOGRAD_MOST, TAPS = WINOGRAD_TAPS * WINOGRAD_TAPS };
    enum { VECTOR = 64 };
    const double filters = (double)conv->in_channels * (double)conv->out_channels;

    if (!k->winograd->fits(conv) || filters > MOST)
        return false;
    const struct plane tiles = winograd_tiles(conv, WINOGRAD_LARGE);
    const double count = (double)(conv->batch * tiles.y * tiles.x);
    const double transforms = (double)(IN * conv->in_channels + OUT * conv->out_channels);
    const double direct = (double)(conv->batch * conv->out.y * conv->out.x) * TAPS * filters /
                          (k->prefers_quads ? 2 * VECTOR : VECTOR);

    return count * (PLANES * filters / VECTOR + transforms) + FETCH * filters < direct;
}

/* Weights are read only if their type alone does not show that the kernel may be used. */
static struct weight_bounds bound_weights(const struct planner *planner, const struct byte_match *r)
{
    const struct byte_kernels *k = planner->plan->kernels->bytes;
    const bool wide = r->layer.src.wide;
    const bool depthwise = k->depthwise->fits(&r->layer.conv);
    const bool winograd = !wide && winograd_pays(k, &r->layer.conv);
    const int64_t most = !depthwise ? most_sums(r) : wide ? INT32_MAX : SCALAR_EXACT - 1;

    if (r->filter.form != FILTER_WIDE) {
        const struct weight_bounds bounds = bound_all(r, false);
        const bool few_bits = k->prefers_quads || wide || winograd;
        if (bounds.most <= most && !(few_bits && bounds.beyond_8) &&
            !(winograd && bounds.products >= BYTE_WINOGRAD_SUMS))
            return bounds;
    }
    return bound_all(r, true);
}

/* Is the zero of the source one of its items, as quads and words have it? */
static bool has_own_zero(const struct planner *planner, const struct byte_match *r)
{
    const struct byte_code *src = &r->layer.src;
    bool is_signed;

    if (r->zero_value)
        return plan_has_bytes(planner, r->zero_value, &is_signed) && is_signed == src->is_signed;
    return is_code(src->zero, src);
}

/* The fastest kernel that can do the layer; NULL: there is none. */
static const struct conv_kernel *choose_kernel(const struct planner *planner,
                                               const struct byte_match *r,
                                               const struct weight_bounds *bounds,
                                               byte_layer_run **run)
{
    const struct byte_kernels *k = planner->plan->kernels->bytes;
    const bool small = !bounds->beyond_8 && has_own_zero(planner, r);
    const bool quads = k->prefers_quads && small;

    if (r->layer.src.wide && bounds->most <= INT32_MAX &&
        k->words_depthwise->fits(&r->layer.conv)) {
        *run = k->run_words_depthwise;
        return k->words_depthwise;
    }
    if (r->layer.src.wide) {
        *run = k->run_words;
        return small ? k->words : NULL;
    }
    if (quads && k->rows && k->rows->fits(&r->layer.conv)) {
        *run = k->run_rows;
        return k->rows;
    }
    if (quads && k->columns && k->columns->fits(&r->layer.conv)) {
        *run = k->run_columns;
        return k->columns;
    }
    if (bounds->most < SCALAR_EXACT && k->depthwise->fits(&r->layer.conv)) {
        *run = k->run_depthwise;
        return k->depthwise;
    }
    if (small && bounds->products < BYTE_WINOGRAD_SUMS && winograd_pays(k, &r->layer.conv)) {
        *run = k->run_winograd;
        return k->winograd;
    }
    if (quads) {
        *run = k->run_quads;
        return k->quads;
    }
    *run = k->run_pairs;
    return k->pairs;
}

/* What the second node makes of the sums; false: it is another operation, or kernels cannot do it.
 */
static bool match_result(const struct planner *planner, const struct group *group,
                         struct byte_match *r)
{
    const struct node *node = group->nodes[1];
    bool dequantizes = is_op(node, OP_dequantize), is_signed;
    int64_t zero;

    if ((!dequantizes && !is_op(node, OP_requantize)) || !group_is_inner(group, 1, ITEMS))
        return false;
    const struct value *factor = node->in[SCALE].value;
    const int64_t channels = r->layer.conv.out_channels;
    r->factor = by_channel(planner, factor, r->axis, channels);
    r->factor_value = r->factor ? NULL : factor;
    if (!plan_integer(planner, node->in[ZERO].value, &zero) ||
        (r->factor_value && !is_along(factor->shape, r->axis, channels)))
        return false;
    r->layer.result = RESULT_NUMBERS;
    if (dequantizes)
        return zero == 0;
    const size_t size = plan_narrow_size(planner, &node->out[0], &is_signed);
    r->layer.result = size > 1 ? RESULT_WORDS : RESULT_BYTES;
    r->layer.to = byte_target_of(attr_low(node), attr_high(node), zero);
    return size > 0 && is_narrow(zero, size > 1);
}

/* For the time of planning. */
static const int64_t *integers_of(const struct planner *planner, const struct tensor *tensor)
{
    const int64_t count = shape_volume(&tensor->shape);

    if (!tensor->bytes)
        return tensor->data;
    int64_t *items = arena_array_of(planner->scratch, int64_t, count);
    tensor_fill(items, tensor, count);
    return items;
}

static bool match_layer(const struct planner *planner, const struct group *group,
                        struct byte_match *r)
{
    const struct node *node = group->nodes[0];
    const struct value *filter = node->in[FILTER].value;
    const struct tensor *items = plan_constant(planner, filter);

    *r = (struct byte_match){.layer.result = RESULT_SUMS, .weights = filter};
    if (group->count > 2 || shape_volume(node->out[0].shape) == 0 || !items ||
        !shape_equal(&items->shape, filter->shape) ||
        !byte_code_of(planner, node->in[SOURCE].value, node->in[SOURCE_ZERO].value, &r->layer.src,
                      &r->zero_value))
        return false;
    if (!(is_op(node, OP_quantized_conv) ? match_image(planner, node, r)
                                         : match_matrix(planner, node, r)))
        return false;
    r->bias = by_channel(planner, node->in[BIAS].value, r->axis, r->layer.conv.out_channels);
    if (!r->bias || !r->zeros)
        return false;
    r->most = source_size(planner, r);
    r->filter.items = tensor_place(items);
    r->filter.form = filter_form_of(items);
    r->filter.zero = integers_of(planner, r->zeros);
    r->filter.zero_step = shape_volume(&r->zeros->shape) > 1;
    return group->count == 1 || match_result(planner, group, r);
}

unsigned portable_byte_layer_match(const struct planner *planner, const struct group *group,
                                   void *match)
{
    if (!match_layer(planner, group, match))
        return 0;
    return is_op(group->nodes[0], OP_quantized_conv) ? IN_CHANNELS_LAST : IN_PLAIN;
}

/* --- layers: steps --------------------------------------------------------------------------- */

/* The state of a step. */
struct byte_step {
    struct kernel step; /* named after the algorithm */
    struct byte_layer layer;
    byte_layer_run *run;
    const void *packed;
    const int32_t *bias;
    const float *factor;    /* NULL: it is computed, or not needed */
    int zero_in, factor_in; /* the operands that have what is computed; 0: it is known */
    bool zero_is_signed;
    int64_t factors, groups; /* factors: how many are computed; groups of lists by channel */
    size_t scratch;          /* of the kernel; room for factors is behind it */
};

static int64_t list_items(const struct conv *conv, int64_t groups)
{
    return groups * num_divide_up(conv->out_channels / groups, BYTE_PANEL) * BYTE_PANEL;
}

/* Where lists by channel have the one of a channel: each group has room up to whole panels. */
static int64_t list_at(const struct conv *conv, int64_t groups, int64_t channel)
{
    const int64_t each = conv->out_channels / groups;

    return channel / each * num_divide_up(each, BYTE_PANEL) * BYTE_PANEL + channel % each;
}

/* Factors that were computed, in order. */
static const float *spread_factors(const struct byte_step *s, const float *from, float *to)
{
    const struct conv *conv = &s->layer.conv;

    for (int64_t i = 0; i < list_items(conv, s->groups); i++)
        to[i] = 0;
    for (int64_t c = 0; c < conv->out_channels; c++)
        to[list_at(conv, s->groups, c)] = from[s->factors > 1 ? c : 0];
    return to;
}

static bool run_layer(const struct step *step, const struct step_frame *frame)
{
    const struct byte_step *s = step->state;
    struct byte_layer layer = s->layer;
    struct byte_operands operands = {.src = step_in(step, frame, 0),
                                     .packed = s->packed,
                                     .bias = s->bias,
                                     .factor = s->factor,
                                     .dst = step_out(step, frame, 0),
                                     .scratch = frame->scratch};

    if (s->zero_in) {
        const uint8_t zero = *(const uint8_t *)step_in(step, frame, s->zero_in);
        layer.src.zero = s->zero_is_signed ? (int8_t)zero : zero;
    }
    if (s->factor_in)
        operands.factor = spread_factors(s, step_in(step, frame, s->factor_in),
                                         (float *)(void *)((char *)frame->scratch + s->scratch));
    s->run(&layer, &operands, frame->team);
    return true;
}

/* Bias and known factor of each channel. */
static bool make_lists(struct planner *planner, const struct byte_match *r, struct byte_step *s)
{
    const struct conv *conv = &r->layer.conv;
    const size_t size = (size_t)list_items(conv, s->groups) * sizeof(float);
    int32_t *bias = plan_memory(planner, size);
    float *factor = bias && r->factor ? plan_memory(planner, size) : NULL;

    if (!bias || (r->factor && !factor))
        return false;
    memset(bias, 0, size);
    if (factor)
        memset(factor, 0, size);
    for (int64_t c = 0; c < conv->out_channels; c++) {
        const int64_t at = list_at(conv, s->groups, c);
        bias[at] = (int32_t)integer_at(r->bias, c);
        if (factor)
            factor[at] = number_at(r->factor, c);
    }
    s->bias = bias;
    s->factor = factor;
    return true;
}

bool read_computed(struct planner *planner, struct step *step, const struct value *value, int *at)
{
    *at = value ? step->nin : 0;
    return !value || plan_read(planner, step, value, LAYOUT_PLAIN);
}

/* Read the source, and what a run has to compute first. */
static bool read_operands(struct planner *planner, const struct group *group, struct byte_step *s,
                          struct step *step)
{
    const struct byte_match *r = group->match;

    if (!plan_read(planner, step, group->nodes[0]->in[SOURCE].value, step->layout))
        return false;
    if (r->zero_value)
        plan_has_bytes(planner, r->zero_value, &s->zero_is_signed);
    if (r->factor_value) {
        s->factors = shape_volume(r->factor_value->shape);
        step->scratch += (size_t)list_items(&r->layer.conv, s->groups) * sizeof(float);
    }
    return read_computed(planner, step, r->zero_value, &s->zero_in) &&
           read_computed(planner, step, r->factor_value, &s->factor_in);
}

bool portable_byte_layer_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct byte_match *r = group->match;
    struct byte_step *s = arena_new_of(planner->plan->arena, struct byte_step);
    const struct value *result = group_result(group);
    const struct conv *conv = &r->layer.conv;
    const struct weight_bounds bounds = bound_weights(planner, r);
    const struct byte_kernels *k = planner->plan->kernels->bytes;

    *s = (struct byte_step){.layer = r->layer};
    const struct conv_kernel *kernel = choose_kernel(planner, r, &bounds, &s->run);
    if (bounds.most > most_sums(r) || !kernel)
        return false;
    s->groups = kernel == k->depthwise || kernel == k->columns || kernel == k->rows ||
                        kernel == k->words_depthwise
                    ? 1
                    : conv->groups;
    s->step = (struct kernel){.name = kernel->name, .shortens = kernel->shortens, .run = run_layer};
    step->kernel = &s->step;
    step->state = s;
    s->scratch = (kernels_scratch(kernel, conv, planner->plan->threads) + KERNEL_ALIGNMENT - 1) /
                 KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
    step->scratch = s->scratch;
    s->packed =
        packed_weights(planner, &(struct weight_packing){kernel, conv, r->filter, r->weights});
    if (!s->packed || !make_lists(planner, r, s) || !read_operands(planner, group, s, step))
        return false;
    const struct strided_view view = plan_target(planner, result, step->layout);
    return step->layout == LAYOUT_CHANNELS_LAST &&
                   image_steps(&view, result->shape, &s->layer.conv.dst)
               ? plan_write_view(planner, step, result)
               : plan_write(planner, step, result);
}
