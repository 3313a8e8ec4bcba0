/* random_layers.c - convolutions, pools, products of matrices and what comes before and after them
 */
#include "support/random_graph_priv.h"

#include <math.h>

enum { BATCH, CHANNEL, SPATIAL, MOST_GROWTH = 1 << 20 };

/* --- windows ------------------------------------------------------------------------------ */

/* Of all dimensions, or of the spatial ones of a convolution. */
struct window {
    int count;
    int64_t size[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], pad[MAX_RANK][2];
    int64_t result[MAX_RANK];
    bool automatic; /* padding is left out */
    const char *border;
    const char *text; /* arguments */
};

/* Mirrors reach as far as the input does. */
static bool can_reflect(const struct window *w, const int64_t *extent)
{
    for (int i = 0; i < w->count; i++)
        if (w->pad[i][0] >= extent[i] || w->pad[i][1] >= extent[i])
            return false;
    return !w->automatic;
}

/* Something of each window is within the input. */
static bool can_ignore(const struct window *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->pad[i][0] >= w->size[i] || w->pad[i][1] >= w->size[i] || w->dilation[i] > 1)
            return false;
    return !w->automatic;
}

static void draw_padding(struct random_graph *g, struct window *w, const int64_t *extent,
                         bool backwards)
{
    w->automatic = chance(g, 30);
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < 2 && !w->automatic; k++)
            w->pad[i][k] = chance(g, 60) ? below(g, 3) : 0;
    w->border = "constant";
    if (chance(g, 35))
        w->border = "replicate";
    if (chance(g, 15) && !backwards && can_reflect(w, extent))
        w->border = ONE_OF(g, "reflect", "reflect-even");
}

static int64_t window_extent(const struct window *w, int i)
{
    return (w->size[i] - 1) * w->dilation[i] + 1;
}

static int64_t windows_in(const struct window *w, int i, int64_t extent)
{
    int64_t padded = extent + w->pad[i][0] + w->pad[i][1] - window_extent(w, i);

    if (w->automatic)
        return (extent + w->stride[i] - 1) / w->stride[i];
    return padded < 0 ? 0 : padded / w->stride[i] + 1;
}

static int64_t span_of(const struct window *w, int i, int64_t extent)
{
    if (w->automatic)
        return extent * w->stride[i];
    return (extent - 1) * w->stride[i] + window_extent(w, i) - w->pad[i][0] - w->pad[i][1];
}

static void write_window(struct random_graph *g, struct window *w)
{
    w->text = format(g, "border = '%s', padding = %s, stride = %s, dilation = %s", w->border,
                     w->automatic ? "[]" : pairs_text(g, (const int64_t(*)[2])w->pad, w->count),
                     list_text(g, w->stride, w->count), list_text(g, w->dilation, w->count));
}

/* Sizes are drawn where they are 0.  False: no window fits, or a result would be too large. */
static bool draw_window(struct random_graph *g, struct window *w, const int64_t *extent,
                        bool backwards)
{
    int64_t volume = 1;

    for (int i = 0; i < w->count; i++) {
        bool plain = w->size[i] == 1;
        w->size[i] = w->size[i] ? w->size[i] : 1 + below(g, 3);
        w->stride[i] = !plain && chance(g, 30) ? 2 : 1;
        w->dilation[i] = !plain && chance(g, 15) ? 2 : 1;
    }
    draw_padding(g, w, extent, backwards);
    for (int i = 0; i < w->count; i++) {
        w->result[i] = backwards ? span_of(w, i, extent[i]) : windows_in(w, i, extent[i]);
        if (w->result[i] < 1 || (volume *= w->result[i]) > MOST_VOLUME)
            return false;
    }
    write_window(g, w);
    return true;
}

/* --- convolutions ----------------------------------------------------------------------------- */

static int64_t draw_groups(struct random_graph *g, int64_t channels)
{
    int64_t groups = chance(g, 60) ? 1 : 1 + below(g, (int)channels);

    while (channels % groups)
        groups--;
    return groups;
}

static struct made *draw_bias(struct random_graph *g, int64_t channels)
{
    const struct shape scalar = {.rank = 0}, one = {.rank = 2, .extent = {1, channels}};

    return fixed(g, chance(g, 45) ? &scalar : &one, SMALL_NUMBERS);
}

static struct made *finish_sum(struct made *y, const struct made *x, const struct made *filter,
                               const struct made *bias, double terms)
{
    struct made product = {.bound = 0};

    combine_product(&product, x, filter, terms);
    combine_sum(y, &product, bias);
    return y;
}

static struct made *convolve(struct random_graph *g, struct made *x)
{
    struct window w = {.count = x->shape.rank - SPATIAL};
    int64_t channels = x->shape.extent[CHANNEL], groups = draw_groups(g, channels);
    int64_t outputs = groups * (1 + below(g, 3));
    struct shape filter = {x->shape.rank, {outputs, channels / groups}}, shape = x->shape;

