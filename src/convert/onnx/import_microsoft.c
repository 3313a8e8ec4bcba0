/*
 * import_microsoft.c - what ONNX Runtime makes of the attention and the embeddings of a transformer
 *
 * Operators of domain com.microsoft.  What their masks hide is not gone, as in ONNX: it gets
 * `mask_filter_value` added to its product with the query, and the least number if it is later.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

/* Inputs of the operators. */
enum { ATTEND_INPUT, ATTEND_WEIGHTS, ATTEND_BIAS, ATTEND_MASK, ATTEND_PAST, ATTEND_ADDED };
enum {
    MULTI_QUERY,
    MULTI_KEY,
    MULTI_VALUE,
    MULTI_BIAS,
    MULTI_MASK,
    MULTI_ADDED,
    MULTI_PAST_KEY,
    MULTI_PAST_VALUE
};
enum {
    EMBED_IDS,
    EMBED_SEGMENTS,
    EMBED_WORD,
    EMBED_POSITION,
    EMBED_SEGMENT,
    EMBED_GAMMA,
    EMBED_BETA,
    EMBED_MASK,
    EMBED_POSITION_IDS
};
enum { ROTARY_INPUT, ROTARY_POSITIONS, ROTARY_COSINES, ROTARY_SINES };

/* --- checks of inputs: false after a report ------------------------------------------------- */

static struct shape shape1(int64_t a)
{
    return (struct shape){1, {a}};
}

static struct shape shape2(int64_t a, int64_t b)
{
    return (struct shape){2, {a, b}};
}

static struct shape shape3(int64_t a, int64_t b, int64_t c)
{
    return (struct shape){3, {a, b, c}};
}

static struct shape shape4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (struct shape){4, {a, b, c, d}};
}

static int64_t last_extent(const struct imported *x)
{
    return x->shape.rank > 0 ? x->shape.extent[x->shape.rank - 1] : EXTENT_UNKNOWN;
}

bool check_bias(struct translation *t)
{
    return input_fits(t, 1, "a bias", shape1(last_extent(input_at(t, 0))));
}

/* What is skipped has the shape of the sum, or that of one item of the batch; others are rows. */
bool check_skip(struct translation *t)
{
    const struct shape *x = &input_at(t, 0)->shape, *skip = &input_at(t, 1)->shape;
    bool ok = x->rank == 2 || x->rank == 3;
    int axis;

    for (int i = 2; ok && i < t->nin; i++)
        ok = input_fits(t, i, "an operand", shape1(x->extent[x->rank - 1]));
    if (t->failed)
        return false;
    struct shape sum = *x;
    for (int i = 1; ok && i <= 2; i++)
        ok = skip->rank >= 2 && skip->extent[skip->rank - i] == x->extent[x->rank - i];
    if (!ok || !broadcast(BROADCAST_ONNX_ONE_WAY, &sum, skip, &axis))
        return import_error(t, DIAG_SHAPE_MISMATCH,
                            "adds shape %s to %s, expected rows that fit, of rank 2 or 3",
                            SHAPE_TEXT(skip), SHAPE_TEXT(x));
    return true;
}

/* It has an output for a mean, which nothing computes. */
bool check_skip_simplified(struct translation *t)
{
    return check_skip(t) &&
           (!wants_output(t, 1) ||
            import_error(t, DIAG_NOT_IN_NNEF, "gives the mean, which it does not compute"));
}

