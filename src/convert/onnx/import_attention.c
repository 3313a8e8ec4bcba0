/*
 * import_attention.c - attention, and what stands around it in a transformer
 *
 * Tensors are [batch, heads, length, size], or [batch, length, heads * size].
 */
#include "convert/onnx/import_share.h"

#include <inttypes.h>
#include <math.h>

take_function take_attention, take_rotary_embedding, take_swiglu;

/* [batch, length, heads * size] to [batch, heads, length, size]. */
static struct entry *by_heads(struct take *t, struct entry *x, int64_t heads)
{
    static const int64_t order[] = {0, 2, 1, 3};

    if (!x || x->shape.rank == 4)
        return x;
    const int64_t *e = x->shape.extent;
    if (x->shape.rank != 3 || heads < 1 || e[2] % heads)
        return take_refuse(t, "has an input of shape %s for %" PRId64 " heads",
                           SHAPE_TEXT(&x->shape), heads);
    struct shape shape = {.rank = 4, .extent = {e[0], e[1], heads, e[2] / heads}};
    return transpose_by(t, reshape_to(t, x, &shape), order);
}

static struct entry *from_heads(struct take *t, struct entry *x)
{
    static const int64_t order[] = {0, 2, 1, 3};

    if (!x)
        return NULL;
    const int64_t *e = x->shape.extent;
    struct shape shape = {.rank = 3, .extent = {e[0], e[2], e[1] * e[3]}};
    return reshape_to(t, transpose_by(t, x, order), &shape);
}

static struct entry *behind(struct take *t, struct entry *past, struct entry *x)
{
    return past && x ? join(t, (struct entry *[]){past, x}, 2, 2) : x;
}

/* Heads are shared by as many queries in a row. */
static struct entry *share_heads(struct take *t, struct entry *x, int64_t heads)
{
    if (!x || x->shape.extent[1] == heads)
        return x;
    const int64_t *e = x->shape.extent;
    if (heads % e[1])
        return take_refuse(t, "has %" PRId64 " heads of queries for %" PRId64 " of keys", heads,
                           e[1]);
    struct shape apart = {.rank = 5, .extent = {e[0], e[1], 1, e[2], e[3]}}, all = apart;
    struct shape shape = {.rank = 4, .extent = {e[0], heads, e[2], e[3]}};
    all.extent[2] = heads / e[1];
    return reshape_to(t, spread_to(t, reshape_to(t, x, &apart), &all), &shape);
}

/* --- what is hidden ------------------------------------------------------------------------ */

/* 0 where a condition holds, else nothing that counts. */
static struct entry *hide_unless(struct take *t, struct entry *condition)
{
    return op3(t, OP_select, condition, literal(t, 0), literal(t, -(double)INFINITY));
}

/* A mask may end before the keys do, of which the rest is hidden. */
static struct entry *mask_of(struct take *t, int64_t keys)
{
    struct entry *mask = take_in(t, 3);
    int64_t pads[MAX_RANK][2] = {{0}};

    if (!mask)
        return NULL;
    if (mask->type == ONNX_BOOL)
        mask = hide_unless(t, mask);
    int last = mask ? mask->shape.rank - 1 : -1;
    if (last < 0 || mask->shape.extent[last] == keys || mask->shape.extent[last] == 1)
        return mask;
    pads[last][1] = keys - mask->shape.extent[last];
    return pad_with(t, mask, (const int64_t(*)[2])pads, -(double)INFINITY);
}

static struct entry *ramp_along(struct take *t, int64_t count, int axis)
{
    struct shape shape = {.rank = 4, .extent = {1, 1, 1, 1}};

    shape.extent[axis] = count;
    return reshape_to(t, known_ramp(t, ONNX_FLOAT, count), &shape);
}

/* How many keys there are of each batch. */
static struct entry *key_counts(struct take *t)
{
    struct shape shape = {.rank = 4, .extent = {1, 1, 1, 1}};
    struct entry *counts = take_in(t, 6);

    if (!counts)
        return NULL;
    shape.extent[0] = shape_volume(&counts->shape);
    return reshape_to(t, convert(t, counts, ONNX_FLOAT), &shape);
}

static struct entry *plus(struct take *t, struct entry *x, struct entry *y)
{
    return !x ? y : !y ? x : op2(t, OP_add, x, y);
}

