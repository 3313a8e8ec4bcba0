/* convert_attention.c - attention, by itself and with the products around it */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <string.h>

/* q, k, v of rank 3 or 4; heads are those of rank 3. */
struct attention {
    struct imported *q, *k, *v, *mask;
    int64_t heads;
    bool causal;
    double scale; /* 0: that of the size */
};

static struct imported *attend_node(struct say *s, const struct attention *a)
{
    say_begin(s, "Attention");
    if (a->heads) {
        node_int(s, "q_num_heads", a->heads);
        node_int(s, "kv_num_heads", a->heads);
    }
    node_int(s, "is_causal", a->causal);
    if (a->scale > 0)
        node_real(s, "scale", a->scale);
    if (!a->q || !a->k || !a->v)
        return NULL;
    return say_end(s, (struct imported *[]){a->q, a->k, a->v, a->mask}, 4, NULL, 1);
}

/* Of rank 3 there is one head. */
static struct imported *with_head(struct say *s, struct imported *x)
{
    return x && x->shape.rank == 3 ? unsqueeze_at(&s->t, x, 1) : x;
}

struct imported *say_scaled_dot_product_attention(struct say *s)
{
    struct imported *query = say_argument(s, "query", 0);
    struct attention a = {.q = with_head(s, query),
                          .k = with_head(s, say_argument(s, "key", 1)),
                          .v = with_head(s, say_argument(s, "value", 2)),
                          .mask = say_option(s, "attn_mask"),
                          .causal = say_flag(s, "is_causal", false),
                          .scale = say_real(s, "scale", 0)};
    struct imported *result = attend_node(s, &a);

    return result && query->shape.rank == 3 ? squeeze_at(&s->t, result, 1) : result;
}

/* --- with products ------------------------------------------------------------------------------ */

/* Part `index` of three that lie one behind the other in `packed`, or weights of their own. */
static struct imported *part(struct say *s, struct imported *packed, const char *own, int index)
{
    struct imported *weight = own ? say_weight(s, own) : NULL;

    if (weight || !packed)
        return weight;
    int64_t size = packed->shape.extent[0] / 3;
    return slice_at(&s->t, packed, 0, index * size, (index + 1) * size);
}

static struct imported *project(struct say *s, struct imported *x, struct imported *weight,
                                struct imported *bias)
{
    if (!weight)
        return s->t.failed ? NULL : say_refuse(s, "has no weights for its products");
    struct imported *product = matmul(&s->t, x, transpose_last(&s->t, weight));
    return bias ? op2(&s->t, OP_add, product, bias) : product;
}

/* To [batch, length, size]. */
static struct imported *batch_first(struct say *s, struct imported *x)
{
    static const int64_t order[] = {1, 0, 2};

    if (x && x->shape.rank == 2)
        return unsqueeze_at(&s->t, x, 0);
    return x && !say_flag(s, "batch_first", false) ? transpose_by(&s->t, x, order) : x;
}

static struct imported *as_it_was(struct say *s, const struct imported *query, struct imported *x)
{
    static const int64_t order[] = {1, 0, 2};

    if (x && query->shape.rank == 2)
        return squeeze_at(&s->t, x, 0);
    return x && !say_flag(s, "batch_first", false) ? transpose_by(&s->t, x, order) : x;
}

/* Tensors that are no mask: one for all three, one for keys and values, or one for each. */
static int read_tensors(struct say *s, struct imported *in[3])
{
    int count = 0;

    for (int i = 0; i < s->op->nin && count < 3; i++) {
        bool mask = s->op->key[i] && strstr(s->op->key[i], "mask");
        if (!mask && s->t.in[i])
            in[count++] = s->t.in[i];
    }
    if (count > 0)
        in[1] = count > 1 ? in[1] : in[0];
    if (count > 0)
        in[2] = count > 2 ? in[2] : in[1];
    return count;
}

/* One mask for each head of each batch, all in a row. */
static struct imported *mask_of(struct say *s, int64_t heads)
{
    struct imported *mask = say_option(s, "attn_mask");

    if (!mask || mask->shape.rank != 3)
        return mask;
    const int64_t *e = mask->shape.extent;
    struct shape shape = {.rank = 4, .extent = {e[0] / heads, heads, e[1], e[2]}};
    return reshape_to(&s->t, mask, &shape);
}

struct imported *say_multihead_attention(struct say *s)
{
    static const char *const own[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    struct imported *in[3], *made[3], *weight = say_weight(s, "in_proj_weight");
    struct imported *bias = say_weight(s, "in_proj_bias");
    int64_t heads = say_int(s, "num_heads", 1);

    if (read_tensors(s, in) == 0 || heads < 1 || in[0]->shape.rank < 2 || in[0]->shape.rank > 3)
        return say_refuse(s, "has no queries of rank 2 or 3");
    if (say_flag(s, "add_zero_attn", false) || pnnx_attribute_of(s->op, "bias_k") ||
        say_option(s, "key_padding_mask"))
        return say_refuse(s, "has keys that are added or left out");
    for (int i = 0; i < 3; i++)
        made[i] =
            project(s, batch_first(s, in[i]), part(s, weight, own[i], i), part(s, bias, NULL, i));
    struct attention a = {.q = made[0],
                          .k = made[1],
                          .v = made[2],
                          .mask = mask_of(s, heads),
                          .heads = heads,
                          .causal = say_flag(s, "is_causal", false)};
    struct imported *result =
        project(s, attend_node(s, &a), say_weight(s, "out_proj.weight"), say_weight(s, "out_proj.bias"));
    return as_it_was(s, in[0], result);
}