bool check_rotation(struct translation *t)
{
    const struct shape *x = &input_at(t, ROTARY_INPUT)->shape;
    const struct shape *places = &input_at(t, ROTARY_POSITIONS)->shape;
    int64_t heads = get_int(t, "num_heads", 0), count = get_int(t, "rotary_embedding_dim", 0);
    int64_t half = last_extent(input_at(t, ROTARY_COSINES));
    double scale = get_float(t, "scale", 1);

    if (get_int(t, "is_packed_batching", 0))
        return import_error(t, DIAG_NOT_IN_NNEF, "has packed batches");
    if (scale < 1 || scale > 1)
        return import_error(t, DIAG_NOT_IN_NNEF, "has scale %g, expected 1", scale);
    if (x->rank != 3 && x->rank != 4)
        return import_error(t, DIAG_RANK, "has an input of rank %d, expected 3 or 4", x->rank);
    bool flat = x->rank == 3;
    if (flat && (count > 0 || heads != 0) && (heads < 1 || x->extent[2] % heads))
        return import_error(t, DIAG_NOT_DIVISIBLE, "has %" PRId64 " heads for shape %s", heads,
                            SHAPE_TEXT(x));
    if (!input_fits(t, ROTARY_COSINES, "cosines", shape2(EXTENT_UNKNOWN, EXTENT_UNKNOWN)) ||
        !input_fits(t, ROTARY_SINES, "sines", input_at(t, ROTARY_COSINES)->shape))
        return false;
    if (half < 1 || half > INT32_MAX)
        return import_error(t, DIAG_NOT_DIVISIBLE,
                            "has cosines of %" PRId64 " pairs, expected 1 to %d", half, INT32_MAX);
    int64_t size = !flat ? x->extent[3] : heads > 0 ? x->extent[2] / heads : 2 * half;
    if (size < 1 || (flat && x->extent[2] % size) || 2 * half != (count > 0 ? count : size) ||
        count > size)
        return import_error(t, DIAG_NOT_DIVISIBLE,
                            "turns %" PRId64 " pairs of each head of shape %s, which do not fit",
                            half, SHAPE_TEXT(x));
    return places->rank == 1 ? input_fits(t, ROTARY_POSITIONS, "positions", shape1(1))
                             : input_fits(t, ROTARY_POSITIONS, "positions",
                                          shape2(x->extent[0], x->extent[flat ? 1 : 2]));
}

/* --- what masks hide ------------------------------------------------------------------------ */

struct weighed {
    int64_t batch, heads, queries, keys, past; /* keys with those of the past */
    bool begins;     /* a list of ends may be followed by one of beginnings */
    int mask, added; /* their inputs */
};

/* Of each batch the end of its keys, and the beginning behind all ends. */
static struct imported *keys_between(struct translation *t, struct imported *bounds,
                                     const struct weighed *w)
{
    const struct shape batches = shape_along(4, 0, w->batch), keys = shape_along(4, 3, w->keys);
    struct imported *key = known_ramp(t, bounds->type, &keys, 0, 1);

    if (bounds->shape.extent[0] == w->batch)
        return op2(t, OP_lt, key, reshape_to(t, bounds, &batches));
    struct imported *end = slice_at(t, bounds, 0, 0, w->batch);
    struct imported *begin = slice_at(t, bounds, 0, w->batch, 2 * w->batch);
    return op2(t, OP_and, op2(t, OP_lt, key, reshape_to(t, end, &batches)),
               op2(t, OP_ge, key, reshape_to(t, begin, &batches)));
}

/* Logicals that broadcast to the weights, by all forms of a mask; NULL after a report. */
static struct imported *shown_keys(struct translation *t, struct imported *mask,
                                   const struct weighed *w)
{
    const struct shape each = shape4(w->batch, 1, 1, w->keys);
    const struct shape all = shape4(w->batch, 1, w->queries, w->keys);
    const struct shape *shape = &mask->shape, whole = shape3(w->batch, w->queries, w->keys);
    const struct shape lines = shape2(w->batch, w->keys);

    if (dtype_of(mask->type) != DTYPE_INTEGER)
        return import_refuse(t, DIAG_TYPE_MISMATCH, "has a mask that is no tensor of integers");
    if (shape->rank == 1 &&
        (shape->extent[0] == w->batch || (w->begins && shape->extent[0] == 2 * w->batch)))
        return keys_between(t, mask, w);
    if (shape_equal(shape, &lines) || shape_equal(shape, &whole))
        return op2(t, OP_gt, reshape_to(t, mask, shape->rank == 2 ? &each : &all), literal(t, 0));
    return import_unsupported(t,
                              "has a mask of shape %s for %" PRId64 " batches of %" PRId64
                              " queries and %" PRId64 " keys",
                              SHAPE_TEXT(shape), w->batch, w->queries, w->keys);
}

/* What is added to the products of queries and keys; NULL: nothing, or after a report. */
static struct imported *added_to(struct translation *t, struct imported *mask,
                                 struct imported *added, const struct weighed *w)
{
    const struct shape rows = shape_along(4, 2, w->queries), keys = shape_along(4, 3, w->keys);
    struct imported *hidden = NULL;

