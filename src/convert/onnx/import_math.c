/* import_math.c - arithmetic, item by item */
#include "convert/onnx/import_share.h"

#include "base/num.h"
#include "convert/proto/onnx_data.h"

#include <assert.h>
#include <math.h>

struct imported *import_identity(struct translation *t)
{
    return input_at(t, 0);
}

bool are_alike(struct translation *t)
{
    int first = -1;

    for (int i = 0; i < t->nin; i++) {
        const struct imported *x = input_at(t, i);
        if (!x || dtype_of(x->type) != DTYPE_INTEGER)
            continue;
        if (first < 0)
            first = i;
        if (x->type != input_at(t, first)->type)
            return import_error(t, DIAG_ONNX_GRAPH,
                                "inputs %d and %d have different types of integers", first, i);
    }
    return true;
}

/* Sum, Min and Max of any number of inputs. */
struct imported *import_chain(struct translation *t)
{
    struct imported *result = input_at(t, 0);

    assert(t->nin > 0);
    if (!are_alike(t))
        return NULL;
    for (int i = 1; i < t->nin; i++)
        result = op2(t, t->row->op, result, input_at(t, i));
    return result;
}

struct imported *import_mean(struct translation *t)
{
    return op2(t, OP_div, import_chain(t), literal(t, t->nin));
}

/*
 * An exponent of integers in 64 bits with a sign.  Beyond 2^63, one that makes the same power in 64
 * bits: above 63 even bases leave 0, and those of odd ones repeat after 2^62.
 */
static struct imported *exponent(struct translation *t, struct imported *y)
{
    bool huge = y->type == ONNX_UINT64;

    y = convert(t, y, ONNX_INT64);
    if (!huge || !y)
        return y;
    struct imported *most = known_integer(t, INT64_MAX, ONNX_INT64);
    struct imported *less = op2(t, OP_integer_or, op2(t, OP_integer_and, y, most),
                                known_integer(t, INT64_C(1) << 62, ONNX_INT64));
    return op3(t, OP_select, op2(t, OP_lt, y, literal(t, 0)), less, y);
}

/*
 * The power has the type of the base, whatever that of the exponent is.  Exponents of integers that
 * are known, and whole, are integers, too.
 */
struct imported *import_pow(struct translation *t)
{
    struct imported *x = input_at(t, 0), *y = input_at(t, 1);
    int64_t item;

    if (dtype_of(x->type) == DTYPE_SCALAR)
        return op2(t, OP_pow, x, convert(t, y, x->type));
    if (dtype_of(y->type) == DTYPE_INTEGER)
        return op2(t, OP_pow, x, exponent(t, y));
    bool whole = y->known;
    for (int64_t i = 0; whole && i < shape_volume(&y->shape); i++) {
        double number = tensor_item(y->known, i);
        whole = num_truncate(number, &item) && fabs(number - (double)item) <= 0;
    }
    return convert(t, op2(t, OP_pow, x, whole ? convert(t, y, ONNX_INT64) : y), x->type);
}

/* --- bits -------------------------------------------------------------------------------- */

static bool are_integers(struct translation *t)
{
    for (int i = 0; i < t->nin; i++)
        if (dtype_of(input_at(t, i)->type) != DTYPE_INTEGER)
            return import_error(t, DIAG_ONNX_GRAPH, "input %d has a type other than integers", i);
    return are_alike(t);
}

struct imported *import_bits(struct translation *t)
{
    return are_integers(t) ? make_all(t, op_plain(t->row->op), t->in, t->nin) : NULL;
}

struct imported *import_bit_shift(struct translation *t)
{
    static const char *const directions[] = {"LEFT", "RIGHT", NULL};
    int right = get_word(t, "direction", "", directions);

    if (right < 0 || !are_integers(t))
        return NULL;
    return make_all(t, op_plain(right ? OP_integer_shift_right : OP_integer_shift_left), t->in, 2);
}

struct imported *modulo(struct translation *t, struct imported *x, struct imported *y,
                        bool as_dividend)
{
    if (x && y && dtype_of(x->type) == DTYPE_INTEGER && dtype_of(y->type) == DTYPE_INTEGER)
        return op2(t, as_dividend ? OP_integer_rest : OP_integer_mod, x, y);
    return compose_plain(t, as_dividend ? "rest" : "modulus", (struct imported *[]){x, y}, 2);
}

