/* random_layer.c - see random_layer.h */
#include "support/random_layer.h"

#include "base/text.h"
#include "exec/random.h"
#include "tensor/shape.h"

#include <inttypes.h>
#include <stdbool.h>

enum { BATCH, CHANNEL, SPATIAL, SLIDING = 2, MOST_ITEMS = 24000 };

struct layer {
    struct random random;
    struct text *to;
    struct text marks; /* parameters, between commas */
};

/* --- chance ----------------------------------------------------------------------------------- */

static int below(struct layer *l, int count)
{
    return (int)(random_bits(&l->random) % (uint64_t)count);
}

static int between(struct layer *l, int least, int most)
{
    return least + below(l, most - least + 1);
}

static bool chance(struct layer *l, int percent)
{
    return below(l, 100) < percent;
}

/* --- values ----------------------------------------------------------------------------------- */

static void add_list(struct layer *l, const int64_t *item, int count)
{
    text_add(l->to, "[");
    for (int i = 0; i < count; i++)
        text_add(l->to, "%s%" PRId64, i ? "," : "", item[i]);
    text_add(l->to, "]");
}

static void add_items(struct layer *l, const struct shape *shape)
{
    text_add(l->to, " #<");
    for (int64_t i = 0, count = shape_volume(shape); i < count; i++)
        text_add(l->to, " %g", 0.25 * between(l, -8, 8));
    text_add(l->to, "\n");
}

static void external(struct layer *l, const char *name, const struct shape *shape)
{
    text_add(l->to, "    %s = external<scalar>( shape = ", name);
    add_list(l, shape->extent, shape->rank);
    text_add(l->to, " );");
    add_items(l, shape);
    text_add(&l->marks, "%s%s", l->marks.size ? ", " : "", name);
}

static void variable(struct layer *l, const char *name, const struct shape *shape)
{
    text_add(l->to, "    %s = variable<scalar>( shape = ", name);
    add_list(l, shape->extent, shape->rank);
    text_add(l->to, ", label = '%s' );", name);
    add_items(l, shape);
}

/* --- what follows ----------------------------------------------------------------------------- */

static const char *residual(struct layer *l, const struct shape *input, const struct shape *result)
{
    if (chance(l, 50) || !shape_equal(input, result)) {
        external(l, "r", result);
        return "r";
    }
    return "h";
}

/* y of c: something is added and a function applied, or neither. */
static void finish(struct layer *l, const struct shape *input, const struct shape *result)
{
    static const char *const functions[] = {"relu( a )",
                                            "leaky_relu( a, alpha = 0.1 )",
                                            "clamp( a, -4.0, 6.0 )",
                                            "sigmoid( a )",
                                            "tanh( a )",
                                            "elu( a )",
                                            "neg( a )",
                                            "a * sigmoid( a )",
                                            "a * a * 0.01",
                                            "abs( a )",
                                            "max( a, h )",
                                            "copy( a )"};
    bool same = shape_equal(input, result);
    int function;

    if (chance(l, 50)) {
        const char *other = residual(l, input, result);
        bool first = chance(l, 50);
        text_add(l->to, "    a = add( %s, %s );\n", first ? "c" : other, first ? other : "c");
    } else {
        text_add(l->to, "    a = copy( c );\n");
    }
    do {
        function = below(l, (int)(sizeof functions / sizeof *functions));
    } while (!same && function == 10);
    text_add(l->to, "    y = %s; #> ", functions[function]);
    add_list(l, result->extent, result->rank);
    text_add(l->to, "\n");
}

/* x, of which h is computed, so that its memory may be used again. */
static void begin(struct layer *l, const struct shape *shape)
{
    external(l, "x", shape);
    text_add(l->to, "    h = %s( x );\n", chance(l, 50) ? "neg" : "copy");
}

/* --- windows ---------------------------------------------------------------------------------- */

struct sliding {
    int count;
    int64_t size[SLIDING], stride[SLIDING], dilation[SLIDING], pad[SLIDING][2];
    bool automatic;
};

