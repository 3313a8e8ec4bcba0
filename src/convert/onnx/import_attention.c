/*
 * import_attention.c - attention, and what stands around it in a transformer
 *
 * Tensors are [batch, heads, length, size], or flat: [batch, length, heads * size].  A key that is
 * hidden gets minus infinity added to its product with the query.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static bool has_heads(struct translation *t, const struct shape *x, int64_t heads)
{
    return x->rank == 4 || (x->rank == 3 && heads >= 1 && x->extent[2] % heads == 0) ||
           import_unsupported(t, "has an input of shape %s for %" PRId64 " heads", SHAPE_TEXT(x),
                              heads);
}

bool check_heads(struct translation *t)
{
    const struct imported *positions = has_input(t, 3) ? input_at(t, 3) : NULL;

    if (positions && positions->shape.rank != 2)
        return import_error(t, DIAG_RANK, "has positions of shape %s, expected rank 2",
                            SHAPE_TEXT(&positions->shape));
    return has_heads(t, &input_at(t, 0)->shape, get_int(t, "num_heads", 0));
}

/* [batch, length, heads * size] becomes [batch, heads, length, size]; rank 4 stays as it is. */
struct imported *split_heads(struct translation *t, struct imported *x, int64_t heads)
{
    static const int64_t order[] = {0, 2, 1, 3};

    if (!x || x->shape.rank == 4)
        return x;
    if (!has_heads(t, &x->shape, heads))
        return NULL;
    const int64_t *e = x->shape.extent;
    struct shape shape = {.rank = 4, .extent = {e[0], e[1], heads, e[2] / heads}};
    return transpose_by(t, reshape_to(t, x, &shape), order);
}

/* The other way round, for outputs of flat inputs. */
struct imported *join_heads(struct translation *t, struct imported *x)
{
    static const int64_t order[] = {0, 2, 1, 3};

    if (!x)
        return NULL;
    const int64_t *e = x->shape.extent;
    struct shape shape = {.rank = 3, .extent = {e[0], e[2], e[1] * e[3]}};
    return reshape_to(t, transpose_by(t, x, order), &shape);
}

/* Keys or values of former calls stand in front of the new ones. */
static struct imported *behind(struct translation *t, struct imported *past, struct imported *x)
{
    return past && x ? join(t, (struct imported *[]){past, x}, 2, 2) : x;
}

/* Fewer heads of keys than of queries: each serves as many queries in a row. */
static struct imported *share_heads(struct translation *t, struct imported *x, int64_t heads)
{
    assert(!x || x->shape.rank == 4);
    if (!x || x->shape.extent[1] == heads)
        return x;
    const int64_t *e = x->shape.extent;
    if (heads % e[1])
        return import_unsupported(t, "has %" PRId64 " heads of queries for %" PRId64 " of keys",
                                  heads, e[1]);
    struct shape apart = {.rank = 5, .extent = {e[0], e[1], 1, e[2], e[3]}}, all = apart;
    struct shape shape = {.rank = 4, .extent = {e[0], heads, e[2], e[3]}};
    all.extent[2] = heads / e[1];
    return reshape_to(t, spread_to(t, reshape_to(t, x, &apart), &all), &shape);
}

/* --- what is hidden ------------------------------------------------------------------------ */

/* 0 where a condition holds, else minus infinity. */
static struct imported *hide_unless(struct translation *t, struct imported *condition)
{
    return op3(t, OP_select, condition, literal(t, 0), literal(t, -(double)INFINITY));
}

/* NULL stands for nothing to add. */
static struct imported *plus(struct translation *t, struct imported *x, struct imported *y)
{
    return !x ? y : !y ? x : op2(t, OP_add, x, y);
}

/*
 * What is added to the products of queries and keys; NULL: nothing.  A mask may end before the keys
 * do; the rest of them is hidden then.
 */
static struct imported *bias_of(struct translation *t, const struct attending *a)
{
    int64_t rows = a->q->shape.extent[2], keys = a->k->shape.extent[2];
    int64_t pads[MAX_RANK][2] = {{0}};
    struct imported *bias = a->mask, *counts = NULL;