/* What is added to the weights of `rows` queries and `keys`; NULL: nothing. */
static struct entry *bias_of(struct take *t, int64_t rows, int64_t keys, int64_t past)
{
    struct entry *bias = mask_of(t, keys), *counts = key_counts(t);
    struct entry *key = ramp_along(t, keys, 3), *row = ramp_along(t, rows, 2);

    if (take_int(t, "is_causal", 0)) {
        struct entry *shift =
            counts ? op2(t, OP_sub, counts, literal(t, (double)rows)) : literal(t, (double)past);
        bias = plus(t, bias, hide_unless(t, op2(t, OP_ge, op2(t, OP_add, row, shift), key)));
    }
    return counts ? plus(t, bias, hide_unless(t, op2(t, OP_lt, key, counts))) : bias;
}

/* --- weights ------------------------------------------------------------------------------- */

static struct entry *bounded(struct take *t, struct entry *x)
{
    double bound = take_float(t, "softcap", 0);

    if (!(bound > 0))
        return x;
    return op2(t, OP_mul, op1(t, OP_tanh, op2(t, OP_div, x, literal(t, bound))), literal(t, bound));
}

static struct entry *softmax(struct take *t, struct entry *x)
{
    int64_t axes[] = {x ? x->shape.rank - 1 : 0};

    set_integers(t, "axes", axes, 1);
    return op1(t, OP_softmax, x);
}

/* A row of which all is hidden has no weights. */
static struct entry *weights_of(struct take *t, struct entry *product, struct entry *bias)
{
    struct entry *stages[4] = {product, NULL};

    stages[1] = bounded(t, product);
    stages[2] = bias ? op2(t, OP_add, stages[1], bias) : stages[1];
    stages[3] = softmax(t, stages[2]);
    if (bias) {
        struct entry *most = reduce_at(t, OP_max_reduce, bias, bias->shape.rank - 1);
        struct entry *hidden = op2(t, OP_eq, most, literal(t, -(double)INFINITY));
        stages[3] = op3(t, OP_select, hidden, literal(t, 0), stages[3]);
    }
    int64_t shown = take_int(t, "qk_matmul_output_mode", 0);
    if (take_wants(t, 3))
        take_result(t, 3, shown >= 0 && shown < 4 ? stages[shown] : NULL);
    return stages[3];
}

static struct entry *scaled(struct take *t, struct entry *x, double scale)
{
    return op2(t, OP_mul, x, literal(t, scale));
}

/* Does some key remain for each query?  False, too, if that is not known. */
static bool leaves_keys(const struct entry *bias)
{
    int rank = bias->shape.rank;
    int64_t keys = rank > 0 ? bias->shape.extent[rank - 1] : 1, left = 0;

    for (int64_t i = 0; bias->known && i < shape_volume(&bias->shape); i++) {
        left += isfinite(tensor_item(bias->known, i)) ? 1 : 0;
        if (i % keys == keys - 1 && left == 0)
            return false;
        left = i % keys == keys - 1 ? 0 : left;
    }
    return bias->known;
}

/* One operation, unless more is wanted of it than our own does; NULL then. */
static struct entry *plain(struct take *t, struct entry *const *qkv, struct entry *bias,
                           double scale)
{
    struct entry *in[] = {qkv[0], qkv[1], qkv[2], bias};

    if (take_wants(t, 3) || take_float(t, "softcap", 0) > 0 || (bias && !leaves_keys(bias)))
        return NULL;
    if (bias)
        in[3] = with_rank(t, bias, 4);
    set_integer(t, "axis", 3);
    set_scalar(t, "scale", scale);
    return op_all(t, bias ? OP_masked_attention : OP_attention, in, bias ? 4 : 3);
}

struct entry *take_attention(struct take *t)
{
    bool flat = take_in(t, 0)->shape.rank == 3;
    struct entry *q = by_heads(t, take_in(t, 0), take_int(t, "q_num_heads", 0));
    struct entry *k = by_heads(t, take_in(t, 1), take_int(t, "kv_num_heads", 0));
    struct entry *v = by_heads(t, take_in(t, 2), take_int(t, "kv_num_heads", 0));
    struct entry *past = take_in(t, 4);