static struct sliding draw_sliding(struct layer *l, int count, bool plain)
{
    struct sliding s = {.count = count, .automatic = chance(l, 30)};

    for (int i = 0; i < count; i++) {
        s.size[i] = plain ? 3 : between(l, 1, 4);
        s.stride[i] = plain || chance(l, 50) ? 1 : between(l, 2, 3);
        s.dilation[i] = plain || chance(l, 70) ? 1 : between(l, 2, 3);
        for (int k = 0; k < 2 && !s.automatic; k++)
            s.pad[i][k] = chance(l, 60) ? between(l, 0, 3) : 1;
    }
    return s;
}

static int64_t reach(const struct sliding *s, int i)
{
    return (s->size[i] - 1) * s->dilation[i] + 1;
}

static int64_t slid(const struct sliding *s, int i, int64_t extent, bool backwards)
{
    int64_t pads = s->pad[i][0] + s->pad[i][1], left = extent + pads - reach(s, i);

    if (backwards)
        return s->automatic ? extent * s->stride[i]
                            : (extent - 1) * s->stride[i] + reach(s, i) - pads;
    if (s->automatic)
        return (extent + s->stride[i] - 1) / s->stride[i];
    return left < 0 ? 0 : left / s->stride[i] + 1;
}

/* With `leading` dimensions that do not slide before. */
static void add_window(struct layer *l, const struct sliding *s, int leading)
{
    int64_t stride[SPATIAL + SLIDING] = {1, 1}, dilation[SPATIAL + SLIDING] = {1, 1};

    text_add(l->to, ", padding = [");
    for (int i = 0; i < leading && !s->automatic; i++)
        text_add(l->to, "(0,0),");
    for (int i = 0; i < s->count && !s->automatic; i++)
        text_add(l->to, "%s(%" PRId64 ",%" PRId64 ")", i ? "," : "", s->pad[i][0], s->pad[i][1]);
    for (int i = 0; i < s->count; i++) {
        stride[leading + i] = s->stride[i];
        dilation[leading + i] = s->dilation[i];
    }
    text_add(l->to, "], stride = ");
    add_list(l, stride, leading + s->count);
    text_add(l->to, ", dilation = ");
    add_list(l, dilation, leading + s->count);
}

static bool is_drawable(const struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] < 1)
            return false;
    return shape_volume(shape) <= MOST_ITEMS;
}

static struct shape draw_images(struct layer *l, int64_t channels, int sliding)
{
    struct shape shape = {.rank = SPATIAL + sliding};
    int most = chance(l, 50) ? 26 : 9;

    shape.extent[BATCH] = chance(l, 70) ? 1 : between(l, 2, 3);
    shape.extent[CHANNEL] = channels;
    for (int i = 0; i < sliding; i++)
        shape.extent[SPATIAL + i] = between(l, 1, most);
    return shape;
}

/* --- layers ----------------------------------------------------------------------------------- */

static const char *bias(struct layer *l, int64_t channels)
{
    const struct shape shape = {.rank = 2, .extent = {1, channels}};

    if (chance(l, 40))
        return chance(l, 50) ? "0.0" : "0.5";
    variable(l, "b", &shape);
    return "b";
}