    if (mask) {
        struct imported *filter = literal(t, get_float(t, "mask_filter_value", -10000));
        hidden = op3(t, OP_select, shown_keys(t, mask, w), literal(t, 0), filter);
    }
    if (get_int(t, "unidirectional", 0) && w->queries > 1) {
        struct imported *row = known_ramp(t, ONNX_FLOAT, &rows, (double)w->past, 1);
        struct imported *key = known_ramp(t, ONNX_FLOAT, &keys, 0, 1);
        hidden = op3(t, OP_select, op2(t, OP_ge, row, key), hidden ? hidden : literal(t, 0),
                     literal(t, -(double)FLT_MAX));
    }
    return hidden && added ? op2(t, OP_add, hidden, added) : hidden ? hidden : added;
}

/* --- attention ------------------------------------------------------------------------------ */

/* Keys or values of former calls stand in front of the new ones. */
static struct imported *behind(struct translation *t, struct imported *past, struct imported *x)
{
    return past && x ? join(t, (struct imported *[]){past, x}, 2, 2) : x;
}

/*
 * Of queries, keys and values with their heads, the past included.  *products, unless NULL, becomes
 * what the softmax gets.
 */
static struct imported *weigh(struct translation *t, struct attending *a, struct weighed *w,
                              struct imported **products)
{
    struct imported *stages[4] = {NULL}, *given = input_at(t, w->mask);
    struct imported *bias = input_at(t, w->added);
    double scale = get_float(t, "scale", 0);
    int64_t size = a->q->shape.extent[3];

    w->queries = a->q->shape.extent[2];
    w->keys = a->k->shape.extent[2];
    bool wide = bias && bias->shape.rank == 4;
    if (!input_fits(t, w->added, "what is added to the products",
                    shape4(wide && bias->shape.extent[0] == 1 ? 1 : w->batch,
                           wide && bias->shape.extent[1] == 1 ? 1 : w->heads, w->queries, w->keys)))
        return NULL;
    if (get_int(t, "unidirectional", 0) && w->keys != w->queries + w->past)
        return import_unsupported(t,
                                  "has %" PRId64 " keys in one direction for %" PRId64 " queries",
                                  w->keys, w->queries);
    a->mask = added_to(t, given, bias, w);
    a->keeps_hidden = true;
    a->scale = scale < 0 || scale > 0 ? scale : size > 0 ? 1 / sqrt((double)size) : 1;
    if (t->failed)
        return NULL;
    struct imported *result = attend(t, a, products ? stages : NULL);
    if (products)
        *products = stages[2];
    return join_heads(t, result);
}

/* Hidden sizes of queries, keys and values, which have heads of a whole size; false after a report.
 */
static bool hidden_sizes(struct translation *t, int64_t sum, int64_t heads, int64_t size[3])
{
    struct integers named = {0};

    size[0] = size[1] = size[2] = sum / 3;
    if (get_ints(t, "qkv_hidden_sizes", &named)) {
        if (named.count != 3)
            return import_error(t, DIAG_ITEM_COUNT, "'qkv_hidden_sizes' has %d items, expected 3",
                                named.count);
        for (int i = 0; i < 3; i++)
            size[i] = named.item[i];
    }
    bool ok = heads >= 1 && heads <= INT32_MAX && size[0] == size[1] && size[0] >= 0 &&
              size[2] >= 0 && size[0] <= sum && size[2] <= sum &&
              size[0] + size[1] + size[2] == sum;
    return !t->failed &&
           ((ok && size[0] % heads == 0 && size[2] % heads == 0) ||
            import_error(t, DIAG_NOT_DIVISIBLE,
                         "has %" PRId64 " heads of queries, keys and values of sizes %" PRId64
                         ", %" PRId64 " and %" PRId64 " in %" PRId64,
                         heads, size[0], size[1], size[2], sum));
}

/* The product of an input and the weights of all three, by heads. */
static void project(struct translation *t, struct imported *x, int64_t heads, const int64_t size[3],
                    struct imported *part[3])
{
    static const int64_t order[] = {0, 2, 1, 3};
    const int64_t *e = x->shape.extent;
    const struct shape shape = shape4(e[0], e[1], 3 * heads, size[0] / heads);
    int64_t begin = 0;

    if (size[0] == size[2]) /* one transposition serves all */
        x = transpose_by(t, reshape_to(t, x, &shape), order);
    for (int i = 0; i < 3; i++, begin += size[i - 1])
        part[i] = size[0] == size[2]
                      ? slice_at(t, x, 1, i * heads, (i + 1) * heads)
                      : split_heads(t, slice_at(t, x, 2, begin, begin + size[i]), heads);
}

/* One half of [2, batch, heads, length, size]. */
static struct imported *half_of(struct translation *t, struct imported *past, int index)
{
    return past ? squeeze_at(t, slice_at(t, past, 0, index, index + 1), 0) : NULL;
}

