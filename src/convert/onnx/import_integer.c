/*
 * import_integer.c - arithmetic on integers by the operations that are exact (op/integer.c)
 *
 * ONNX and PyTorch compute integers in the width of their type, where they wrap.  What is known
 * when the model is read, such as shapes, is computed by the same operations at once.
 */
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"

#include "base/num.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/site.h"
#include "pass/bounds.h"

#include <assert.h>
#include <inttypes.h>

int64_t integer_bits(int32_t type)
{
    return dtype_of(type) == DTYPE_INTEGER ? onnx_type_bits(type) : 64;
}

bool integer_is_signed(int32_t type)
{
    return onnx_type_items(type).type != ITEM_UNSIGNED;
}

/* A literal, which has no type, stands for an integer if it is a whole number. */
static bool whole(const struct imported *x, int64_t *item)
{
    if (x->type != ONNX_UNDEFINED || !x->known || shape_volume(&x->shape) != 1)
        return false;
    double number = x->is_number ? x->number : tensor_item(x->known, 0);
    return num_truncate(number, item) && (double)*item >= number && (double)*item <= number;
}

/* The type of the first integer; UNDEFINED if some operand is neither that nor a whole literal. */
static int32_t common_integer(struct imported *const *in, int count)
{
    int32_t type = ONNX_UNDEFINED;
    int64_t item;

    for (int i = 0; i < count; i++) {
        bool is_integer = dtype_of(in[i]->type) == DTYPE_INTEGER;
        if (!is_integer && !whole(in[i], &item))
            return ONNX_UNDEFINED;
        if (is_integer && type == ONNX_UNDEFINED)
            type = in[i]->type;
    }
    return type;
}

/* --- operations that are one on integers, too ---------------------------------------------- */

/* Is it one whose attributes are to be those of the operands' type? */
static bool is_form(const struct op_spec *spec)
{
    return !spec->attrs && op_table[spec->op]->integer &&
           !op_attr_row(op_table[spec->op], ATTR_axes);
}

/* With the attributes of that operation, and how results wrap. */
static struct op_spec form_of(struct translation *t, struct op_spec spec, int32_t type)
{
    const struct wrap_attrs wraps = {integer_bits(type), integer_is_signed(type)};
    struct op_spec form = {integer_form(spec.op), NULL};

    if (form.op == OP_COUNT && is_form(&spec))
        form.op = spec.op;
    if (spec.op == OP_sum_reduce && ((const struct reduce_attrs *)spec.attrs)->normalize)
        form.op = OP_COUNT;
    if (form.op == OP_integer_matmul) {
        struct integer_matmul_attrs *attrs = import_alloc(t, 1, sizeof *attrs);
        const struct matmul_attrs *product = spec.attrs;
        *attrs = (struct integer_matmul_attrs){.bits = wraps.bits, .is_signed = wraps.is_signed};
        if (product) {
            attrs->transpose_a = product->transpose_a;
            attrs->transpose_b = product->transpose_b;
        }
        form.attrs = attrs;
    } else if (form.op < OP_COUNT && op_attr_row(op_table[form.op], ATTR_axes)) {
        struct wrap_reduce_attrs *attrs = import_alloc(t, 1, sizeof *attrs);
        *attrs = (struct wrap_reduce_attrs){((const struct reduce_attrs *)spec.attrs)->axes,
                                            wraps.bits, wraps.is_signed};
        form.attrs = attrs;
    } else {
        struct wrap_attrs *attrs = import_alloc(t, 1, sizeof *attrs);
        *attrs = wraps;
        form.attrs = attrs;
    }
    return form;
}

struct imported *whole_literal(struct translation *t, struct imported *x, int32_t type)
{
    int64_t item;

    if (dtype_of(x->type) == DTYPE_INTEGER || !whole(x, &item))
        return x;
    return known_copy(t, type, &x->shape, &item);
}

int32_t integer_request(struct translation *t, struct op_spec *spec, struct imported **in,
                        int count)
{
    int32_t type = count > 0 && count <= 2 ? common_integer(in, count) : ONNX_UNDEFINED;
    struct op_spec form;

    if (type == ONNX_UNDEFINED || (form = form_of(t, *spec, type)).op == OP_COUNT)
        return ONNX_UNDEFINED;
    for (int i = 0; i < count; i++)
        in[i] = whole_literal(t, in[i], type);
    *spec = form;
    return type;
}