/* Of a transposed convolution if `backwards`. */
static bool add_conv(struct layer *l, bool backwards)
{
    bool plain = !backwards && chance(l, 40), deep = plain && chance(l, 80);
    int sliding = plain || chance(l, 80) ? SLIDING : 1, kind = plain ? 0 : below(l, 4);
    int64_t groups = kind == 2 ? between(l, 2, 4) : 1;
    int64_t in = groups * between(l, deep ? 16 : 1, deep ? 35 : 20), per = between(l, 1, 37);
    struct shape input = draw_images(l, in, sliding), filter = {.rank = SPATIAL + sliding}, result;
    struct sliding s = draw_sliding(l, sliding, plain);

    groups = kind == 3 ? in : groups;
    int64_t out = kind == 3 ? (backwards || chance(l, 60) ? in : 2 * in) : groups * per;
    filter.extent[0] = backwards ? in : out;
    filter.extent[1] = (backwards ? out : in) / groups;
    result = input;
    result.extent[CHANNEL] = out;
    for (int i = 0; i < sliding; i++) {
        filter.extent[SPATIAL + i] = s.size[i];
        result.extent[SPATIAL + i] = slid(&s, i, input.extent[SPATIAL + i], backwards);
    }
    if (!is_drawable(&input) || !is_drawable(&filter) || !is_drawable(&result))
        return false;
    begin(l, &input);
    variable(l, "f", &filter);
    const char *b = bias(l, out);
    text_add(l->to, "    c = %s( h, f, %s, groups = %" PRId64, backwards ? "deconv" : "conv", b,
             kind == 3 && chance(l, 50) ? 0 : groups);
    add_window(l, &s, 0);
    text_add(l->to, ", border = '%s' );\n", backwards || chance(l, 80) ? "constant" : "replicate");
    finish(l, &input, &result);
    return true;
}

