/*
 * bytes.c - layers of 8-bit integers, by text/byte_layer.h, and what is done to bytes between them
 *
 * Which those are and what is done together is what the portable backend finds (byte_layer,
 * byte_table, byte_pool).  Here weights less their zero have to be bytes with a sign, scales
 * and zeros constants, and the zero of the source one of its items; what is not taken is a loop of
 * integers.c or matmul.c.
 */
#include "backend/c/c.h"
#include "backend/c/writer.h"

#include "backend/portable/portable.h"
#include "backend/portable/quantized.h"
#include "base/arena.h"
#include "base/num.h"
#include "exec/planner.h"
#include "kernel/pool.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>

enum { GROUP = 16, QUAD = 4 }; /* as in the text */
enum { BYTES = 256 };

struct bytes_print {
    struct byte_layer layer;
    const int64_t *weights, *bias;
    const float *factor;
    int64_t weight_count;
};

/* A weight of output `channel` of all, less its zero. */
static int64_t weight_of(const struct byte_match *r, int64_t channel, int64_t i, int64_t tap)
{
    const struct conv *c = &r->layer.conv;
    const struct filter *f = &r->filter;
    const int64_t each = c->out_channels / c->groups;
    const int64_t at = channel / each * f->group + channel % each * f->out + i * f->in +
                       tap / c->kernel.x * f->y + tap % c->kernel.x * f->x;

    return filter_integer(f->items, f->form, at) - f->zero[channel * f->zero_step];
}

/* Are weights bytes, and do all sums have 32 bits? */
static bool fits(const struct byte_match *r)
{
    const struct conv *c = &r->layer.conv;
    const int64_t taps = c->kernel.y * c->kernel.x, in = c->in_channels / c->groups;

    for (int64_t o = 0; o < c->out_channels; o++) {
        const int64_t bias = tensor_integer(r->bias, shape_volume(&r->bias->shape) > 1 ? o : 0);
        int64_t sum = 0;
        for (int64_t k = 0; k < in * taps; k++) {
            const int64_t weight = weight_of(r, o, k / taps, k % taps);
            if (weight < INT8_MIN || weight > INT8_MAX)
                return false;
            sum += weight < 0 ? -weight : weight;
        }
        if (bias < -INT32_MAX || bias > INT32_MAX ||
            sum * r->most + (bias < 0 ? -bias : bias) > INT32_MAX)
            return false;
    }
    return true;
}

/* --- packing --------------------------------------------------------------------------------- */

static int64_t quads(int64_t count)
{
    return num_divide_up(count, QUAD) * QUAD;
}

/* Items of a row of a filter: taps side by side are one run where the image has them so. */
struct row {
    int64_t runs, items; /* of a run, without what fills the last quad */
};

static struct row row_of(const struct conv *c)
{
    const int64_t in = c->in_channels / c->groups;
    const bool joined = c->groups == 1 && c->dilation.x == 1;

    return joined ? (struct row){1, c->kernel.x * in} : (struct row){c->kernel.x, in};
}

static int64_t width_of(int64_t left)
{
    return left >= GROUP ? GROUP : left >= 8 ? 8 : left >= 4 ? 4 : left;
}

/* The quads of a panel, whose first output is `first` of all. */
static int64_t *pack_panel(const struct byte_match *r, int64_t first, int64_t width, int64_t *to)
{
    const struct conv *c = &r->layer.conv;
    const struct row row = row_of(c);
    const int64_t in = c->in_channels / c->groups;

    for (int64_t run = 0; run < c->kernel.y * row.runs; run++)
        for (int64_t k = 0; k < row.items; k += QUAD)
            for (int64_t o = 0; o < width; o++)
                for (int64_t i = k; i < k + QUAD; i++, to++) {
                    const int64_t tap = run * (c->kernel.x / row.runs) + i / in;
                    *to = i < row.items ? weight_of(r, first + o, i % in, tap) : 0;
                }
    return to;
}