    if (!draw_window(g, &w, x->shape.extent + SPATIAL, false))
        return NULL;
    for (int i = 0; i < w.count; i++) {
        filter.extent[SPATIAL + i] = w.size[i];
        shape.extent[SPATIAL + i] = w.result[i];
    }
    shape.extent[CHANNEL] = outputs;
    struct made *f = fixed(g, &filter, ANY_NUMBERS), *bias = draw_bias(g, outputs);
    bool depthwise = groups == channels && chance(g, 60);
    struct made *y = add(g, x, &shape, "conv( %s, %s, %s, %s, groups = %d )", x->name, f->name,
                         bias->name, w.text, depthwise ? 0 : (int)groups);
    return finish_sum(y, x, f, bias, (double)shape_volume(&filter) / (double)outputs);
}

static struct made *add_conv(struct random_graph *g)
{
    return convolve(g, pick(g, 3, 5));
}

static struct made *add_deconv(struct random_graph *g)
{
    struct made *x = pick(g, 3, 5);
    struct window w = {.count = x->shape.rank - SPATIAL};
    int64_t channels = x->shape.extent[CHANNEL], groups = draw_groups(g, channels);
    int64_t each = 1 + below(g, 2);
    struct shape filter = {x->shape.rank, {channels, each}}, shape = x->shape;

    if (!draw_window(g, &w, x->shape.extent + SPATIAL, true))
        return NULL;
    for (int i = 0; i < w.count; i++) {
        filter.extent[SPATIAL + i] = w.size[i];
        shape.extent[SPATIAL + i] = w.result[i];
    }
    shape.extent[CHANNEL] = each * groups;
    struct made *f = fixed(g, &filter, ANY_NUMBERS), *bias = draw_bias(g, each * groups);
    struct made *y =
        add(g, x, &shape, "deconv( %s, %s, %s, %s, groups = %d )", x->name, f->name, bias->name,
            w.text, groups == channels && each == 1 && chance(g, 60) ? 0 : (int)groups);
    return finish_sum(y, x, f, bias, (double)shape_volume(&filter));
}

/* --- pools -------------------------------------------------------------------------------- */

static void draw_pool_sizes(struct random_graph *g, struct window *w)
{
    bool only_spatial = chance(g, 80);

    for (int i = 0; i < w->count; i++)
        w->size[i] = (only_spatial && i < SPATIAL) || chance(g, 10) ? 1 : 0;
}

static void add_pool(struct random_graph *g)
{
    struct made *x = pick(g, 2, 5);
    struct window w = {.count = x->shape.rank};
    const char *op = ONE_OF(g, "max_pool", "avg_pool", "box", "rms_pool", "max_pool");

    draw_pool_sizes(g, &w);
    if (!draw_window(g, &w, x->shape.extent, false))
        return;
    for (int i = 0; i < w.count; i++)
        if (w.size[i] == 1)
            w.pad[i][0] = w.pad[i][1] = 0, w.result[i] = windows_in(&w, i, x->shape.extent[i]);
    if (chance(g, 25) && can_ignore(&w))
        w.border = "ignore";
    write_window(g, &w);
    const struct shape size = {.rank = w.count}, *all = &size;
    struct shape shape = x->shape;
    for (int i = 0; i < w.count; i++)
        shape.extent[i] = w.result[i];
    struct made *y = add(g, x, &shape, "%s( %s, size = %s, %s )", op, x->name,
                         list_text(g, w.size, all->rank), w.text);
    if (op[0] != 'm')
        set_rounded(y, x->bound * (op[0] == 'b' ? 243 : 1));
}

/* --- pads before them ------------------------------------------------------------------------- */

static struct made *add_pad_to(struct random_graph *g, struct made *x, int from)
{
    int64_t pad[MAX_RANK][2] = {{0}};
    struct shape shape = x->shape;
    const char *value = chance(g, 75) ? "0.0" : ONE_OF(g, "1.0", "-2.5");
    const char *border = chance(g, 80) ? "constant" : "replicate";

    for (int i = chance(g, 90) ? from : 0; i < shape.rank; i++) {
        pad[i][0] = below(g, 3);
        pad[i][1] = below(g, 3);
        shape.extent[i] += pad[i][0] + pad[i][1];
    }
    struct made *y =
        add(g, x, &shape, "pad( %s, padding = %s, border = '%s', value = %s )", x->name,
            pairs_text(g, (const int64_t(*)[2])pad, shape.rank), border, value);
    set_range(y, x->bound + 2.5, fmin(x->grain, 0.5));
    y->stays_inside = false;
    return y;
}

static void add_padded(struct random_graph *g)
{
    struct made *x = pick(g, 3, 4);

    if (shape_volume(&x->shape) > MOST_VOLUME / 4)
        return;
    add_pad_to(g, x, SPATIAL);
    if (chance(g, 50))
        add_conv(g);
    else
        add_pool(g);
}

/* --- products of matrices
 * --------------------------------------------------------------------------- */

static struct made *fixed_matrix(struct random_graph *g, int64_t rows, int64_t columns)
{
    return fixed(g, &(struct shape){2, {rows, columns}}, ANY_NUMBERS);
}

