/*
 * byte_items.c - numbers from integers that lie as bytes or words, and back; sums and products of
 *                two tensors of them
 *
 * One of the two may be a constant, or broadcast.
 */
#include "backend/portable/portable.h"

#include "backend/portable/quantized.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

enum { ITEMS, SCALE, ZERO };

enum { PART = 1 << 14, CHUNK = 1 << 10, SHORT = 16 };

/* --- running --------------------------------------------------------------------------------- */

struct byte_job {
    const struct byte_items *items;
    const void *in[2];
    void *out;
};

/* A tensor that is broadcast, spread out by parts. */
struct spreading {
    const struct byte_spread *spread;
    const uint8_t *items;
    int64_t phase; /* where the bytes in the buffer begin within a period; -1: there are none */
    uint8_t buffer[CHUNK + SHORT];
};

/* Stretches of the same byte for results from `at` on, as many as the buffer holds; returns the
 * number of bytes, `count` at most. */
static int64_t spread_stretches(struct spreading *s, int64_t at, int64_t count)
{
    const int64_t period = s->spread->period, stretch = s->spread->stretch;
    int64_t item = at / stretch % period, left = stretch - at % stretch;

    for (int64_t i = 0, length; i < count; i += length) {
        length = num_min(left, count - i);
        if (length <= SHORT) /* the next one overwrites what is too much */
            memset(s->buffer + i, s->items[item], SHORT);
        else
            memset(s->buffer + i, s->items[item], (size_t)length);
        item = item + 1 < period ? item + 1 : 0;
        left = stretch;
    }
    return count;
}

/* The bytes for results from `at` on, of which there are *count, at most. */
static const uint8_t *spread_out(struct spreading *s, int64_t at, int64_t *count)
{
    const int64_t period = s->spread->period, stretch = s->spread->stretch;
    const int64_t phase = at / stretch % period;

    if (stretch > 1) {
        *count = spread_stretches(s, at, num_min(*count, CHUNK));
        return s->buffer;
    }
    if (period > CHUNK / 2) {
        *count = num_min(*count, period - phase);
        return s->items + phase;
    }
    *count = num_min(*count, CHUNK / period * period);
    if (s->phase != phase) /* each later one begins there, too */
        for (int64_t i = 0; i < *count; i++)
            s->buffer[i] = s->items[(phase + i) % period];
    s->phase = phase;
    return s->buffer;
}

/* Sums or products, one of whose operands may be spread out. */
static void do_pairs(const struct byte_job *job, int64_t begin, int64_t end)
{
    const struct byte_items *s = job->items;
    const int spread = s->spread[1].period > 0;
    const bool any = spread || s->spread[0].period > 0;
    struct spreading spreading = {
        .spread = &s->spread[spread], .items = job->in[spread], .phase = -1};

    for (int64_t at = begin, count; at < end; at += count) {
        const uint8_t *in[2];
        uint8_t *out = (uint8_t *)job->out + at * s->size[2];
        count = end - at;
        for (int i = 0; i < 2; i++)
            in[i] = any && i == spread ? spread_out(&spreading, at, &count)
                                       : (const uint8_t *)job->in[i] + at * s->size[i];
        (s->op == OP_quantized_add ? s->kernels->add : s->kernels->multiply)(out, in[0], in[1],
                                                                             &s->pair, count);
    }
}

static void do_items(void *data, int64_t begin, int64_t end, int member)
{
    const struct byte_job *job = data;
    const struct byte_items *s = job->items;
    const int64_t count = end - begin;
    const uint8_t *x = (const uint8_t *)job->in[0] + begin * s->size[0];
    uint8_t *out = (uint8_t *)job->out + begin * s->size[2];

    (void)member;
    if (s->op == OP_dequantize) {
        s->kernels->numbers((void *)out, x, &s->code, s->scale, count);
    } else if (s->op == OP_quantize) {
        s->kernels->bytes(out, (const void *)x, s->scale, &s->to, count);
    } else {
        do_pairs(job, begin, end);
    }
}

/* What is computed is read: the scale, and a zero that is a byte, as the items are then. */
static bool run_items(const struct step *step, const struct step_frame *frame)
{
    struct byte_items s = *(const struct byte_items *)step->state;
    struct byte_job job = {.items = &s, .out = step_out(step, frame, 0)};

    for (int i = 0; i < 2; i++)
        job.in[i] = s.fixed[i] ? s.fixed[i] : step_in(step, frame, s.in[i]);
    if (s.scale_in)
        s.scale = *(const float *)step_in(step, frame, s.scale_in);
    if (s.zero_in) {
        const uint8_t byte = *(const uint8_t *)step_in(step, frame, s.zero_in);
        const int32_t zero = s.zero_is_signed ? (int8_t)byte : byte;
        s.code.zero = zero;
        s.to = byte_target_of(s.low, s.high, zero);
    }
    team_share(frame->team, s.count, PART, do_items, &job);
    return true;
}