static void pack_dense(const struct byte_match *r, int64_t *to)
{
    const struct conv *c = &r->layer.conv;
    const int64_t out = c->out_channels / c->groups;

    for (int64_t g = 0; g < c->groups; g++)
        for (int64_t o = 0, width; o < out; o += width) {
            width = width_of(out - o);
            to = pack_panel(r, g * out + o, width, to);
        }
}

static void pack_depthwise(const struct byte_match *r, int64_t *to)
{
    const struct conv *c = &r->layer.conv;

    for (int64_t tap = 0; tap < c->kernel.y * c->kernel.x; tap++)
        for (int64_t g = 0; g < c->groups; g++)
            *to++ = weight_of(r, g, 0, tap);
}

static bool pack(struct planner *planner, const struct byte_match *r, struct bytes_print *p)
{
    const struct conv *c = &r->layer.conv;
    const struct row row = row_of(c);
    const size_t channels = (size_t)c->out_channels;

    p->weight_count = conv_is_depthwise(c)
                          ? c->kernel.y * c->kernel.x * c->groups
                          : c->out_channels * c->kernel.y * row.runs * quads(row.items);
    int64_t *weights = plan_memory(planner, (size_t)p->weight_count * sizeof *weights);
    int64_t *bias = plan_memory(planner, channels * sizeof *bias);
    float *factor = plan_memory(planner, channels * sizeof *factor);
    if (!weights || !bias || !factor)
        return false;
    if (conv_is_depthwise(c))
        pack_depthwise(r, weights);
    else
        pack_dense(r, weights);
    for (int64_t o = 0; o < c->out_channels; o++) {
        bias[o] = tensor_integer(r->bias, shape_volume(&r->bias->shape) > 1 ? o : 0);
        factor[o] = r->factor
                        ? (float)tensor_item(r->factor, shape_volume(&r->factor->shape) > 1 ? o : 0)
                        : 1;
    }
    p->weights = weights;
    p->bias = bias;
    p->factor = factor;
    return true;
}

/* --- printing -------------------------------------------------------------------------------- */

/* A convolution of single pixels has one row of them. */
static struct conv joined_rows(const struct conv *c)
{
    struct conv joined = *c;

    if (conv_is_pointwise(c)) {
        joined.batch = 1;
        joined.in = (struct plane){1, c->batch * c->in.y * c->in.x};
        joined.out = joined.in;
    }
    return joined;
}

static void print_layer(struct c_writer *writer, const struct step *step)
{
    static const char *const results[] = {
        [RESULT_BYTES] = "BYTES", [RESULT_NUMBERS] = "NUMBERS", [RESULT_SUMS] = "SUMS"};
    const struct bytes_print *p = step->state;
    const struct conv conv = joined_rows(&p->layer.conv), *c = &conv;
    const bool depthwise = conv_is_depthwise(c);
    const int64_t groups = depthwise ? 1 : c->groups;
    struct text low = {0}, high = {0};

    c_needs(writer, depthwise ? C_TEXT_byte_depthwise : C_TEXT_byte_layer);
    c_number(&low, (double)p->layer.to.low);
    c_number(&high, (double)p->layer.to.high);
    c_code(writer,
           "static const struct @_bytes layer = {\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
           ", /* batch, groups, channels of a group */\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", /* from, to */\n",
           c->batch, groups, c->in_channels / groups, c->out_channels / groups, c->in.y, c->in.x,
           c->out.y, c->out.x);
    c_code(writer,
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
           ", %" PRId64 ", /* kernel, stride, dilation, before */\n"
           "%d, %d, @@%s, %s, %s, %d, /* sign and zero; result, limits, zero */\n};\n\n",
           c->kernel.y, c->kernel.x, c->stride.y, c->stride.x, c->dilation.y, c->dilation.x,
           c->before.y, c->before.x, p->layer.src.is_signed, (int)p->layer.src.zero,
           results[p->layer.result], low.data, high.data, (int)p->layer.to.zero);
    const char *weights = c_integers(writer, p->weights, p->weight_count, &c_int8);
    const char *bias = c_integers(writer, p->bias, c->out_channels, &c_int32);
    const char *factor = c_floats(writer, p->factor, c->out_channels);
    c_code(writer, "@_bytes_%s(&layer, in0, %s, %s, %s, out0);\n",
           depthwise ? "depthwise" : "layer", weights, bias, factor);
    text_free(&low);
    text_free(&high);
}