    if (bias && bias->type == ONNX_BOOL)
        bias = hide_unless(t, bias);
    int last = bias ? bias->shape.rank - 1 : -1;
    if (last >= 0 && bias->shape.extent[last] != keys && bias->shape.extent[last] != 1) {
        pads[last][1] = keys - bias->shape.extent[last];
        bias = pad_with(t, bias, (const int64_t(*)[2])pads, literal(t, -(double)INFINITY));
    }
    const struct shape along_keys = shape_along(4, 3, keys), along_rows = shape_along(4, 2, rows);
    struct imported *key = known_ramp(t, ONNX_FLOAT, &along_keys, 0, 1);
    struct imported *row = known_ramp(t, ONNX_FLOAT, &along_rows, 0, 1);
    if (a->counts) {
        struct shape batches = shape_along(4, 0, shape_volume(&a->counts->shape));
        counts = reshape_to(t, convert(t, a->counts, ONNX_FLOAT), &batches);
    }
    if (a->causal) {
        struct imported *shift =
            counts ? op2(t, OP_sub, counts, literal(t, (double)rows)) : literal(t, (double)a->past);
        bias = plus(t, bias, hide_unless(t, op2(t, OP_ge, op2(t, OP_add, row, shift), key)));
    }
    return counts ? plus(t, bias, hide_unless(t, op2(t, OP_lt, key, counts))) : bias;
}

/* --- weights ------------------------------------------------------------------------------- */

/*
 * One operation of NNEF if it does the same: without a cap, without stages that are asked for, and
 * if each query has a key, as a row of weights would become NaN otherwise.
 */
struct imported *attend(struct translation *t, const struct attending *a,
                        struct imported *stages[4])
{
    struct attending shared = *a;
    struct imported *own[4];

    assert(a->q && a->k && a->v && a->q->shape.rank == 4);
    struct imported *bias = bias_of(t, a);
    shared.k = share_heads(t, a->k, a->q->shape.extent[1]);
    shared.v = share_heads(t, a->v, a->q->shape.extent[1]);
    if (t->failed)
        return NULL;
    /* Does some key remain for each query?  Not if that is unknown. */
    bool remains = !bias || bias->known || a->keeps_hidden;
    int64_t keys = bias && bias->shape.rank > 0 ? bias->shape.extent[bias->shape.rank - 1] : 1;
    for (int64_t i = 0, left = 0;
         remains && bias && !a->keeps_hidden && i < shape_volume(&bias->shape); i++) {
        left += isfinite(tensor_item(bias->known, i)) ? 1 : 0;
        remains = i % keys != keys - 1 || left > 0;
        left = i % keys == keys - 1 ? 0 : left;
    }
    if (!stages && !(a->softcap > 0) && remains) {
        struct imported *in[] = {a->q, shared.k, shared.v, with_rank(t, bias, 4)};
        const struct attention_attrs attrs = {.axis = 3, .scale = a->scale};
        const enum op_id op = bias ? OP_masked_attention : OP_attention;
        return make_all(t, (struct op_spec){op, &attrs}, in, bias ? 4 : 3);
    }

    stages = stages ? stages : own;
    struct imported *scaled = op2(t, OP_mul, shared.q, literal(t, a->scale));
    stages[0] = matmul(t, scaled, transpose_last(t, shared.k));
    struct imported *cap = a->softcap > 0 ? literal(t, a->softcap) : NULL;
    stages[1] = stages[0];
    if (cap)
        stages[1] = op2(t, OP_mul, op1(t, OP_tanh, op2(t, OP_div, stages[0], cap)), cap);
    stages[2] = bias ? op2(t, OP_add, stages[1], bias) : stages[1];
    stages[3] = make1(t, OP_SPEC(softmax, .axes = {1, (const int64_t[]){3}}), stages[2]);
    if (bias && !a->keeps_hidden) { /* a query for which all keys are hidden has no weights */
        struct imported *most = reduce_at(t, OP_max_reduce, bias, bias->shape.rank - 1);
        struct imported *hidden = op2(t, OP_eq, most, literal(t, -(double)INFINITY));
        stages[3] = op3(t, OP_select, hidden, literal(t, 0), stages[3]);
    }
    return matmul(t, stages[3], shared.v);
}