struct imported *import_microsoft_attention(struct translation *t)
{
    struct imported *x = input_at(t, ATTEND_INPUT), *past = input_at(t, ATTEND_PAST);
    struct imported *part[3], *bias = input_at(t, ATTEND_BIAS);
    const struct shape *weights = &input_at(t, ATTEND_WEIGHTS)->shape;
    const int64_t any = EXTENT_UNKNOWN, *e = x->shape.extent;
    struct weighed w = {.heads = get_int(t, "num_heads", 0), .begins = true, .added = ATTEND_ADDED};
    int64_t size[3];

    if (get_int(t, "do_rotary", 0))
        return import_unsupported(t, "turns its queries ('do_rotary')");
    if (get_int(t, "past_present_share_buffer", 0) || has_input(t, 6))
        return import_unsupported(t, "shares the buffer of the past");
    if (!input_fits(t, ATTEND_INPUT, "an input", shape3(any, any, any)) ||
        !input_fits(t, ATTEND_WEIGHTS, "weights", shape2(e[2], any)) ||
        !input_fits(t, ATTEND_BIAS, "a bias", shape1(weights->extent[1])) ||
        !hidden_sizes(t, weights->extent[1], w.heads, size))
        return NULL;
    if ((past || wants_output(t, 1)) && size[0] != size[2])
        return import_unsupported(t, "keeps keys and values of different sizes in one tensor");
    struct shape kept = {5, {2, e[0], w.heads, any, size[0] / w.heads}};
    if (!input_fits(t, ATTEND_PAST, "a past", kept))
        return NULL;
    w.batch = e[0];
    w.past = past ? past->shape.extent[3] : 0;
    struct imported *all = matmul(t, x, input_at(t, ATTEND_WEIGHTS));
    all = all && bias ? op2(t, OP_add, all, bias) : all;
    if (!all)
        return NULL;
    project(t, all, w.heads, size, part);
    struct attending a = {.q = part[0],
                          .k = behind(t, half_of(t, past, 0), part[1]),
                          .v = behind(t, half_of(t, past, 1), part[2])};
    if (!a.q || !a.k || !a.v)
        return NULL;
    if (wants_output(t, 1))
        set_output(
            t, 1,
            join(t, (struct imported *[]){unsqueeze_at(t, a.k, 0), unsqueeze_at(t, a.v, 0)}, 2, 0));
    const struct imported *mask = input_at(t, ATTEND_MASK);
    /* A mask of one column that says nothing of single keys hides all or nothing. */
    bool blank = mask && mask->shape.rank == 2 && mask->shape.extent[1] == 1 &&
                 (mask->shape.extent[0] == 1 || mask->shape.extent[0] == w.batch) &&
                 a.k->shape.extent[2] != 1;
    w.mask = blank ? t->nin : ATTEND_MASK;
    return weigh(t, &a, &w, NULL);
}

/* Part of what is [batch, length, heads, parts, size] becomes [batch, length, heads * size]. */
static struct imported *unpack(struct translation *t, struct imported *x, int part)
{
    const int64_t *e = x->shape.extent;
    const struct shape flat = shape3(e[0], e[1], e[2] * e[4]);

    return reshape_to(t, slice_at(t, x, 3, part, part + 1), &flat);
}

/* Queries, keys and values from the inputs, without their bias; false after a report. */
static bool read_parts(struct translation *t, int64_t heads, struct imported *part[3])
{
    const int64_t any = EXTENT_UNKNOWN;
    const struct shape *q = &input_at(t, MULTI_QUERY)->shape;
    const struct imported *key = input_at(t, MULTI_KEY);
    int rank = key ? key->shape.rank : q->rank == 5 ? 0 : -1; /* of the keys; 0: in the queries */

    for (int i = 0; i < 3; i++)
        part[i] = input_at(t, i);
    if (has_input(t, MULTI_VALUE) != (rank == 3 || rank == 4) ||
        (rank != 0 && (rank < 3 || rank > 5 || q->rank != 3)))
        return import_error(t, DIAG_NOT_IN_NNEF,
                            "has queries of rank %d, keys of rank %d and values of rank %d",
                            q->rank, rank > 0 ? rank : 0, part[2] ? part[2]->shape.rank : 0);
    if (rank == 0 || rank == 5) {
        struct shape packed = {5, {q->extent[0], any, heads, rank == 0 ? 3 : 2, any}};
        if (!input_fits(t, rank == 0 ? MULTI_QUERY : MULTI_KEY, "packed keys and values", packed))
            return false;
        struct imported *from = input_at(t, rank == 0 ? MULTI_QUERY : MULTI_KEY);
        for (int i = rank == 0 ? 0 : 1; i < 3; i++)
            part[i] = unpack(t, from, rank == 0 ? i : i - 1);
    }
    return !t->failed;
}

