/*
 * random_quantized.c - see random_quantized.h
 *
 * Documents are of three kinds: of operations on integers of 8 bits, or of 16, too; of numbers
 * between 'dequantize' and 'quantize' whose scales are powers of two, so that floats hold all
 * numbers and passes change nothing; and of such numbers with any scales, of which no result is
 * computed from another, so that it is one step off at most.
 */
#include "support/random_quantized.h"

#include "base/text.h"
#include "exec/random.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum kind { INTEGERS, EXACT_NUMBERS, NUMBERS, KINDS };
enum { BATCH, CHANNEL, SPATIAL, SLIDING = 2, MOST_CODED = 24, MOST_ITEMS = 5000 };

/* Integers named "q<id>" that stand for numbers. */
struct coded {
    int id;
    struct shape shape;
    int64_t low, high, zero;
    float scale;
    bool is_last; /* no other result is to be computed from it */
};

struct maker {
    struct random random;
    struct text *to, body, inputs, outputs;
    enum kind kind;
    bool has_words; /* some integers have 16 bits */
    struct coded coded[MOST_CODED];
    int count, names;
};

/* --- chance ----------------------------------------------------------------------------------- */

static int64_t between(struct maker *m, int64_t least, int64_t most)
{
    return least + (int64_t)(random_bits(&m->random) % (uint64_t)(most - least + 1));
}

static bool chance(struct maker *m, int percent)
{
    return between(m, 0, 99) < percent;
}

/* Near that size. */
static float draw_scale(struct maker *m, float size)
{
    float scale = size * (float)between(m, 300, 3000) * 1e-3F;

    return m->kind == EXACT_NUMBERS ? ldexpf(1, (int)rintf(log2f(scale))) : scale;
}