/* The present keys and values, outputs 1 and 2, include those of the past. */
struct imported *import_attention(struct translation *t)
{
    bool flat = input_at(t, 0)->shape.rank == 3;
    int64_t heads = get_int(t, "kv_num_heads", 0), shown = get_int(t, "qk_matmul_output_mode", 0);
    struct imported *past = input_at(t, 4), *stages[4] = {NULL};
    struct attending a = {
        .q = split_heads(t, input_at(t, 0), get_int(t, "q_num_heads", 0)),
        .k = behind(t, past, split_heads(t, input_at(t, 1), heads)),
        .v = behind(t, input_at(t, 5), split_heads(t, input_at(t, 2), heads)),
        .mask = input_at(t, 3),
        .counts = input_at(t, 6),
        .past = past ? past->shape.extent[2] : 0,
        .causal = get_int(t, "is_causal", 0),
        .softcap = get_float(t, "softcap", 0),
    };

    if (!a.q || !a.k || !a.v)
        return NULL;
    a.scale = get_float(t, "scale", 1 / sqrt((double)a.q->shape.extent[3]));
    if (wants_output(t, 1))
        set_output(t, 1, a.k);
    if (wants_output(t, 2))
        set_output(t, 2, a.v);
    struct imported *result = attend(t, &a, wants_output(t, 3) ? stages : NULL);
    if (wants_output(t, 3))
        set_output(t, 3, shown >= 0 && shown < 4 ? stages[shown] : NULL);
    return flat ? join_heads(t, result) : result;
}

/* --- with a state in the place of keys ------------------------------------------------------- */

/* An optional input that the rule wants, or not; false after a report. */
static bool wants_input(struct translation *t, int index, const char *what, bool wanted)
{
    return has_input(t, index) == wanted ||
           import_error(t, DIAG_ONNX_GRAPH, "has %s %s, which the rule '%s' %s",
                        wanted ? "no" : "a", what, get_string(t, "update_rule", "gated_delta"),
                        wanted ? "needs" : "does not know");
}

struct imported *import_linear_attention(struct translation *t)
{
    static const char *const rules[] = {"linear", "gated", "delta", "gated_delta", NULL};
    const struct shape *q = &input_at(t, 0)->shape;
    int64_t queries = get_int(t, "q_num_heads", 0), heads = get_int(t, "kv_num_heads", 0);
    int rule = get_word(t, "update_rule", "gated_delta", rules);
    bool gated = rule == 1 || rule == 3, delta = rule >= 2;

    if (rule < 0 || !wants_input(t, 4, "decay", gated) || !wants_input(t, 5, "beta", delta))
        return NULL;
    if (q->rank != 3 || queries < 1 || heads < 1 || queries % heads || q->extent[2] % queries)
        return import_refuse(t, DIAG_NOT_DIVISIBLE,
                             "has queries of shape %s, %" PRId64 " heads of them and %" PRId64
                             " of keys, expected rank 3 and numbers that divide each other",
                             SHAPE_TEXT(q), queries, heads);
    struct imported *in[6] = {input_at(t, 0), input_at(t, 1), input_at(t, 2)};
    for (int i = 3; i < 6; i++)
        in[i] = has_input(t, i) ? input_at(t, i) : literal(t, i < 5 ? 0 : 1);
    double scale = get_float(t, "scale", 0);
    int64_t size = q->extent[2] / queries;
    if (!(scale < 0 || scale > 0))
        scale = size > 0 ? 1 / sqrt((double)size) : 1;
    const struct linear_attention_attrs attrs = {queries, heads, scale, delta};
    struct imported *y = make_all(t, (struct op_spec){OP_linear_attention, &attrs}, in, 6);
    if (y)
        set_output(t, 1, t->made[1]);
    return y;
}