static const struct c_kernel layer = C_NARROW("bytes", print_layer);

/* --- making ---------------------------------------------------------------------------------- */

unsigned c_bytes_match(const struct planner *planner, const struct group *group, void *match)
{
    const unsigned layouts = portable_byte_layer_match(planner, group, match);
    const struct byte_match *r = match;

    return layouts && !r->zero_value && is_code(r->layer.src.zero, &r->layer.src) &&
                   !r->factor_value && c_image_fits(&r->layer.conv) && fits(r)
               ? layouts
               : 0;
}

bool c_bytes_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct byte_match *r = group->match;
    struct bytes_print *p = arena_new_of(planner->plan->arena, struct bytes_print);

    p->layer = r->layer;
    step->kernel = &layer.kernel;
    step->state = p;
    return pack(planner, r, p) &&
           plan_read(planner, step, group->nodes[0]->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}

/* --- functions of bytes, and maxima ---------------------------------------------------------- */

static void print_table(struct c_writer *writer, const struct step *step)
{
    const struct byte_group *g = step->state;
    const char *sign = g->is_signed ? "(unsigned char)" : "";
    const struct c_type *type = c_narrows(writer, step);
    const bool is_signed = type && type->is_signed;
    int64_t *bytes = arena_array_of(writer->arena, int64_t, BYTES); /* stays until all is written */

    for (int i = 0; i < BYTES; i++)
        bytes[i] = is_signed ? (int8_t)g->byte[i] : g->byte[i];
    const char *table =
        g->quantizes ? c_integers(writer, bytes, BYTES, type) : c_floats(writer, g->number, BYTES);
    c_code(writer, "for (int i = 0; i < %" PRId64 "; i++)\n    out0[i] = %s[%sin0[i]];\n", g->count,
           table, sign);
}

static const struct c_kernel table = C_NARROW("table", print_table);

unsigned c_byte_table_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct byte_group *g = match;
    const unsigned layouts = portable_byte_table_match(planner, group, match);

    return g->repeats ? 0 : layouts;
}

bool c_byte_table_make(struct planner *planner, const struct group *group, struct step *step)
{
    const bool ok = portable_byte_table_make(planner, group, step);

    step->kernel = &table.kernel;
    return ok;
}

static void print_byte_pool(struct c_writer *writer, const struct step *step)
{
    const struct byte_group *g = step->state;
    const struct image_pool pool = {.conv = g->pool.conv, .kind = POOL_MAX, .zeros = g->pool.zeros};

    c_needs(writer, C_TEXT_byte_pool);
    c_pool(writer, &pool);
    c_code(writer, "@_byte_pool(&pool, %d, %d, in0, out0);\n", g->is_signed, g->pool.zero);
}

static const struct c_kernel byte_pool = C_NARROW("maxima of bytes", print_byte_pool);

unsigned c_byte_pool_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct byte_group *g = match;
    const unsigned layouts = portable_byte_pool_match(planner, group, match);

    return layouts && c_image_fits(&g->pool.conv) ? layouts : 0;
}

/* Numbers would need memory for the bytes, too: then each node is a step. */
bool c_byte_pool_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct byte_group *g = group->match;
    const bool ok = g->quantizes && portable_byte_pool_make(planner, group, step);

    step->kernel = &byte_pool.kernel;
    return ok;
}