static void draw_code(struct maker *m, struct coded *coded, float size)
{
    static const int64_t bounds[][2] = {{0, 255}, {-128, 127}, {-127, 127}, {0, 15},
                                        {-8, 7},  {0, 200},    {0, 65535},  {-32768, 32767}};
    const bool bytes = m->kind != INTEGERS || !m->has_words;
    const int64_t *range = bounds[bytes ? between(m, 0, chance(m, 70) ? 1 : 5)
                                        : between(m, 0, 7) | (chance(m, 60) ? 6 : 0)];

    coded->low = range[0];
    coded->high = range[1];
    coded->zero = chance(m, 20)   ? coded->low
                  : chance(m, 10) ? coded->high
                                  : (coded->low + coded->high) / 2 + between(m, -3, 3);
    /* A sum is rounded with the zero, which makes no difference to halves if it is even. */
    if (m->kind == EXACT_NUMBERS && coded->zero % 2 != 0)
        coded->zero += coded->zero < coded->high ? 1 : -1;
    coded->scale = draw_scale(m, size * 255 / (float)(coded->high - coded->low));
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_list(struct text *to, const int64_t *item, int count)
{
    text_add(to, "[");
    for (int i = 0; i < count; i++)
        text_add(to, "%s%" PRId64, i ? "," : "", item[i]);
    text_add(to, "]");
}

/* Of integers; one item stands for all. */
static void variable(struct maker *m, const char *name, const struct shape *shape, int64_t low,
                     int64_t high)
{
    text_add(&m->body, "    %s%d = variable<integer>( shape = ", name, m->names);
    add_list(&m->body, shape->extent, shape->rank);
    text_add(&m->body, ", label = '%s%d' ); #<", name, m->names);
    for (int64_t i = 0, count = shape_volume(shape); i < count; i++)
        text_add(&m->body, " %" PRId64, between(m, low, high));
    text_add(&m->body, "\n");
}

/* Numbers near that size, or multiples of it. */
static void numbers(struct maker *m, const char *name, const struct shape *shape, float size,
                    bool multiples)
{
    text_add(&m->body, "    %s%d = variable<scalar>( shape = ", name, m->names);
    add_list(&m->body, shape->extent, shape->rank);
    text_add(&m->body, ", label = '%s%d' ); #<", name, m->names);
    for (int64_t i = 0, count = shape_volume(shape); i < count; i++)
        text_add(&m->body, " %.8e",
                 (double)(multiples ? size * (float)between(m, -300, 300) : draw_scale(m, size)));
    text_add(&m->body, "\n");
}

static void add_code(struct maker *m, const struct coded *coded)
{
    text_add(&m->body, ", %.8e, %" PRId64, (double)coded->scale, coded->zero);
}

static void add_bounds(struct maker *m, const struct coded *coded)
{
    text_add(&m->body, ", low = %" PRId64 ", high = %" PRId64 " );", coded->low, coded->high);
}

/* The value is shown, to be compared item by item. */
static void show(struct maker *m, char letter, int id, const struct shape *shape)
{
    text_add(&m->outputs, "%s%c%d", m->outputs.size ? ", " : "", letter, id);
    text_add(&m->body, " #> ");
    add_list(&m->body, shape->extent, shape->rank);
    text_add(&m->body, m->kind == NUMBERS ? "\n" : " ~0\n");
}

/* --- values ----------------------------------------------------------------------------------- */

static struct coded *new_coded(struct maker *m, const struct coded *coded)
{
    struct coded *made = &m->coded[m->count++];

    *made = *coded;
    made->id = m->names;
    return made;
}

/* Ends the statement that makes it: it is shown in some cases. */
static void end_coded(struct maker *m, const struct coded *coded)
{
    if (chance(m, 30) || coded->is_last)
        show(m, 'q', coded->id, &coded->shape);
    else
        text_add(&m->body, "\n");
}

static void add_input(struct maker *m, const struct shape *shape)
{
    struct coded coded = {.shape = *shape};

    m->names++;
    draw_code(m, &coded, 0.03F);
    text_add(&m->inputs, "%sx%d", m->inputs.size ? ", " : "", m->names);
    text_add(&m->body, "    x%d = external<scalar>( shape = ", m->names);
    add_list(&m->body, shape->extent, shape->rank);
    text_add(&m->body, " ); #<");
    for (int64_t i = 0, count = shape_volume(shape); i < count; i++)
        text_add(&m->body, " %.4g", 0.01 * (double)between(m, -500, 500));
    text_add(&m->body, "\n    q%d = quantize( x%d", m->names, m->names);
    add_code(m, &coded);
    add_bounds(m, &coded);
    end_coded(m, new_coded(m, &coded));
}

/* A value of that rank, 0: of any; NULL: there is none. */
static const struct coded *pick(struct maker *m, int rank)
{
    int64_t at = between(m, 0, m->count - 1);

    for (int i = 0; i < m->count; i++, at = (at + 1) % m->count)
        if ((rank == 0 || m->coded[at].shape.rank == rank) && !m->coded[at].is_last)
            return &m->coded[at];
    return NULL;
}

/* Numbers "n<id>" of integers, under a new id. */
static void dequantize(struct maker *m, char letter, const struct coded *coded)
{
    text_add(&m->body, "    %c%d = dequantize( q%d", letter, m->names, coded->id);
    add_code(m, coded);
    text_add(&m->body, " );\n");
}

/* Integers of the numbers "<letter><names>", of about that size each, perhaps within bounds. */
static void quantize(struct maker *m, char letter, const struct shape *shape, float size)
{
    static const char *const bounds[][2] = {{"relu", ""},
                                            {"clamp", ", -0.25, 4.0"},
                                            {"min", ", 2.0"},
                                            {"max", ", -1.5"},
                                            {"clamp", ", 0.5, -0.5"}};
    struct coded coded = {.shape = *shape, .is_last = m->kind == NUMBERS};
    int64_t bound = between(m, 0, 9);

    if (bound < 5) {
        text_add(&m->body, "    b%d = %s( %c%d%s );\n", m->names, bounds[bound][0], letter,
                 m->names, bounds[bound][1]);
        letter = 'b';
    }
    draw_code(m, &coded, size);
    text_add(&m->body, "    q%d = quantize( %c%d", m->names, letter, m->names);
    add_code(m, &coded);
    add_bounds(m, &coded);
    end_coded(m, new_coded(m, &coded));
}

/* --- layers ----------------------------------------------------------------------------------- */

/* What a layer multiplies with, named "f<names>": integers, zeros and scales for all or by channel.
 */
struct weights {
    struct shape filter, by_channel, zeros; /* shapes; rank 0: for all */
    int64_t zero, channels, depth;
    float scale;
};

static void add_weights(struct maker *m, struct weights *w)
{
    bool few = chance(m, 20), is_signed = chance(m, 80);

    variable(m, "f", &w->filter, !is_signed ? 0 : few ? -8 : -128, few ? 7 : is_signed ? 127 : 255);
    w->zero = is_signed && chance(m, 70) ? 0 : between(m, -8, 8) + (is_signed ? 0 : 128);
    w->scale = draw_scale(m, 0.01F);
    if (chance(m, 50))
        w->by_channel.rank = 0;
    if (w->zero == 0 || m->kind != INTEGERS || chance(m, 70))
        w->zeros.rank = 0;
    if (w->zeros.rank > 0)
        variable(m, "z", &w->zeros, 0, 9);
}

static void add_zero(struct maker *m, const struct weights *w)
{
    if (w->zeros.rank > 0)
        text_add(&m->body, ", z%d", m->names);
    else
        text_add(&m->body, ", %" PRId64, w->zero);
}

/* Of channels by their variable. */
static void add_factor(struct maker *m, bool channels, float factor)
{
    if (channels)
        text_add(&m->body, "k%d", m->names);
    else
        text_add(&m->body, "%.8e", (double)draw_scale(m, factor));
}

/* The statement of integers: sums "s<names>", and what becomes of them. */
static void end_sums(struct maker *m, const struct coded *x, const struct weights *w,
                     const struct shape *result, const struct shape *by_channel)
{
    const float sums = 30 * sqrtf((float)w->depth) * (float)(x->high - x->low) / 4;
    struct coded coded = {.shape = *result};
    bool channels = by_channel->rank > 0;
    float factor;

    draw_code(m, &coded, 1);
    factor = (float)(coded.high - coded.low) / sums;
    if (channels)
        numbers(m, "k", by_channel, factor, false);
    if (chance(m, 15)) {
        text_add(&m->body, "    n%d = dequantize( s%d, ", m->names, m->names);
        add_factor(m, channels, factor);
        text_add(&m->body, " );");
        show(m, 'n', m->names, result);
        return;
    }
    text_add(&m->body, "    q%d = requantize( s%d, ", m->names, m->names);
    add_factor(m, channels, factor);
    text_add(&m->body, ", %" PRId64, coded.zero);
    add_bounds(m, &coded);
    end_coded(m, new_coded(m, &coded));
}

/* The other statement: numbers "c<names>", to which a bias is added. */
static void end_numbers(struct maker *m, const struct coded *x, const struct weights *w,
                        const struct shape *result, const struct shape *bias)
{
    const float scale = x->scale * w->scale;
    /* A step of the result is several of the sums', in which a bias is rounded. */
    const float size = scale * 15 * sqrtf((float)w->depth);

    if (chance(m, 40)) {
        numbers(m, "h", bias, scale, true);
        text_add(&m->body, "    a%d = add( c%d, h%d );\n", m->names, m->names, m->names);
    } else if (chance(m, 50)) {
        variable(m, "i", bias, -2000, 2000);
        text_add(&m->body, "    h%d = dequantize( i%d, %.8e );\n", m->names, m->names,
                 (double)scale);
        text_add(&m->body, "    a%d = add( c%d, h%d );\n", m->names, m->names, m->names);
    } else {
        text_add(&m->body, "    a%d = copy( c%d );\n", m->names, m->names);
    }
    quantize(m, 'a', result, size);
}

/* Weights "w<names>" as numbers. */
static void dequantize_weights(struct maker *m, struct weights *w, const struct shape *scales)
{
    bool channels = w->by_channel.rank > 0 && m->kind == NUMBERS;

    if (channels)
        numbers(m, "k", scales, w->scale, false);
    text_add(&m->body, "    w%d = dequantize( f%d, ", m->names, m->names);
    if (channels)
        text_add(&m->body, "k%d, %" PRId64 " );\n", m->names, w->zero);
    else
        text_add(&m->body, "%.8e, %" PRId64 " );\n", (double)w->scale, w->zero);
}

struct sliding {
    int count;
    int64_t size[SLIDING], stride[SLIDING], dilation[SLIDING], pad[SLIDING][2];
};

/* The windows over an image, and the extents of the result; false: there are no results. */
static bool draw_sliding(struct maker *m, struct sliding *s, struct shape *result)
{
    s->count = result->rank - SPATIAL;
    for (int i = 0; i < s->count; i++) {
        s->size[i] = between(m, 1, 3);
        s->stride[i] = chance(m, 70) ? 1 : between(m, 2, 3);
        s->dilation[i] = chance(m, 80) ? 1 : 2;
        for (int k = 0; k < 2; k++)
            s->pad[i][k] = chance(m, 10) ? between(m, -1, 4) : between(m, 0, 1);
        int64_t *extent = &result->extent[SPATIAL + i];
        int64_t left = *extent + s->pad[i][0] + s->pad[i][1] - (s->size[i] - 1) * s->dilation[i];
        *extent = left < 1 ? 0 : (left - 1) / s->stride[i] + 1;
        if (*extent < 1)
            return false;
    }
    return true;
}

static void add_sliding(struct maker *m, const struct sliding *s, int64_t groups)
{
    text_add(&m->body, ", padding = [");
    for (int i = 0; i < s->count; i++)
        text_add(&m->body, "%s(%" PRId64 ",%" PRId64 ")", i ? "," : "", s->pad[i][0], s->pad[i][1]);
    text_add(&m->body, "]");
    if (chance(m, 8))
        text_add(&m->body, ", border = 'replicate'");
    text_add(&m->body, ", stride = ");
    add_list(&m->body, s->stride, s->count);
    text_add(&m->body, ", dilation = ");
    add_list(&m->body, s->dilation, s->count);
    text_add(&m->body, ", groups = %" PRId64 " );\n", groups);
}

static void add_conv(struct maker *m)
{
    const struct coded *found = pick(m, SPATIAL + (chance(m, 70) ? SLIDING : 1));
    struct sliding s;

    if (!found)
        return;
    const struct coded x = *found;
    struct shape result = x.shape;
    const int64_t in = x.shape.extent[CHANNEL];
    const int64_t groups = chance(m, 30) ? in : in % 2 == 0 && chance(m, 20) ? 2 : 1;
    const int64_t out =
        groups == in && chance(m, 80) ? in : groups * between(m, 1, 1 + 40 / groups);
    if (!draw_sliding(m, &s, &result) || out > 100)
        return;
    assert(s.count >= 1 && s.count <= 2);
    m->names++;
    result.extent[CHANNEL] = out;
    struct weights w = {.filter = {result.rank, {out, in / groups, s.size[0], s.size[1]}},
                        .by_channel = {2, {1, out}},
                        .zeros = {1, {out}},
                        .channels = out,
                        .depth = in / groups * s.size[0] * (s.count > 1 ? s.size[1] : 1)};
    if (shape_volume(&result) > MOST_ITEMS || shape_volume(&w.filter) > MOST_ITEMS)
        return;
    add_weights(m, &w);
    if (m->kind != INTEGERS) {
        dequantize(m, 'n', &x);
        dequantize_weights(m, &w, &(struct shape){1, {out}});
        text_add(&m->body, "    c%d = conv( n%d, w%d, 0.0", m->names, m->names, m->names);
        add_sliding(m, &s, groups);
        end_numbers(m, &x, &w, &result, &(struct shape){2, {1, out}});
        return;
    }
    bool bias = chance(m, 50);
    if (bias)
        variable(m, "i", &(struct shape){2, {1, out}}, -2000, 2000);
    text_add(&m->body, "    s%d = quantized_conv( q%d, f%d, ", m->names, x.id, m->names);
    text_add(&m->body, bias ? "i%d" : "%d", bias ? m->names : 0);
    text_add(&m->body, ", %" PRId64, x.zero);
    add_zero(m, &w);
    add_sliding(m, &s, groups);
    end_sums(m, &x, &w, &result, &w.by_channel);
}

static void add_product(struct maker *m)
{
    const struct coded *found = pick(m, 2);

    if (!found)
        return;
    const struct coded x = *found;
    const int64_t depth = x.shape.extent[1], out = between(m, 1, 70);
    bool transposed = chance(m, 50);
    const struct shape result = {2, {x.shape.extent[0], out}}, row = {2, {1, out}};
    struct weights w = {.filter = {2, {transposed ? out : depth, transposed ? depth : out}},
                        .by_channel = row,
                        .zeros = row,
                        .channels = out,
                        .depth = depth};
    m->names++;
    add_weights(m, &w);
    if (m->kind != INTEGERS) {
        const struct shape scales = transposed ? (struct shape){1, {out}} : row;
        bool linear = transposed && chance(m, 50);
        dequantize(m, 'n', &x);
        dequantize_weights(m, &w, &scales);
        text_add(&m->body, "    c%d = %s( n%d, w%d", m->names, linear ? "linear" : "matmul",
                 m->names, m->names);
        text_add(&m->body, linear ? " );\n" : transposed ? ", transposeB = true );\n" : " );\n");
        end_numbers(m, &x, &w, &result, &row);
        return;
    }
    text_add(&m->body, "    s%d = quantized_matmul( q%d, f%d, %" PRId64 ", %" PRId64, m->names,
             x.id, m->names, between(m, -2000, 2000), x.zero);
    add_zero(m, &w);
    text_add(&m->body, transposed ? ", transposeB = true );\n" : " );\n");
    end_sums(m, &x, &w, &result, &w.by_channel);
}

/* --- item by item ----------------------------------------------------------------------------- */

/* Integers "v<names>" that are broadcast to x: weights, or a part of x. */
static struct coded add_part(struct maker *m, const struct coded *x)
{
    struct coded part = *x;
    int64_t axes[MAX_RANK], begin[MAX_RANK] = {0}, end[MAX_RANK];
    int count = 0;

    for (int i = 0; i < x->shape.rank; i++)
        if (chance(m, 50)) {
            part.shape.extent[i] = 1;
            axes[count] = i;
            end[count++] = 1;
        }
    if (count == 0 || chance(m, 50)) {
        draw_code(m, &part, x->scale);
        variable(m, "v", &part.shape, part.low, part.high);
        return part;
    }
    text_add(&m->body, "    v%d = slice( q%d, axes = ", m->names, x->id);
    add_list(&m->body, axes, count);
    text_add(&m->body, ", begin = ");
    add_list(&m->body, begin, count);
    text_add(&m->body, ", end = ");
    add_list(&m->body, end, count);
    text_add(&m->body, " );\n");
    return part;
}

/* Their sum or product; `parts`: y is "v<names>". */
static void combine(struct maker *m, const struct coded *x, const struct coded *y, bool parts)
{
    const bool multiplies = chance(m, 40), turned = parts && chance(m, 40);
    const struct coded *in[] = {turned ? y : x, turned ? x : y};
    struct coded coded = {.shape = x->shape};

    draw_code(m, &coded, multiplies ? x->scale * y->scale * 60 : x->scale + y->scale);
    text_add(&m->body, "    q%d = quantized_%s( ", m->names, multiplies ? "mul" : "add");
    for (int i = 0; i < 2; i++)
        if (parts && in[i] == y)
            text_add(&m->body, "v%d, ", m->names);
        else
            text_add(&m->body, "q%d, ", in[i]->id);
    text_add(&m->body, "%.8e, %.8e, %.8e", (double)in[0]->scale, (double)in[1]->scale,
             (double)coded.scale);
    text_add(&m->body, ", %" PRId64 ", %" PRId64 ", %" PRId64, in[0]->zero, in[1]->zero,
             coded.zero);
    add_bounds(m, &coded);
    end_coded(m, new_coded(m, &coded));
}

/* Two of one shape, which may be the same; false: there are none. */
static bool pick_two(struct maker *m, struct coded *x, struct coded *y)
{
    const struct coded *found = pick(m, 0), *other = NULL;

    for (int i = 0; found && i < m->count; i++)
        if (shape_equal(&m->coded[i].shape, &found->shape) && !m->coded[i].is_last &&
            (!other || chance(m, 50)))
            other = &m->coded[i];
    if (!other)
        return false;
    *x = *found;
    *y = *other;
    return true;
}

static void add_pair(struct maker *m)
{
    struct coded x, y;

    if (!pick_two(m, &x, &y))
        return;
    m->names++;
    if (m->kind == INTEGERS) {
        const bool parts = chance(m, 50);
        const struct coded part = parts ? add_part(m, &x) : y;
        combine(m, &x, &part, parts);
        return;
    }
    bool multiplies = chance(m, 40);
    dequantize(m, 'n', &x);
    dequantize(m, 'p', &y);
    text_add(&m->body, "    a%d = %s( n%d, p%d );\n", m->names,
             multiplies      ? "mul"
             : chance(m, 70) ? "add"
                             : "sub",
             m->names, m->names);
    quantize(m, 'a', &x.shape, multiplies ? x.scale * y.scale * 60 : x.scale + y.scale);
}

/* Numbers of one, as integers of another scale: of integers only if both sides of it stay. */
static void add_change(struct maker *m)
{
    const struct coded *found = pick(m, 0);

    if (!found)
        return;
    const struct coded x = *found;
    m->names++;
    dequantize(m, 'n', &x);
    quantize(m, 'n', &x.shape, x.scale);
}

/* --- moves ------------------------------------------------------------------------------------ */

/* Adds the operation on "<letter><id>" to the text, and sets the shape of its result. */
static void move(struct maker *m, char letter, int id, struct shape *shape)
{
    int64_t order[MAX_RANK], axis = between(m, 0, shape->rank - 1), *extent = &shape->extent[axis];
    const struct shape before = *shape;

    switch (between(m, 0, 4)) {
    case 0:
        for (int i = 0; i < shape->rank; i++) {
            order[i] = (i + axis) % shape->rank;
            shape->extent[i] = before.extent[order[i]];
        }
        text_add(&m->body, "transpose( %c%d, axes = ", letter, id);
        add_list(&m->body, order, shape->rank);
        break;
    case 1:
        *shape = (struct shape){2, {before.extent[0], shape_volume(&before) / before.extent[0]}};
        text_add(&m->body, "reshape( %c%d, shape = ", letter, id);
        add_list(&m->body, shape->extent, 2);
        break;
    case 2:
        *extent = between(m, 1, *extent);
        text_add(&m->body, "slice( %c%d, axes = [%" PRId64 "], begin = [0], end = [%" PRId64 "]",
                 letter, id, axis, *extent);
        break;
    case 3:
        *extent *= 2;
        text_add(&m->body, "concat( [%c%d, %c%d], axis = %" PRId64, letter, id, letter, id, axis);
        break;
    case 4:
        text_add(&m->body, "copy( %c%d", letter, id);
    }
    text_add(&m->body, " );");
}

static void add_move(struct maker *m)
{
    int64_t at = between(m, 0, m->count - 1);
    struct coded x = m->coded[at];
    const int from = x.id;

    if (shape_volume(&x.shape) > MOST_ITEMS / 2)
        return;
    m->names++;
    if (chance(m, 50)) {
        text_add(&m->body, "    q%d = ", m->names);
        move(m, 'q', from, &x.shape);
    } else {
        dequantize(m, 'n', &x);
        text_add(&m->body, "    t%d = ", m->names);
        move(m, 'n', m->names, &x.shape);
        text_add(&m->body, "\n    q%d = quantize( t%d", m->names, m->names);
        add_code(m, &x);
        add_bounds(m, &x);
    }
    end_coded(m, new_coded(m, &x));
}

/* Two joined, whose bounds may differ: the integers as they are, or their numbers. */
static void add_join(struct maker *m)
{
    struct coded x, y;

    if (!pick_two(m, &x, &y) || shape_volume(&x.shape) > MOST_ITEMS / 2)
        return;
    const int64_t axis = between(m, 0, x.shape.rank - 1);
    const bool constant = chance(m, 30);
    m->names++;
    x.shape.extent[axis] *= 2;
    if (m->kind != INTEGERS && chance(m, 50)) {
        dequantize(m, 'n', &x);
        dequantize(m, 'p', &y);
        text_add(&m->body, "    a%d = concat( [n%d, p%d], axis = %" PRId64 " );\n", m->names,
                 m->names, m->names, axis);
        quantize(m, 'a', &x.shape, x.scale + y.scale);
        return;
    }
    if (constant)
        variable(m, "v", &y.shape, y.low, y.high);
    text_add(&m->body, "    q%d = concat( [q%d, %c%d], axis = %" PRId64 " );", m->names, x.id,
             constant ? 'v' : 'q', constant ? m->names : y.id, axis);
    x.low = y.low < x.low ? y.low : x.low;
    x.high = y.high > x.high ? y.high : x.high;
    end_coded(m, new_coded(m, &x));
}

/* An image between numbers, mostly as integers of the same code again. */
static void add_upsample(struct maker *m)
{
    static const char *const methods[] = {"symmetric", "asymmetric", "aligned"};
    const struct coded *found = pick(m, 0);
    const bool exact = m->kind == EXACT_NUMBERS;
    int64_t factor[MAX_RANK];

    if (!found || found->shape.rank <= SPATIAL || m->kind == INTEGERS)
        return;
    struct coded x = *found;
    for (int i = SPATIAL; i < x.shape.rank; i++) {
        factor[i - SPATIAL] = chance(m, 80) ? 2 << between(m, 0, 1) : between(m, 1, exact ? 2 : 3);
        x.shape.extent[i] *= factor[i - SPATIAL];
    }
    if (shape_volume(&x.shape) > (int64_t)4 * MOST_ITEMS)
        return;
    m->names++;
    dequantize(m, 'n', &x);
    text_add(&m->body, "    u%d = multilinear_upsample( n%d, factor = ", m->names, m->names);
    add_list(&m->body, factor, x.shape.rank - SPATIAL);
    text_add(&m->body, ", method = '%s', border = '%s' );\n", methods[between(m, 0, exact ? 1 : 2)],
             chance(m, 50) ? "constant" : "replicate");
    if (chance(m, 20)) {
        quantize(m, 'u', &x.shape, x.scale);
        return;
    }
    text_add(&m->body, "    q%d = quantize( u%d", m->names, m->names);
    add_code(m, &x);
    add_bounds(m, &x);
    x.is_last = m->kind == NUMBERS;
    end_coded(m, new_coded(m, &x));
}

/* --- documents -------------------------------------------------------------------------------- */

static const char head[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions;\n"
    "fragment quantize( x: tensor<scalar>, scale: tensor<scalar>, zero: tensor<integer> = 0,\n"
    "    low: integer = 0, high: integer = 255 ) -> ( y: tensor<integer> );\n"
    "fragment requantize( x: tensor<integer>, factor: tensor<scalar>,\n"
    "    zero: tensor<integer> = 0, low: integer = 0, high: integer = 255 )\n"
    "    -> ( y: tensor<integer> );\n"
    "fragment dequantize( x: tensor<integer>, scale: tensor<scalar>,\n"
    "    zero: tensor<integer> = 0 ) -> ( y: tensor<scalar> );\n"
    "fragment quantized_add( x: tensor<integer>, y: tensor<integer>, scale_x: tensor<scalar>,\n"
    "    scale_y: tensor<scalar>, scale: tensor<scalar>, zero_x: tensor<integer> = 0,\n"
    "    zero_y: tensor<integer> = 0, zero: tensor<integer> = 0, low: integer = 0,\n"
    "    high: integer = 255 ) -> ( z: tensor<integer> );\n"
    "fragment quantized_mul( x: tensor<integer>, y: tensor<integer>, scale_x: tensor<scalar>,\n"
    "    scale_y: tensor<scalar>, scale: tensor<scalar>, zero_x: tensor<integer> = 0,\n"
    "    zero_y: tensor<integer> = 0, zero: tensor<integer> = 0, low: integer = 0,\n"
    "    high: integer = 255 ) -> ( z: tensor<integer> );\n"
    "fragment quantized_matmul( A: tensor<integer>, B: tensor<integer>,\n"
    "    bias: tensor<integer> = 0, zero_a: tensor<integer> = 0, zero_b: tensor<integer> = 0,\n"
    "    transposeA: logical = false, transposeB: logical = false )\n"
    "    -> ( C: tensor<integer> );\n"
    "fragment quantized_conv( input: tensor<integer>, filter: tensor<integer>,\n"
    "    bias: tensor<integer> = 0, input_zero: tensor<integer> = 0,\n"
    "    filter_zero: tensor<integer> = 0, border: string = 'constant',\n"
    "    padding: (integer,integer)[] = [], stride: integer[] = [],\n"
    "    dilation: integer[] = [], groups: integer = 1 ) -> ( output: tensor<integer> );\n"
    "#: --keep-only\n";

static void add_inputs(struct maker *m)
{
    const int64_t channels = between(m, 1, 40);
    const struct shape image = {SPATIAL + (chance(m, 70) ? SLIDING : 1),
                                {between(m, 1, 2), channels, between(m, 1, 7), between(m, 1, 7)}};
    const struct shape matrix = {2, {between(m, 1, 20), between(m, 1, 70)}};
    bool both = chance(m, 30);

    if (both || chance(m, 70)) {
        add_input(m, &image);
        add_input(m, &image);
    }
    if (both || m->count == 0)
        add_input(m, &matrix);
}

int64_t random_quantized_text(uint64_t seed, struct text *to)
{
    static void (*const parts[])(struct maker *) = {
        add_conv, add_conv, add_product, add_product,  add_change,  add_pair,
        add_move, add_move, add_join,    add_upsample, add_upsample};
    struct maker m = {.random = random_stream(seed, "quantized"), .to = to};

    m.kind = (enum kind)between(&m, 0, KINDS - 1);
    m.has_words = chance(&m, 50);
    add_inputs(&m);
    for (int64_t i = 0, count = between(&m, 3, 12); i < count && m.count < MOST_CODED; i++)
        parts[between(&m, 0, sizeof parts / sizeof *parts - 1)](&m);
    struct coded *last = &m.coded[m.count - 1];
    text_add(&m.body, "    last = copy( q%d );", last->id);
    text_add(&m.body, " #> ");
    add_list(&m.body, last->shape.extent, last->shape.rank);
    text_add(to, "%sgraph net( %s ) -> ( %s%slast )\n{\n%s\n}\n", head, m.inputs.data,
             m.outputs.size ? m.outputs.data : "", m.outputs.size ? ", " : "", m.body.data);
    text_free(&m.inputs);
    text_free(&m.outputs);
    text_free(&m.body);
    return m.kind == NUMBERS;
}