static const struct kernel portable_bytes = {.name = "bytes", .run = run_items};

/* --- matching -------------------------------------------------------------------------------- */

bool match_coded(const struct planner *planner, const struct node *node, struct byte_items *s)
{
    const struct value *zero = node->in[ZERO].value;
    const bool quantizes = is_op(node, OP_quantize);
    double scale = 0;

    s->scale_value =
        plan_number(planner, node->in[SCALE].value, &scale) ? NULL : node->in[SCALE].value;
    s->scale = (float)scale;
    s->kernels = planner->plan->kernels->bytes;
    if (quantizes) {
        s->low = attr_low(node);
        s->high = attr_high(node);
    }
    if (shape_volume(node->in[SCALE].value->shape) != 1 ||
        !byte_code_of(planner, quantizes ? &node->out[0] : node->in[ITEMS].value, zero, &s->code,
                      &s->zero_value))
        return false;
    s->to = byte_target_of(s->low, s->high, s->code.zero);
    s->to.wide = s->code.wide;
    return true;
}

/* The axis whose items have the place `at` among those of the memory, from outside (exec/view.h).
 */
static int axis_at(int at, int rank, enum layout layout)
{
    if (layout == LAYOUT_PLAIN || at == 0)
        return at;
    return at == rank - 1 ? 1 : at + 1;
}

/* How a tensor is broadcast to another shape whose memory has that layout: its items have to be
 * neighbours.  False: there is no such way. */
static bool find_spread(const struct shape *part, const struct shape *whole, enum layout layout,
                        struct byte_spread *spread)
{
    bool ended = false;

    *spread = (struct byte_spread){1, 1};
    for (int i = whole->rank - 1; i >= 0; i--) {
        const int axis = axis_at(i, whole->rank, layout);
        const int64_t extent = whole->extent[axis], own = shape_extent(part, axis);
        if (extent == 1)
            continue;
        if (own != extent && own != 1)
            return false;
        if (own == extent && ended)
            return false;
        if (own == extent)
            spread->period *= extent;
        else if (spread->period == 1)
            spread->stretch *= extent;
        else
            ended = true;
    }
    return true;
}

/* The layouts in which sums or products can be made, as a set: both tensors have the shape of the
 * result, or one is broadcast. */
static unsigned pair_layouts(const struct node *node)
{
    const struct shape *whole = node->out[0].shape;
    unsigned layouts = whole->rank > 2 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
    struct byte_spread spread;
    int equal = 0;

    for (int i = 0; i < 2; i++) {
        const struct shape *part = node->in[i].value->shape;
        equal += shape_equal(part, whole);
        if (!shape_equal(part, whole) && !find_spread(part, whole, LAYOUT_PLAIN, &spread))
            layouts &= ~(unsigned)IN_PLAIN;
        if (!shape_equal(part, whole) && !find_spread(part, whole, LAYOUT_CHANNELS_LAST, &spread))
            layouts &= ~(unsigned)IN_CHANNELS_LAST;
    }
    return equal > 0 ? layouts : 0;
}

/* The code of a constant whose items are bytes, and that lies the same in all of the layouts.  Its
 * zero is a byte, too. */
static bool constant_code(const struct planner *planner, const struct value *value,
                          const struct value *zero, struct byte_code *code, unsigned *layouts)
{
    const struct tensor *tensor = plan_constant(planner, value);
    int64_t least = INT8_MAX, most = 0, number;

    if (!tensor || !plan_integer(planner, zero, &number) || !is_byte(number))
        return false;
    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++) {
        least = num_min(least, tensor_integer(tensor, i));
        most = num_max(most, tensor_integer(tensor, i));
    }
    *code = (struct byte_code){.is_signed = least < 0, .zero = (int32_t)number};
    if (!layout_is_moot(value->shape))
        *layouts &= IN_PLAIN;
    return is_code(least, code) && is_code(most, code);
}

/* Can the result saturate, see struct byte_pair? */
static bool steps_are_small(const struct byte_pair *pair, bool is_sum)
{
    const float most = 0x1p15F; /* of an integer of 8 bits, less its zero */
    const float steps = is_sum ? most * (fabsf(pair->a) + fabsf(pair->b)) + fabsf(pair->offset)
                               : most * most * fabsf(pair->factor);

    return byte_target_is_whole(&pair->to) && steps < 0x1p30F;
}

