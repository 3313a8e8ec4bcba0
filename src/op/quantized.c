/*
 * quantized.c - quantized tensors as integers, of the extensions
 *
 * The formulas are those of tensor/quantization.h; kernels of layers are in integer.c and
 * quantized_conv.c.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/op_build.h"
#include "tensor/quantization.h"

#include <assert.h>
#include <inttypes.h>

/* Bounds that leave an integer, of which differences fit 64 bits. */
static bool check_bounds(const struct infer *infer)
{
    const struct saturate_attrs *attrs = infer->attrs;

    if (attrs->low < INT32_MIN || attrs->high > UINT32_MAX)
        return infer_error(infer, attrs->low < INT32_MIN ? "low" : "high", DIAG_ITEM_VALUE,
                           "'%s' makes integers from %" PRId64 " to %" PRId64
                           ", expected at most 32 bits",
                           infer_name(infer), attrs->low, attrs->high);
    return attrs->low <= attrs->high ||
           infer_error(infer, "low", DIAG_ITEM_VALUE,
                       "'low' of '%s' is %" PRId64 ", expected at most 'high', which is %" PRId64,
                       infer_name(infer), attrs->low, attrs->high);
}

/* Zeros have at most 32 bits, too. */
static bool check_zeros(const struct eval *eval, int operand)
{
    const struct tensor *zero = eval->in[operand];

    for (int64_t i = 0, count = shape_volume(&zero->shape); i < count; i++) {
        int64_t item = ((const int64_t *)zero->data)[i];
        if (item < INT32_MIN || item > UINT32_MAX)
            return eval_error(eval, DIAG_ITEM_VALUE,
                              "a zero of '%s' is %" PRId64 ", expected at most 32 bits",
                              eval->node->op->name, item);
    }
    return true;
}

/* --- a tensor with its scale and zero ----------------------------------------------------- */

enum { ITEMS, SCALE, ZERO, CODED };

static bool coded_infer(struct infer *infer)
{
    bool saturates = infer->call->op->id != OP_dequantize;

    return (!saturates || check_bounds(infer)) && infer_parameters(infer);
}

/* One item of a run: of quantize, requantize and dequantize. */
static void code_item(const struct eval *eval, const struct item_run *run, int64_t i)
{
    const struct saturate_attrs *attrs = eval->attrs;
    const int64_t at = run->at[ITEMS] + i * run->step[ITEMS], to = run->first + i;
    const float scale =
        ((const float *)eval->in[SCALE]->data)[run->at[SCALE] + i * run->step[SCALE]];
    const int64_t zero =
        ((const int64_t *)eval->in[ZERO]->data)[run->at[ZERO] + i * run->step[ZERO]];
    const void *x = eval->in[ITEMS]->data;
    void *out = eval->out[0]->data;

    if (eval->node->op->id == OP_dequantize) {
        ((float *)out)[to] = quantized_number(((const int64_t *)x)[at], zero, scale);
        return;
    }
    const struct saturation s = {zero, attrs->low, attrs->high};
    float steps = eval->node->op->id == OP_quantize ? ((const float *)x)[at] / scale
                                                    : (float)((const int64_t *)x)[at] * scale;
    ((int64_t *)out)[to] = quantized_integer(steps, &s);
}

static void code_run(const void *data, const struct item_run *run)
{
    for (int64_t i = 0; i < run->count; i++)
        code_item(data, run, i);
}

static bool coded_eval(const struct eval *eval)
{
    struct walk walk;

    if (!check_zeros(eval, ZERO))
        return false;
    walk_init(&walk, &eval->out[0]->shape, eval->in, CODED);
    walk_share(eval, &walk, code_run, eval);
    return true;
}

#define CODED(name, more)                                                                        \
    DESCRIPTOR(name, (more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = coded_infer, \
               .eval = coded_eval)

CODED(quantize, 0);
CODED(requantize, 0);
CODED(dequantize, OP_DECODES);

/* --- two tensors, each by one scale and zero ---------------------------------------------- */

enum { PARTS = 2, SCALES = 2, RESULT = 2, ZEROS = 5, PAIR = 8 };

static bool pair_infer(struct infer *infer)
{
    static const struct shape number;
    const struct shape *x = infer_in(infer, 0), *y = infer_in(infer, 1);
    bool ok = check_bounds(infer);
    int axis;

    for (int i = SCALES; i < PAIR; i++)
        ok &= infer_broadcasts_to(infer, i, &number);
    infer->out[0] = *x;
    return ok && (broadcast(BROADCAST_NNEF, &infer->out[0], y, &axis) ||
                  infer_error(infer, "y", DIAG_BROADCAST,
                              "'y' of '%s' has shape %s, which does not broadcast with %s",
                              infer_name(infer), SHAPE_TEXT(y), SHAPE_TEXT(x)));
}

/* What one of the operations has of its operands. */
struct pairs_of {
    const struct eval *eval;
    struct saturation bounds;
    int64_t zero[PARTS];
    struct quantized_sum sum;
    float factor;
};

static void pair_run(const void *data, const struct item_run *run)
{
    const struct pairs_of *p = data;
    const struct eval *eval = p->eval;
    const int64_t *x = (const int64_t *)eval->in[0]->data + run->at[0];
    const int64_t *y = (const int64_t *)eval->in[1]->data + run->at[1];
    int64_t *out = (int64_t *)eval->out[0]->data + run->first;
    const struct saturation reached = {0, p->bounds.low, p->bounds.high};
    bool adds = eval->node->op->id == OP_quantized_add;

    for (int64_t i = 0; i < run->count; i++) {
        int64_t a = x[i * run->step[0]], b = y[i * run->step[1]];
        float product =
            (float)(((double)a - (double)p->zero[0]) * ((double)b - (double)p->zero[1]));
        out[i] =
            adds ? quantized_integer(
                       fmaf((float)a, p->sum.a, fmaf((float)b, p->sum.b, p->sum.offset)), &reached)
                 : quantized_integer(product * p->factor, &p->bounds);
    }
}

static bool pair_eval(const struct eval *eval)
{
    const struct saturate_attrs *attrs = eval->attrs;
    struct pairs_of p = {.eval = eval};
    float scale[3];
    int64_t zero[3];
    struct walk walk;

    for (int i = 0; i < 3; i++) {
        if (!check_zeros(eval, ZEROS + i))
            return false;
        scale[i] = *(const float *)eval->in[SCALES + i]->data;
        zero[i] = *(const int64_t *)eval->in[ZEROS + i]->data;
    }
    p.bounds = (struct saturation){zero[RESULT], attrs->low, attrs->high};
    p.zero[0] = zero[0];
    p.zero[1] = zero[1];
    p.sum = quantized_sum_of(scale, zero);
    p.factor = quantized_factor(scale[0], scale[1], scale[RESULT]);
    walk_init(&walk, &eval->out[0]->shape, eval->in, PARTS);
    walk_share(eval, &walk, pair_run, &p);
    return true;
}

/* The bounds are whole numbers that both operations reach. */
#define PAIRED(name)                                                                   \
    DESCRIPTOR(name, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = pair_infer, \
               .eval = pair_eval)

PAIRED(quantized_add);
PAIRED(quantized_mul);
