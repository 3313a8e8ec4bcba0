/*
 * import_fused.c - products and windows that ONNX Runtime computes together with what follows them
 *
 * Operators of domain com.microsoft.  An activation follows, or the operands are transposed in
 * front, or channels come last.
 */
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"
#include "sema/sema.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- activations ---------------------------------------------------------------------------- */

/* Those of NNEF itself; others are fragments of onnx.nnef. */
static const struct {
    const char *name;
    enum op_id op;
} plain[] = {
    {"Relu", OP_relu}, {"Sigmoid", OP_sigmoid}, {"Tanh", OP_tanh}, {"Softplus", OP_softplus}};
static const char *const composed[] = {"Elu",      "HardSigmoid", "LeakyRelu",      "Selu",
                                       "Softsign", "HardSwish",   "ThresholdedRelu"};

/* By the attribute 'activation', whose numbers `read` finds; none leaves x as it is. */
static struct imported *activate(struct translation *t, struct imported *x, argument_reader *read)
{
    const char *name = get_string(t, "activation", "");
    const struct library *library = builder_compositions(t->builder, IMPORT_ONNX);

    if (!x || !library || !*name)
        return library ? x : NULL;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(plain[i].name, name) == 0)
            return op1(t, plain[i].op, x);
    for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++)
        if (strcmp(composed[i], name) == 0)
            return expand_fragment(t, library_find(library, name), &x, 1, read);
    return import_unsupported(t, "has the activation '%s'", name);
}

static struct datum scalar_datum(double number)
{
    return (struct datum){.kind = DATUM_SCALAR, .scalar = number};
}

/* Attribute 'activation_alpha' for parameter 'alpha', and so on. */
static struct datum named_number(struct translation *t, const struct sig_param *param, int tensors)
{
    static const char *const names[] = {"activation_alpha", "activation_beta", "activation_gamma"};

    assert(param->has_default);
    (void)tensors;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i] + strlen("activation_"), param->name) == 0)
            return scalar_datum(get_float(t, names[i], param->value.scalar));
    return scalar_datum(param->value.scalar);
}

/* Item 0 of attribute 'activation_params' for parameter 'alpha', and item 1 for 'beta'. */
static struct datum listed_number(struct translation *t, const struct sig_param *param, int tensors)
{
    const int index = strcmp(param->name, "alpha") == 0 ? 0 : 1;
    const float *items = NULL;
    int count = 0;

    assert(param->has_default);
    (void)tensors;
    get_floats(t, "activation_params", &items, &count);
    return scalar_datum(index < count ? (double)items[index] : param->value.scalar);
}

/* --- products ------------------------------------------------------------------------------- */

struct imported *import_fused_gemm(struct translation *t)
{
    return activate(t, import_gemm(t), named_number);
}

/* The first dimension goes behind the other batches: just before the matrix's second one. */
static struct imported *batches_first(struct translation *t, struct imported *x)
{
    int64_t order[MAX_RANK];
    int rank = x->shape.rank;

    if (rank < 3)
        return x;
    for (int i = 0; i < rank - 2; i++)
        order[i] = i + 1;
    order[rank - 2] = 0;
    order[rank - 1] = rank - 1;
    return transpose_by(t, x, order);
}

struct imported *import_fused_matmul(struct translation *t)
{
    static const char *const flips[] = {"transA", "transB"}, *const turns[] = {"transBatchA",
                                                                               "transBatchB"};
    struct imported *in[2] = {input_at(t, 0), input_at(t, 1)};
    double alpha = get_float(t, "alpha", 1);
    bool flip[2];

    for (int i = 0; i < 2; i++) {
        flip[i] = get_int(t, flips[i], 0) != 0 && in[i]->shape.rank > 1;
        if (get_int(t, turns[i], 0) && !(in[i] = batches_first(t, in[i])))
            return NULL;
    }
    const int a = in[0]->shape.rank, b = in[1]->shape.rank, rank = a > b ? a : b;
    struct imported *product =
        a < 2 || b < 2 ? matmul(t, flip[0] ? transpose_last(t, in[0]) : in[0],
                                flip[1] ? transpose_last(t, in[1]) : in[1])
                       : make2(t, OP_SPEC(matmul, .transpose_a = flip[0], .transpose_b = flip[1]),
                               with_rank(t, in[0], rank), with_rank(t, in[1], rank));
    return alpha < 1 || alpha > 1 ? op2(t, OP_mul, product, literal(t, alpha)) : product;
}

/* --- windows -------------------------------------------------------------------------------- */

/* The sum of a convolution and input 3 between two bounds, or by another activation. */
struct imported *import_fused_conv(struct translation *t)
{
    struct imported *y = convolve(t, input_at(t, 0), input_at(t, 1), input_at(t, 2));
    struct imported *added = input_at(t, 3);
    const float *bounds = NULL;
    int count = 0;

    if (y && added && !shape_equal(&added->shape, &y->shape))
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "adds shape %s to %s",
                             SHAPE_TEXT(&added->shape), SHAPE_TEXT(&y->shape));
    y = added ? op2(t, OP_add, y, added) : y;
    if (strcmp(get_string(t, "activation", ""), "Clip") != 0)
        return activate(t, y, listed_number);
    get_floats(t, "activation_params", &bounds, &count);
    if (count != 2 || !(bounds[0] <= bounds[1]))
        return import_refuse(t, DIAG_ITEM_COUNT,
                             "'activation_params' has %d items, expected two that ascend", count);
    return op3(t, OP_clamp, y, literal(t, (double)bounds[0]), literal(t, (double)bounds[1]));
}

/* Channels are the last dimension. */
struct imported *import_nhwc_max_pool(struct translation *t)
{
    if (wants_output(t, 1))
        return import_refuse(t, DIAG_ONNX_GRAPH, "has %d outputs, expected 1", t->nout);
    struct imported *x = move_channels(t, input_at(t, 0), false);
    return x ? move_channels(t, max_pool_of(t, x), true) : NULL;
}