static struct made *add_linear(struct random_graph *g)
{
    struct made *x = pick(g, 2, 2);
    int64_t inputs = x->shape.extent[1], outputs = 1 + below(g, 4);
    struct made *f = fixed_matrix(g, outputs, inputs), *bias = draw_bias(g, outputs);
    struct shape shape = {2, {x->shape.extent[0], outputs}};
    struct made *y = chance(g, 25)
                         ? add(g, x, &shape, "linear( %s, %s )", x->name, f->name)
                         : add(g, x, &shape, "linear( %s, %s, %s )", x->name, f->name, bias->name);

    return finish_sum(y, x, f, bias, (double)inputs);
}

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

/* One side fixed, on either side, either way round; and then perhaps a sum. */
static struct made *add_matmul(struct random_graph *g)
{
    struct made *x = pick(g, 2, 3);
    int rank = x->shape.rank;
    bool first = chance(g, 70), x_flipped = chance(g, 25), f_flipped = chance(g, 40);
    int64_t inner = x->shape.extent[first != x_flipped ? rank - 1 : rank - 2];
    int64_t kept = x->shape.extent[first != x_flipped ? rank - 2 : rank - 1];
    int64_t other = 1 + below(g, 4);
    bool is_tall = first != f_flipped;
    struct shape filter = x->shape, shape = x->shape;

    for (int i = 0; i < rank - 2; i++)
        filter.extent[i] = 1;
    filter.extent[rank - 2] = is_tall ? inner : other;
    filter.extent[rank - 1] = is_tall ? other : inner;
    shape.extent[rank - 2] = first ? kept : other;
    shape.extent[rank - 1] = first ? other : kept;
    struct made *f = fixed(g, &filter, ANY_NUMBERS);
    struct made *y =
        add(g, x, &shape, "matmul( %s, %s, transposeA = %s, transposeB = %s )",
            first ? x->name : f->name, first ? f->name : x->name,
            truth(first ? x_flipped : f_flipped), truth(first ? f_flipped : x_flipped));
    combine_product(y, x, f, (double)inner);
    return y;
}

/* --- batch normalization ---------------------------------------------------------------------- */

/* A number for all channels, or one each; seldom something that broadcasts otherwise. */
static struct made *per_channel(struct random_graph *g, const struct made *x, enum numbers numbers)
{
    struct shape shape = {.rank = 2, .extent = {1, x->shape.extent[CHANNEL]}};

    if (chance(g, 25))
        shape.rank = 0;
    for (; shape.rank == 2 && chance(g, 20) && shape.rank < x->shape.rank; shape.rank++)
        shape.extent[shape.rank] = 1;
    return fixed(g, &shape, numbers);
}

static struct made *normalize(struct random_graph *g, const struct made *x)
{
    const struct made *mean = per_channel(g, x, SMALL_NUMBERS);
    const struct made *variance = per_channel(g, x, POSITIVE_NUMBERS);
    const struct made *offset = per_channel(g, x, SMALL_NUMBERS);
    const struct made *scale = per_channel(g, x, ANY_NUMBERS);
    struct made *y = add(g, x, &x->shape, "batch_normalization( %s, %s, %s, %s, %s, epsilon = %s )",
                         x->name, mean->name, variance->name, offset->name, scale->name,
                         ONE_OF(g, "0.001", "0.0", "0.5", "1e-5"));

    set_rounded(y, offset->bound + scale->bound * (x->bound + mean->bound) * 4);
    return y;
}

static void add_batch_normalization(struct random_graph *g)
{
    normalize(g, pick(g, 2, 5));
}

/* --- layers and what becomes a part of them ------------------------------------------------- */

static struct made *follow(struct random_graph *g, struct made *x)
{
    const char *op = ONE_OF(g, "add", "sub", "mul", "add");
    int kind = below(g, 100);

    if (kind < 30)
        return normalize(g, x);
    if (kind < 75) {
        struct made *c = per_channel(g, x, ANY_NUMBERS);
        return chance(g, 65) ? add_binary(g, op, x, c) : add_binary(g, op, c, x);
    }
    if (kind < 88) {
        struct made *c = per_channel(g, x, POSITIVE_NUMBERS);
        struct made *y = add_binary(g, "div", x, c);
        set_rounded(y, x->bound * 5);
        return y;
    }
    return add_form(g, x, ONE_OF(g, "copy( %s )", "relu( %s )", "neg( %s )", "mul( %s, 1.0 )"));
}

static void add_layer(struct random_graph *g)
{
    int kind = below(g, 100);
    struct made *y = kind < 45   ? add_conv(g)
                     : kind < 65 ? add_deconv(g)
                     : kind < 85 ? add_linear(g)
                                 : add_matmul(g);

    for (int i = below(g, 4); y && i > 0 && y->bound < MOST_GROWTH; i--)
        y = follow(g, y);
    if (y && y->shape.rank > 2 && y->bound < MOST_GROWTH && chance(g, 25))
        convolve(g, normalize(g, y));
}

const struct random_part random_layers[] = {
    {add_layer, 40}, {add_pool, 6}, {add_padded, 6}, {add_batch_normalization, 5}, {0},
};