/* Two tensors and the result: *layouts is left in which they can be read and written. */
static bool match_pair(const struct planner *planner, const struct node *node, struct byte_items *s,
                       unsigned *layouts)
{
    enum { SCALES = 2, ZEROS = 5 };
    const struct value *tensor[] = {node->in[0].value, node->in[1].value, &node->out[0]};
    struct byte_code code[3];
    float scale[3];
    int64_t zero[3];

    *layouts = pair_layouts(node);
    for (int i = 0; i < 3; i++) {
        const struct value *computed = NULL, *zero_value = node->in[ZEROS + i].value;
        double number;
        if (!plan_number(planner, node->in[SCALES + i].value, &number) ||
            !(plan_constant(planner, tensor[i])
                  ? constant_code(planner, tensor[i], zero_value, &code[i], layouts)
                  : byte_code_of(planner, tensor[i], zero_value, &code[i], &computed)) ||
            computed || (i < 2 && code[i].wide && !shape_equal(tensor[i]->shape, tensor[2]->shape)))
            return false;
        scale[i] = (float)number;
        zero[i] = code[i].zero;
    }
    for (int i = 0; i < 2; i++) {
        s->pair.is_signed[i] = code[i].is_signed;
        s->pair.wide[i] = code[i].wide;
    }
    const struct quantized_sum sum = quantized_sum_of(scale, zero);
    s->pair.zero[0] = (int32_t)zero[0];
    s->pair.zero[1] = (int32_t)zero[1];
    s->pair.a = sum.a;
    s->pair.b = sum.b;
    s->pair.offset = sum.offset;
    s->pair.factor = quantized_factor(scale[0], scale[1], scale[2]);
    /* The sum has the zero in it. */
    s->pair.to = byte_target_of(attr_low(node), attr_high(node),
                                is_op(node, OP_quantized_add) ? 0 : zero[2]);
    s->pair.to.wide = code[2].wide;
    s->pair.saturates = steps_are_small(&s->pair, is_op(node, OP_quantized_add));
    return true;
}

unsigned portable_bytes_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    struct byte_items *s = match;
    bool pair = is_pair(node);
    unsigned layouts = node->out[0].shape->rank > 2 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;

    *s = (struct byte_items){.kernels = planner->plan->kernels->bytes,
                             .op = (int)node->op->id,
                             .count = shape_volume(node->out[0].shape)};
    if (group->count > 1 || s->count == 0 ||
        !(pair ? match_pair(planner, node, s, &layouts) : match_coded(planner, node, s)))
        return 0;
    return layouts;
}

/* --- making ---------------------------------------------------------------------------------- */

/* The bytes of a constant; NULL after a report. */
static const void *fixed_bytes(struct planner *planner, const struct value *value)
{
    const struct tensor *tensor = plan_constant(planner, value);
    const int64_t count = shape_volume(value->shape);
    const bool single = shape_volume(&tensor->shape) == 1;
    uint8_t *bytes = plan_memory(planner, (size_t)count);

    for (int64_t i = 0; bytes && i < count; i++)
        bytes[i] = (uint8_t)tensor_integer(tensor, single ? 0 : i);
    return bytes;
}

/* Read the operand, or keep what it has as a constant. */
static bool take_operand(struct planner *planner, const struct node *node, int i, struct step *step,
                         struct byte_items *s)
{
    const struct value *value = node->in[i].value;
    const bool pair = is_pair(node);

    if (pair && !shape_equal(value->shape, node->out[0].shape))
        find_spread(value->shape, node->out[0].shape, step->layout, &s->spread[i]);
    s->size[i] = (int)plan_item_size(planner, value);
    if (!pair || !plan_constant(planner, value)) {
        s->in[i] = step->nin;
        return plan_read(planner, step, value, step->layout);
    }
    s->size[i] = 1;
    s->fixed[i] = fixed_bytes(planner, value);
    return s->fixed[i];
}

bool portable_bytes_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct byte_items *s = arena_new_of(planner->plan->arena, struct byte_items);
    bool pair = is_pair(node), is_signed = false;

    *s = *(const struct byte_items *)group->match;
    step->kernel = &portable_bytes;
    step->state = s;
    s->size[2] = (int)plan_item_size(planner, &node->out[0]);
    if (s->zero_value)
        plan_has_bytes(planner, s->zero_value, &is_signed);
    s->zero_is_signed = is_signed;
    return take_operand(planner, node, 0, step, s) &&
           (!pair || take_operand(planner, node, 1, step, s)) &&
           read_computed(planner, step, s->scale_value, &s->scale_in) &&
           read_computed(planner, step, s->zero_value, &s->zero_in) &&
           plan_write(planner, step, group_result(group));
}