/* The three with their bias, by heads; keys and values that have heads already have no bias. */
static bool split_parts(struct translation *t, int64_t heads, struct imported *part[3])
{
    struct imported *bias = input_at(t, MULTI_BIAS);
    int64_t sum = 0, begin = 0;

    for (int i = 0; i < 3; i++) {
        const struct shape *shape = &part[i]->shape;
        sum += shape->extent[2] * (shape->rank == 4 ? 0 : 1);
        sum += shape->rank == 4 ? shape->extent[1] * shape->extent[3] : 0;
    }
    if (!input_fits(t, MULTI_BIAS, "a bias", shape1(sum)))
        return false;
    for (int i = 0; i < 3; i++) {
        int64_t end = begin + (part[i]->shape.rank == 3 ? part[i]->shape.extent[2] : 0);
        if (bias && part[i]->shape.rank == 3)
            part[i] = op2(t, OP_add, part[i], slice_at(t, bias, 0, begin, end));
        part[i] = split_heads(t, part[i], heads);
        begin = end;
        if (!part[i])
            return false;
    }
    const int64_t *q = part[0]->shape.extent, *k = part[1]->shape.extent,
                  *v = part[2]->shape.extent;
    return (q[0] == k[0] && q[0] == v[0] && q[1] == k[1] && q[1] == v[1] && q[3] == k[3] &&
            k[2] == v[2]) ||
           import_error(t, DIAG_SHAPE_MISMATCH,
                        "has queries of shape %s, keys of shape %s and values of shape %s",
                        SHAPE_TEXT(&part[0]->shape), SHAPE_TEXT(&part[1]->shape),
                        SHAPE_TEXT(&part[2]->shape));
}

struct imported *import_multi_head_attention(struct translation *t)
{
    struct weighed w = {
        .heads = get_int(t, "num_heads", 0), .mask = MULTI_MASK, .added = MULTI_ADDED};
    struct imported *past = input_at(t, MULTI_PAST_KEY), *part[3], *products = NULL;
    const int64_t any = EXTENT_UNKNOWN;

    if (has_input(t, 8) || has_input(t, 9))
        return import_unsupported(t, "shares the buffer of the past");
    if (w.heads < 1 || w.heads > INT32_MAX)
        return import_refuse(t, DIAG_ITEM_VALUE, "has %" PRId64 " heads, expected 1 to %d", w.heads,
                             INT32_MAX);
    if (!read_parts(t, w.heads, part) || !split_parts(t, w.heads, part))
        return NULL;
    const int64_t *q = part[0]->shape.extent, *v = part[2]->shape.extent;
    w.batch = q[0];
    w.past = past && past->shape.rank == 4 ? past->shape.extent[2] : 0;
    if (!input_fits(t, MULTI_PAST_KEY, "a past of keys", shape4(q[0], w.heads, any, q[3])) ||
        !input_fits(t, MULTI_PAST_VALUE, "a past of values", shape4(q[0], w.heads, w.past, v[3])))
        return NULL;
    if (has_input(t, MULTI_PAST_VALUE) != (past != NULL))
        return import_refuse(t, DIAG_ONNX_GRAPH, "has input %d without input %d, expected both",
                             past ? MULTI_PAST_KEY : MULTI_PAST_VALUE,
                             past ? MULTI_PAST_VALUE : MULTI_PAST_KEY);
    struct attending a = {.q = part[0],
                          .k = behind(t, past, part[1]),
                          .v = behind(t, input_at(t, MULTI_PAST_VALUE), part[2])};
    if (!a.k || !a.v)
        return NULL;
    struct imported *result = weigh(t, &a, &w, wants_output(t, 3) ? &products : NULL);
    set_output(t, 1, a.k);
    set_output(t, 2, a.v);
    set_output(t, 3, products);
    return result;
}

/* --- embeddings ----------------------------------------------------------------------------- */

/* How many items of each row are 1; without a mask none. */
static struct imported *count_of_ones(struct translation *t, int64_t batch)
{
    struct imported *mask = input_at(t, EMBED_MASK);
    const struct shape rows = shape1(batch);