/* One of several, by the name of its filter: a layer of pixels, or of channels each by itself. */
static bool add_link(struct layer *l, int at, bool depthwise, struct shape *shape)
{
    static const char *const functions[] = {"relu", "copy", "sigmoid", "abs"};
    int64_t in = shape->extent[CHANNEL], out = depthwise ? in : between(l, 1, 40);
    struct shape filter = {.rank = SPATIAL + SLIDING, .extent = {out, depthwise ? 1 : in, 1, 1}};
    struct sliding s = {.count = SLIDING, .size = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
    char name[] = {'f', (char)('0' + at), 0};

    if (depthwise)
        s = draw_sliding(l, SLIDING, false);
    shape->extent[CHANNEL] = out;
    for (int i = 0; i < SLIDING; i++) {
        filter.extent[SPATIAL + i] = s.size[i];
        shape->extent[SPATIAL + i] = slid(&s, i, shape->extent[SPATIAL + i], false);
    }
    if (!is_drawable(shape))
        return false;
    variable(l, name, &filter);
    text_add(l->to, "    c%d = conv( a%d, %s, 0.25, groups = %d", at + 1, at, name, !depthwise);
    add_window(l, &s, 0);
    text_add(l->to, " );\n    a%d = %s( c%d );\n", at + 1, functions[below(l, 4)], at + 1);
    return true;
}

/* What backends may do band by band. */
static bool add_cascade(struct layer *l)
{
    struct shape input = draw_images(l, between(l, 2, 20), SLIDING), result = input;
    int links = between(l, 2, 5);
    bool depthwise = chance(l, 30), ok = is_drawable(&input);

    if (!ok)
        return false;
    begin(l, &input);
    text_add(l->to, "    a0 = copy( h );\n");
    for (int i = 0; i < links && ok; i++, depthwise = !depthwise)
        ok = add_link(l, i, depthwise, &result);
    if (!ok)
        return false;
    text_add(l->to, "    c = copy( a%d );\n", links);
    finish(l, &input, &result);
    return true;
}

static bool add_pool(struct layer *l)
{
    static const char *const kinds[] = {"max_pool", "avg_pool", "box"};
    int sliding = chance(l, 80) ? SLIDING : 1;
    struct shape input = draw_images(l, between(l, 1, 40), sliding), result = input;
    struct sliding s = draw_sliding(l, sliding, false);
    int64_t size[SPATIAL + SLIDING] = {1, 1};
    bool ignored = chance(l, 40);

    for (int i = 0; i < sliding; i++) {
        if (ignored) {
            s.dilation[i] = 1;
            s.automatic = false;
        }
        for (int k = 0; k < 2 && ignored; k++)
            s.pad[i][k] = below(l, (int)s.size[i]);
        size[SPATIAL + i] = s.size[i];
        result.extent[SPATIAL + i] = slid(&s, i, input.extent[SPATIAL + i], false);
    }
    if (!is_drawable(&input) || !is_drawable(&result))
        return false;
    begin(l, &input);
    text_add(l->to, "    c = %s( h, size = ", kinds[below(l, 3)]);
    add_list(l, size, SPATIAL + sliding);
    add_window(l, &s, SPATIAL);
    text_add(l->to, ", border = '%s' );\n",
             ignored         ? "ignore"
             : chance(l, 70) ? "constant"
                             : "replicate");
    finish(l, &input, &result);
    return true;
}

static bool add_matmul(struct layer *l)
{
    int64_t rows = between(l, 1, 40), depth = between(l, 1, 50), columns = between(l, 1, 60);
    bool fixed = chance(l, 60), turned = chance(l, 40), first = chance(l, 20);
    int leading = below(l, 3);
    struct shape left = {.rank = leading + 2}, right = {.rank = fixed ? 2 : leading + 2}, result;

    for (int i = 0; i < leading; i++)
        left.extent[i] = result.extent[i] = between(l, 1, 3);
    left.extent[leading] = first ? depth : rows;
    left.extent[leading + 1] = first ? rows : depth;
    for (int i = 0; i < right.rank - 2; i++)
        right.extent[i] = chance(l, 70) ? left.extent[i] : 1;
    if (right.rank < left.rank) {
        for (int i = 0; i < leading; i++)
            right.extent[i] = 1;
        right.rank = left.rank;
    }
    right.extent[leading] = turned ? columns : depth;
    right.extent[leading + 1] = turned ? depth : columns;
    result = left;
    result.extent[leading] = rows;
    result.extent[leading + 1] = columns;
    if (!is_drawable(&left) || !is_drawable(&right) || !is_drawable(&result))
        return false;
    begin(l, &left);
    if (fixed)
        variable(l, "f", &right);
    else
        external(l, "f", &right);
    text_add(l->to, "    c = matmul( h, f, transposeA = %s, transposeB = %s );\n",
             first ? "true" : "false", turned ? "true" : "false");
    finish(l, &left, &result);
    return true;
}

static bool add_linear(struct layer *l)
{
    int64_t rows = between(l, 1, 40), depth = between(l, 1, 90), columns = between(l, 1, 90);
    struct shape left = {.rank = 2, .extent = {rows, depth}};
    struct shape right = {.rank = 2, .extent = {columns, depth}};
    struct shape result = {.rank = 2, .extent = {rows, columns}};

    begin(l, &left);
    variable(l, "f", &right);
    text_add(l->to, "    c = linear( h, f, %s );\n", bias(l, columns));
    finish(l, &left, &result);
    return true;
}

/* Weights are integers, of 4 or 8 bits, in blocks along the depth. */
static bool add_blocks(struct layer *l)
{
    int64_t rows = between(l, 1, 20), columns = between(l, 1, 60), count = between(l, 1, 3);
    int64_t size = INT64_C(8) * between(l, 1, 4), most = chance(l, 50) ? 15 : 255;
    struct shape left = {.rank = 2, .extent = {rows, count * size}};
    struct shape codes = {.rank = 3, .extent = {columns, count, size}}, scale = codes;
    struct shape result = {.rank = 2, .extent = {rows, columns}};

    scale.extent[2] = 1;
    begin(l, &left);
    text_add(l->to, "    q = variable<integer>( shape = ");
    add_list(l, codes.extent, codes.rank);
    text_add(l->to, ", label = 'q' ); #<");
    for (int64_t i = 0; i < shape_volume(&codes); i++)
        text_add(l->to, " %d", between(l, 0, (int)most));
    text_add(l->to, "\n");
    variable(l, "s", &scale);
    text_add(l->to, "    n = dequantize( q, s, %d );\n    w = reshape( n, shape = ",
             between(l, 0, (int)most));
    add_list(l, (int64_t[]){columns, count * size}, 2);
    text_add(l->to, " );\n");
    text_add(l->to, "    c = linear( h, w, %s );\n", bias(l, columns));
    finish(l, &left, &result);
    return true;
}

/* Lanes of any length, within and across what lies together. */
static bool add_lanes(struct layer *l)
{
    static const char *const kinds[] = {"softmax", "max_reduce", "mean_reduce", "sum_reduce",
                                        "min_reduce"};
    struct shape input = {.rank = between(l, 1, 6)}, result;
    int kind = below(l, 5), axis = below(l, input.rank);

    for (int i = 0; i < input.rank; i++)
        input.extent[i] = between(l, 1, input.rank < 3 ? 120 : input.rank < 5 ? 14 : 5);
    result = input;
    if (kind > 0)
        result.extent[axis] = 1;
    if (!is_drawable(&input))
        return false;
    begin(l, &input);
    text_add(l->to, "    c = %s( h, axes = [%d] );\n", kinds[kind], axis);
    finish(l, &input, &result);
    return true;
}

/* --- joins ------------------------------------------------------------------------------------ */

enum { MOST_PARTS = 5 };

struct parts {
    int count, axis;
    int64_t extent[MOST_PARTS]; /* along the axis */
};

static void add_pointwise(struct layer *l, const struct shape *input, struct parts *p)
{
    int64_t in = input->extent[CHANNEL];
    struct shape filter = {.rank = 4, .extent = {in, in, 1, 1}};
    char name[] = {'f', (char)('0' + p->count), '\0'};

    if (p->axis == CHANNEL)
        p->extent[p->count] = filter.extent[0] = between(l, 1, 20);
    variable(l, name, &filter);
    text_add(l->to, "    p%d = relu( conv( h, %s, 0.25 ) );\n", p->count, name);
}

/* One more part, which may be of what is joined already, or be so once more. */
static void add_part(struct layer *l, const struct shape *input, struct parts *p)
{
    static const char *const kinds[] = {
        "neg( h )",
        "copy( h )",
        "copy( x )",
        "max_pool( h, size = [1,1,3,3], padding = [(0,0),(0,0),(1,1),"
        "(1,1)], border = 'ignore' )",
        "transpose( transpose( h, axes = [0,2,3,1] ), "
        "axes = [0,3,1,2] )",
        "pad( h, padding = [(0,0),(0,0),(0,0),(0,0)] )"};
    int kind = below(l, 14), before = p->count - 1;

    p->extent[p->count] = input->extent[p->axis];
    if (kind < 6) {
        add_pointwise(l, input, p);
    } else if (kind < 12) {
        text_add(l->to, "    p%d = %s;\n", p->count, kinds[kind - 6]);
    } else if (before < 1) {
        text_add(l->to, "    p%d = abs( h );\n", p->count);
    } else if (kind == 12) {
        p->extent[p->count] = p->extent[before];
        text_add(l->to, "    p%d = neg( p%d );\n", p->count, before);
    } else {
        p->extent[p->count] = p->extent[before] + p->extent[before - 1];
        text_add(l->to, "    p%d = concat( [p%d, p%d], axis = %d );\n", p->count, before - 1,
                 before, p->axis);
    }
    p->count++;
}

static bool add_join(struct layer *l)
{
    struct shape input = draw_images(l, between(l, 1, 20), SLIDING), result = input;
    struct parts p = {.axis = chance(l, 60) ? CHANNEL : below(l, 4)};
    int parts = between(l, 2, MOST_PARTS), joined = 0;

    begin(l, &input);
    while (p.count < parts)
        add_part(l, &input, &p);
    result.extent[p.axis] = 0;
    text_add(l->to, "    c = concat( [");
    for (int i = 0; i < parts; i++) {
        if (joined > 0 && chance(l, 15))
            continue;
        int twice = 1 + chance(l, 8);
        for (int k = 0; k < twice; k++)
            text_add(l->to, "%sp%d", joined++ ? ", " : "", i);
        result.extent[p.axis] += twice * p.extent[i];
    }
    text_add(l->to, "], axis = %d );\n", p.axis);
    finish(l, &input, &result);
    return true;
}

/* --- heads of attention ----------------------------------------------------------------------- */

struct heads {
    int64_t batch, items, count, width;
};

static void add_split_heads(struct layer *l, const struct heads *h, const char *name, bool turned)
{
    struct shape weights = {.rank = 3, .extent = {1, h->count * h->width, h->count * h->width}};
    char filter[] = {'f', name[0], '\0'};

    variable(l, filter, &weights);
    text_add(l->to, "    %sm = matmul( h, %s );\n    %sr = reshape( %sm, shape = ", name, filter,
             name, name);
    add_list(l, (int64_t[]){h->batch, h->items, h->count, h->width}, 4);
    text_add(l->to, " );\n    %s = transpose( %sr, axes = %s );\n", name, name,
             turned ? "[0,2,3,1]" : "[0,2,1,3]");
}

/* Queries, keys and values that one product makes. */
static void add_cut_heads(struct layer *l, const struct heads *h)
{
    int64_t all = h->count * h->width;
    struct shape weights = {.rank = 3, .extent = {1, all, 3 * all}};

    variable(l, "f", &weights);
    text_add(l->to, "    m = matmul( h, f );\n    n = reshape( m, shape = ");
    add_list(l, (int64_t[]){h->batch, h->items, 3, h->count, h->width}, 5);
    text_add(l->to, " );\n    t = transpose( n, axes = [2,0,3,1,4] );\n");
    for (int i = 0; i < 3; i++)
        text_add(l->to,
                 "    s%d = slice( t, axes = [0], begin = [%d], end = [%d] );\n"
                 "    %c = squeeze( s%d, axes = [0] );\n",
                 i, i, i + 1, "qkv"[i], i);
}

static bool add_heads(struct layer *l)
{
    static const char *const names[] = {"q", "k", "v"};
    struct heads h = {between(l, 1, 2), between(l, 1, 36), between(l, 1, 4), between(l, 1, 20)};
    struct shape input = {.rank = 3, .extent = {h.batch, h.items, h.count * h.width}};
    struct shape mask = {.rank = 4, .extent = {1, 1, chance(l, 50) ? 1 : h.items, h.items}};
    bool cut = chance(l, 40), turned = !cut && chance(l, 60), masked = chance(l, 50);

    begin(l, &input);
    if (cut)
        add_cut_heads(l, &h);
    for (int i = 0; !cut && i < 3; i++)
        add_split_heads(l, &h, names[i], i == 1 && turned);
    text_add(l->to, "    w = matmul( q, k, transposeB = %s ) * 0.125;\n",
             turned ? "false" : "true");
    if (masked)
        external(l, "o", &mask);
    text_add(l->to, "    e = softmax( %s, axes = [3] );\n", masked ? "w + o" : "w");
    text_add(
        l->to,
        "    z = transpose( matmul( e, v ), axes = [0,2,1,3] );\n    c = reshape( z, shape = ");
    add_list(l, input.extent, input.rank);
    text_add(l->to, " );\n");
    finish(l, &input, &input);
    return true;
}

static bool add_layer(struct layer *l)
{
    int kind = below(l, 136);

    if (kind >= 130)
        return add_blocks(l);
    if (kind >= 100)
        return kind < 112 ? add_join(l) : kind < 120 ? add_heads(l) : add_cascade(l);
    if (kind < 40)
        return add_conv(l, false);
    if (kind < 52)
        return add_conv(l, true);
    if (kind < 68)
        return add_pool(l);
    if (kind < 80)
        return add_matmul(l);
    return kind < 90 ? add_linear(l) : add_lanes(l);
}

void random_layer_text(uint64_t seed, struct text *to)
{
    struct text body = {0};
    struct layer l = {.random = random_stream(seed, "layer"), .to = &body};

    while (!add_layer(&l)) {
        text_free(&body);
        text_free(&l.marks);
    }
    text_add(to,
             "version 1.0;\n"
             "extension KHR_enable_operator_expressions, KHR_enable_fragment_definitions;\n"
             "fragment dequantize( x: tensor<integer>, scale: tensor<scalar>,"
             " zero: tensor<integer> = 0 ) -> ( y: tensor<scalar> );\n"
             "graph g( %s ) -> ( y )\n{\n",
             l.marks.data);
    text_add_bytes(to, body.data, body.size);
    text_add(to, "}\n");
    text_free(&body);
    text_free(&l.marks);
}