    k = behind(t, past, k);
    v = behind(t, take_in(t, 5), v);
    if (!q || !k || !v)
        return NULL;
    if (take_wants(t, 1))
        take_result(t, 1, k);
    if (take_wants(t, 2))
        take_result(t, 2, v);
    double scale = take_float(t, "scale", 1 / sqrt((double)q->shape.extent[3]));
    struct entry *bias =
        bias_of(t, q->shape.extent[2], k->shape.extent[2], past ? past->shape.extent[2] : 0);
    k = share_heads(t, k, q->shape.extent[1]);
    v = share_heads(t, v, q->shape.extent[1]);
    if (t->failed)
        return NULL;
    struct entry *result = plain(t, (struct entry *[]){q, k, v}, bias, scale);
    if (!result && !t->failed) {
        struct entry *product = matmul(t, scaled(t, q, scale), transpose_last(t, k));
        result = matmul(t, weights_of(t, product, bias), v);
    }
    return flat ? from_heads(t, result) : result;
}

/* --- positions ----------------------------------------------------------------------------- */

/* Both halves of the last dimension: every other item, or one after the other. */
static struct entry *half(struct take *t, struct entry *x, int which, bool interleaved)
{
    int last = x->shape.rank - 1;
    int64_t extent = x->shape.extent[last] / 2;

    if (!interleaved)
        return slice_at(t, x, last, which * extent, (which + 1) * extent);
    struct shape pairs = x->shape, single = x->shape;
    pairs.extent[pairs.rank++] = 2;
    pairs.extent[last] = single.extent[last] = extent;
    return reshape_to(t, slice_at(t, reshape_to(t, x, &pairs), last + 1, which, which + 1),
                      &single);
}

static struct entry *merge(struct take *t, struct entry *x, struct entry *y, bool interleaved)
{
    if (!x || !y)
        return NULL;
    int last = x->shape.rank - 1;
    if (!interleaved)
        return join(t, (struct entry *[]){x, y}, 2, last);
    struct shape shape = x->shape;
    shape.extent[last] *= 2;
    struct entry *pairs[] = {unsqueeze_at(t, x, last + 1), unsqueeze_at(t, y, last + 1)};
    return pairs[0] && pairs[1] ? reshape_to(t, join(t, pairs, 2, last + 1), &shape) : NULL;
}

/* Angles by batch and position, for all heads. */
static struct entry *angles(struct take *t, int index)
{
    struct entry *x = take_in(t, index);

    if (take_has(t, 3)) {
        set_integer(t, "axis", 0);
        x = op2(t, OP_gather, x, take_in(t, 3));
    }
    return x ? unsqueeze_at(t, x, 1) : NULL;
}

struct entry *take_rotary_embedding(struct take *t)
{
    bool interleaved = take_int(t, "interleaved", 0), flat = take_in(t, 0)->shape.rank == 3;
    struct entry *x = by_heads(t, take_in(t, 0), take_int(t, "num_heads", 0));
    struct entry *cos = angles(t, 1), *sin = angles(t, 2);

    if (!x || !cos || !sin)
        return NULL;
    int64_t size = x->shape.extent[3], turned = take_int(t, "rotary_embedding_dim", 0);
    turned = turned > 0 && turned < size ? turned : size;
    struct entry *part = slice_at(t, x, 3, 0, turned);
    if (!part)
        return NULL;
    struct entry *a = half(t, part, 0, interleaved), *b = half(t, part, 1, interleaved);
    struct entry *real = op2(t, OP_sub, op2(t, OP_mul, cos, a), op2(t, OP_mul, sin, b));
    struct entry *imaginary = op2(t, OP_add, op2(t, OP_mul, sin, a), op2(t, OP_mul, cos, b));
    struct entry *result = merge(t, real, imaginary, interleaved);
    if (result && turned < size)
        result = join(t, (struct entry *[]){result, slice_at(t, x, 3, turned, size)}, 2, 3);
    return flat ? from_heads(t, result) : result;
}

struct entry *take_swiglu(struct take *t)
{
    struct entry *a = take_in(t, 0);
    struct entry *gate =
        op1(t, OP_sigmoid, op2(t, OP_mul, a, literal(t, take_float(t, "alpha", 1))));

    return op2(t, OP_mul, op2(t, OP_mul, a, gate), take_in(t, 1));
}