    if (!mask)
        return known_ramp(t, ONNX_INT32, &rows, 0, 0);
    struct imported *ones = convert(t, op2(t, OP_eq, mask, literal(t, 1)), ONNX_INT32);
    return squeeze_at(t, reduce_at(t, OP_sum_reduce, ones, 1), 1);
}

/* Rows of a table; one below 0 or beyond the last is an error when it is read. */
static struct imported *rows_of(struct translation *t, int table, struct imported *ids)
{
    return make2(t, OP_SPEC(gather, .axis = 0), input_at(t, table), ids);
}

/* The rows of the positions, which are the first ones unless they are named. */
static struct imported *rows_of_positions(struct translation *t, int64_t length)
{
    struct imported *named = input_at(t, EMBED_POSITION_IDS);
    int64_t most = input_at(t, EMBED_POSITION)->shape.extent[0];

    if (named)
        return rows_of(t, EMBED_POSITION, named);
    if (length > most)
        return import_refuse(t, DIAG_SHAPE_MISMATCH,
                             "has %" PRId64 " positions, expected at most %" PRId64, length, most);
    return slice_at(t, input_at(t, EMBED_POSITION), 0, 0, length);
}

static bool check_embeddings(struct translation *t)
{
    const struct imported *ids = input_at(t, EMBED_IDS), *named = input_at(t, EMBED_POSITION_IDS);
    const int64_t any = EXTENT_UNKNOWN, *e = ids->shape.extent;

    for (int i = EMBED_WORD; i <= EMBED_BETA; i++)
        if (i != EMBED_SEGMENT && !has_input(t, i))
            return import_error(t, DIAG_ONNX_GRAPH, "input %d is left out, expected a tensor", i);
    if (has_input(t, EMBED_SEGMENTS) != has_input(t, EMBED_SEGMENT))
        return import_error(t, DIAG_ONNX_GRAPH, "has input %d without input %d, expected both",
                            has_input(t, EMBED_SEGMENTS) ? EMBED_SEGMENTS : EMBED_SEGMENT,
                            has_input(t, EMBED_SEGMENTS) ? EMBED_SEGMENT : EMBED_SEGMENTS);
    const struct imported *word = input_at(t, EMBED_WORD);
    bool shared = named && named->shape.rank == 2 && named->shape.extent[0] == 1;
    int64_t size = shape_extent(&word->shape, 1);
    return input_fits(t, EMBED_IDS, "words", shape2(any, any)) &&
           input_fits(t, EMBED_SEGMENTS, "segments", ids->shape) &&
           input_fits(t, EMBED_WORD, "an embedding of words", shape2(any, any)) &&
           input_fits(t, EMBED_POSITION, "an embedding of positions", shape2(any, size)) &&
           input_fits(t, EMBED_SEGMENT, "an embedding of segments", shape2(any, size)) &&
           input_fits(t, EMBED_GAMMA, "a scale", shape1(size)) &&
           input_fits(t, EMBED_BETA, "an offset", shape1(size)) &&
           input_fits(t, EMBED_MASK, "a mask", ids->shape) &&
           input_fits(t, EMBED_POSITION_IDS, "positions", shape2(shared ? 1 : e[0], e[1]));
}

struct imported *import_embed_layer_normalization(struct translation *t)
{
    const struct imported *ids = input_at(t, EMBED_IDS);
    const struct integers last = {1, (const int64_t[]){2}};

    if (!check_embeddings(t))
        return NULL;
    struct imported *sum = op2(t, OP_add, rows_of(t, EMBED_WORD, input_at(t, EMBED_IDS)),
                               rows_of_positions(t, ids->shape.extent[1]));
    if (has_input(t, EMBED_SEGMENTS))
        sum = op2(t, OP_add, sum, rows_of(t, EMBED_SEGMENT, input_at(t, EMBED_SEGMENTS)));
    if (wants_output(t, 1))
        set_output(t, 1, count_of_ones(t, ids->shape.extent[0]));
    set_output(t, 2, sum);
    struct imported *in[] = {sum, with_rank(t, input_at(t, EMBED_GAMMA), 3),
                             with_rank(t, input_at(t, EMBED_BETA), 3)};
    return make_all(
        t, OP_SPEC(layer_normalization, .axes = last, .epsilon = get_float(t, "epsilon", 1e-12)),
        in, 3);
}