/* --- operations that are several on integers ------------------------------------------------ */

/*
 * A mean of 64 bits, whose sum may wrap: the sum of the quotients, and that of the rests divided
 * again.  What is left then counts against the quotient if it has another sign.
 */
static struct imported *wide_mean(struct translation *t, struct imported *x,
                                  const struct integers *axes, struct imported *count)
{
    struct imported *quotient = op2(t, OP_div, x, count);
    struct imported *rest = op2(t, OP_sub, x, op2(t, OP_mul, quotient, count));
    struct imported *sum = reduce(t, OP_sum_reduce, rest, axes);
    struct imported *more = op2(t, OP_div, sum, count);

    rest = op1(t, OP_sign, op2(t, OP_sub, sum, op2(t, OP_mul, more, count)));
    quotient = op2(t, OP_add, reduce(t, OP_sum_reduce, quotient, axes), more);
    if (!quotient || !integer_is_signed(quotient->type))
        return quotient;
    struct imported *sign = op1(t, OP_sign, quotient);
    struct imported *differ = op2(t, OP_lt, op2(t, OP_mul, sign, rest), literal(t, 0));
    return op3(t, OP_select, differ, op2(t, OP_sub, quotient, sign), quotient);
}

/* The sum divided by how many there are, toward zero.  Sums of narrow integers have 64 bits. */
static struct imported *mean(struct translation *t, struct imported *x, const struct integers *axes)
{
    double count = 1;

    for (int i = 0; i < axes->count; i++)
        count *= (double)shape_extent(&x->shape, (int)axes->item[i]);
    if (integer_bits(x->type) == 64)
        return wide_mean(t, x, axes, literal(t, count));
    struct imported *sum = reduce(t, OP_sum_reduce, convert(t, x, ONNX_INT64), axes);
    return convert(t, op2(t, OP_div, sum, literal(t, count)), x->type);
}

bool integer_compose(struct translation *t, const struct op_spec *spec, struct imported *const *in,
                     int count, struct imported **result)
{
    const enum op_id op = spec->op;
    bool any = op == OP_relu || op == OP_prelu || op == OP_sqr || op == OP_clamp ||
               (op == OP_mean_reduce && spec->attrs);

    if (!any || common_integer(in, count) == ONNX_UNDEFINED)
        return false;
    if (op == OP_relu)
        *result = op2(t, OP_max, in[0], literal(t, 0));
    else if (op == OP_sqr)
        *result = op2(t, OP_mul, in[0], in[0]);
    else if (op == OP_prelu)
        *result = op3(t, OP_select, op2(t, OP_lt, in[0], literal(t, 0)),
                      op2(t, OP_mul, in[0], in[1]), in[0]);
    else if (op == OP_clamp)
        *result = op2(t, OP_min, op2(t, OP_max, in[0], in[1]), in[2]);
    else
        *result = mean(t, in[0], &((const struct reduce_attrs *)spec->attrs)->axes);
    return true;
}

/* --- what is left for scalars --------------------------------------------------------------- */

enum { SCALAR_BITS = 24 };

static bool fits_scalar(const struct imported *x)
{
    if (integer_bits(x->type) <= SCALAR_BITS)
        return true;
    for (int64_t i = 0, count = x->known ? shape_volume(&x->shape) : 0; i < count; i++) {
        int64_t item = tensor_integer(x->known, i);
        if (item < -(1 << SCALAR_BITS) || item > 1 << SCALAR_BITS)
            return false;
    }
    return x->known;
}

void integer_meets_scalar(struct translation *t, enum op_id op, const struct imported *x)
{
    const struct place place = {t->builder->context->diag, t->site, t->span};

    if (t->rounds || fits_scalar(x))
        return;
    t->rounds = true;
    place_warn(&place, WARNING_INTEGER_PRECISION,
               "%s%s'%s' computes integers of %" PRId64
               " bits as 32-bit floats, which round them beyond 2^24",
               t->who ? t->who : "", t->who ? ": " : "", op_table[op]->name, integer_bits(x->type));
}