struct imported *import_mod(struct translation *t)
{
    if (!are_alike(t))
        return NULL;
    return modulo(t, input_at(t, 0), input_at(t, 1), get_int(t, "fmod", 0));
}

/* --- types ------------------------------------------------------------------------------- */

/* Input 0 as another type. */
static struct imported *cast(struct translation *t, int32_t type)
{
    if (dtype_of(type) == DTYPE_UNKNOWN || type == ONNX_UNDEFINED)
        return import_unsupported(t, "casts to a type that NNEF does not have");
    return convert(t, input_at(t, 0), type);
}

struct imported *import_cast(struct translation *t)
{
    if (t->opset < 6)
        return import_unsupported(t, "names a type by text, as before opset 6");
    return cast(t, (int32_t)get_int(t, "to", ONNX_UNDEFINED));
}

struct imported *import_cast_like(struct translation *t)
{
    return cast(t, input_at(t, 1)->type);
}

/* A format of floats; false: the type is none of those whose bits a scalar has. */
static bool format_of(int32_t type, enum format *format)
{
    *format = type == ONNX_FLOAT16    ? FORMAT_FLOAT16
              : type == ONNX_BFLOAT16 ? FORMAT_BFLOAT16
                                      : FORMAT_FLOAT32;
    return type == ONNX_FLOAT || *format != FORMAT_FLOAT32;
}

/* The same bits as another type, by way of integers without a sign. */
struct imported *import_bit_cast(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const int32_t to = (int32_t)get_int(t, "to", ONNX_UNDEFINED);
    int bits = onnx_type_bits(to);
    enum format format;
    struct imported *y = x;

    if (to == x->type)
        return x;
    if (bits == 0 || bits != onnx_type_bits(x->type))
        return import_refuse(t, DIAG_ONNX_GRAPH, "casts the %d bits of %s to %s, which has %d",
                             onnx_type_bits(x->type), onnx_type_name(x->type), onnx_type_name(to),
                             bits);
    if (dtype_of(to) == DTYPE_UNKNOWN || to == ONNX_DOUBLE || x->type == ONNX_DOUBLE)
        return import_unsupported(t, "casts the bits of %s to %s, which NNEF does not have",
                                  onnx_type_name(x->type), onnx_type_name(to));
    const int32_t whole = bits == 32 ? ONNX_UINT32 : bits == 16 ? ONNX_UINT16 : to;
    if (format_of(x->type, &format) && (y = make1(t, OP_SPEC(bits_of_scalar, .format = format), x)))
        y->type = whole;
    if (!format_of(to, &format))
        return convert(t, y, to);
    y = make1(t, OP_SPEC(scalar_of_bits, .format = format), convert(t, y, whole));
    return convert(t, y, to);
}

/* --- bounds ------------------------------------------------------------------------------ */

/* Some exporters write the greatest float with 7 digits, which makes this of it. */
static const double greatest = 3.402823e+38;

/*
 * A bound that is an attribute or an input; NULL: none that matters.  `none` is the infinity that
 * stands for an absent one; old models write the greatest number instead.
 */
static struct imported *bound_of(struct translation *t, const char *name, int index, double none)
{
    struct imported *bound = input_at(t, index);
    double value = none;

    if (!bound && has_attribute(t, name))
        bound = literal(t, value = get_float(t, name, none));
    else if (bound && bound->known && shape_volume(&bound->shape) == 1)
        value = tensor_item(bound->known, 0);
    else
        return bound;
    return fabs(value) < greatest ? bound : (value < 0) == (none < 0) ? NULL : bound;
}

/*
 * Known bounds in the right order make one operation.  If the lower bound may exceed the upper one,
 * the upper one counts, as ONNX has it.
 */
struct imported *import_clip(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct imported *low = bound_of(t, "min", 1, -HUGE_VAL),
                    *high = bound_of(t, "max", 2, HUGE_VAL);

    if (dtype_of(x->type) == DTYPE_SCALAR && low && high && low->known && high->known &&
        shape_volume(&low->shape) == 1 && shape_volume(&high->shape) == 1 &&
        tensor_item(low->known, 0) <= tensor_item(high->known, 0))
        return op3(t, OP_clamp, x, low, high);
    if (low)
        x = op2(t, OP_max, x, low);
    return high ? op2(t, OP_min, x, high) : x;
}
