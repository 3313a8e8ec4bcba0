/*
 * convert_expression.c - expressions, which compute tensors, numbers and lists
 *
 * Types follow PyTorch: a real number makes integers real, a quotient is real, logicals count as 0
 * and 1.
 */
#include "convert/pnnx/convert.h"
#include "convert/pnnx/expression.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- functions that NNEF lacks -------------------------------------------------------------- */

/* Functions that are neither one operation nor a fragment; see compute(). */
enum computation {
    PLAIN, /* one operation, or a fragment */
    COMPUTE_BITS,
    COMPUTE_FLOOR_DIVIDE,
    COMPUTE_FMOD,
    COMPUTE_INT,
    COMPUTE_REMAINDER,
    COMPUTE_SHIFT,
    COMPUTE_WHOLE
};

/* A function of expressions. */
struct pnnx_function {
    const char *name;
    int count; /* operands */
    enum computation how;
    enum op_id op;        /* of PLAIN, unless there is a fragment; of COMPUTE_SHIFT and _BITS */
    const char *fragment; /* of PLAIN and _WHOLE: a composition of real numbers; else NULL */
};

/* Integers and logicals become real numbers, for functions that NNEF has for these only. */
static struct imported *real(struct pnnx_call *c, struct imported *x)
{
    return x && dtype_of(x->type) != DTYPE_SCALAR ? convert(&c->t, x, ONNX_FLOAT) : x;
}

/* Integers are kept where a function of theirs is an integer. */
static bool are_whole(struct imported *const *in, int count)
{
    bool whole = true;

    for (int i = 0; i < count; i++)
        whole &= dtype_of(in[i]->type) == DTYPE_INTEGER;
    return whole;
}

/* Integers are rounded down, other than by OP_div: one less if the rest has the other sign. */
static struct imported *floor_divide(struct translation *t, struct imported *x, struct imported *y)
{
    struct imported *inexact =
        op2(t, OP_ne, op2(t, OP_integer_rest, x, y), op2(t, OP_integer_mod, x, y));

    return op2(t, OP_sub, op2(t, OP_div, x, y), inexact ? convert(t, inexact, x->type) : NULL);
}

/* The operation of the table is that of logicals, for which OP_ne is "xor". */
static struct imported *compute_bits(struct pnnx_call *c, const struct pnnx_function *function,
                                     struct imported *const *in)
{
    const enum op_id bits = function->op == OP_and  ? OP_integer_and
                            : function->op == OP_or ? OP_integer_or
                            : function->op == OP_ne ? OP_integer_xor
                                                    : OP_integer_not;
    const bool logical = in[0]->type == ONNX_BOOL;
    const int count = function->count;

    if (!logical && !are_whole(in, count))
        return import_unsupported(&c->t, "computes with the bits of real numbers");
    if (logical && function->op == OP_ne)
        return compose(c, "Xor", in, 2, NULL);
    return make_all(&c->t, op_plain(logical ? function->op : bits), in, count);
}

/* Functions that NNEF lacks, of operands that are promoted to one kind. */
static struct imported *compute(struct pnnx_call *c, const struct pnnx_function *function,
                                struct imported *const *in)
{
    struct translation *t = &c->t;

    switch (function->how) {
    case COMPUTE_BITS:
        return compute_bits(c, function, in);
    case COMPUTE_FLOOR_DIVIDE: /* rounded down; integers give an integer */
        return are_whole(in, 2) ? floor_divide(t, in[0], in[1])
                                : op1(t, OP_floor, op2(t, OP_div, in[0], in[1]));
    case COMPUTE_FMOD:      /* the remainder has the sign of the dividend */
    case COMPUTE_REMAINDER: /* ... of the divisor */
        return modulo(t, in[0], in[1], function->how == COMPUTE_FMOD);
    case COMPUTE_INT: /* PyTorch's int() rounds toward zero */
        return convert(t,
                       dtype_of(in[0]->type) != DTYPE_SCALAR ? in[0] : compose1(c, "trunc", in[0]),
                       ONNX_INT64);
    case COMPUTE_WHOLE: /* integers stay as they are */
        return are_whole(in, 1) ? in[0] : compose1(c, function->fragment, in[0]);
    case COMPUTE_SHIFT:
        return are_whole(in, 2) ? op2(t, function->op, in[0], in[1])
                                : import_unsupported(&c->t, "shifts something other than integers");
    case PLAIN:
        break;
    }
    assert(false);
    return NULL;
}

/* --- functions by name ---------------------------------------------------------------------- */

static const struct pnnx_function functions[] = {
    {"abs", 1, PLAIN, OP_abs, NULL},
    {"acos", 1, PLAIN, OP_acos, NULL},
    {"acosh", 1, PLAIN, OP_acosh, NULL},
    {"asin", 1, PLAIN, OP_asin, NULL},
    {"asinh", 1, PLAIN, OP_asinh, NULL},
    {"atan", 1, PLAIN, OP_atan, NULL},
    {"atanh", 1, PLAIN, OP_atanh, NULL},
    {"ceil", 1, PLAIN, OP_ceil, NULL},
    {"cos", 1, PLAIN, OP_cos, NULL},
    {"cosh", 1, PLAIN, OP_cosh, NULL},
    {"exp", 1, PLAIN, OP_exp, NULL},
    {"floor", 1, PLAIN, OP_floor, NULL},
    {"log", 1, PLAIN, OP_log, NULL},
    {"neg", 1, PLAIN, OP_neg, NULL},
    {"reciprocal", 1, PLAIN, OP_rcp, NULL},
    {"rsqrt", 1, PLAIN, OP_rsqrt, NULL},
    {"sign", 1, PLAIN, OP_sign, NULL},
    {"sin", 1, PLAIN, OP_sin, NULL},
    {"sinh", 1, PLAIN, OP_sinh, NULL},
    {"sqrt", 1, PLAIN, OP_sqrt, NULL},
    {"square", 1, PLAIN, OP_sqr, NULL},
    {"tan", 1, PLAIN, OP_tan, NULL},
    {"tanh", 1, PLAIN, OP_tanh, NULL},
    {"sigmoid", 1, PLAIN, OP_sigmoid, NULL},
    {"erf", 1, PLAIN, OP_erf, NULL},
    {"expm1", 1, PLAIN, 0, "expm1"},
    {"int", 1, COMPUTE_INT, 0, NULL},
    {"log10", 1, PLAIN, 0, "log10"},
    {"log1p", 1, PLAIN, 0, "log1p"},
    {"not", 1, PLAIN, OP_not, NULL},
    {"round", 1, COMPUTE_WHOLE, 0, "Round"},
    {"trunc", 1, COMPUTE_WHOLE, 0, "trunc"},
    {"add", 2, PLAIN, OP_add, NULL},
    {"sub", 2, PLAIN, OP_sub, NULL},
    {"mul", 2, PLAIN, OP_mul, NULL},
    {"pow", 2, PLAIN, OP_pow, NULL},
    {"max", 2, PLAIN, OP_max, NULL},
    {"maximum", 2, PLAIN, OP_max, NULL},
    {"min", 2, PLAIN, OP_min, NULL},
    {"minimum", 2, PLAIN, OP_min, NULL},
    {"lt", 2, PLAIN, OP_lt, NULL},
    {"le", 2, PLAIN, OP_le, NULL},
    {"gt", 2, PLAIN, OP_gt, NULL},
    {"ge", 2, PLAIN, OP_ge, NULL},
    {"eq", 2, PLAIN, OP_eq, NULL},
    {"ne", 2, PLAIN, OP_ne, NULL},
    {"and", 2, COMPUTE_BITS, OP_and, NULL},
    {"bitwise_and", 2, COMPUTE_BITS, OP_and, NULL},
    {"bitwise_left_shift", 2, COMPUTE_SHIFT, OP_integer_shift_left, NULL},
    {"bitwise_not", 1, COMPUTE_BITS, OP_not, NULL},
    {"bitwise_or", 2, COMPUTE_BITS, OP_or, NULL},
    {"bitwise_right_shift", 2, COMPUTE_SHIFT, OP_integer_shift_right, NULL},
    {"bitwise_xor", 2, COMPUTE_BITS, OP_ne, NULL},
    {"atan2", 2, PLAIN, 0, "atan2"},
    {"div", 2, PLAIN, 0, "quotient"},
    {"floor_divide", 2, COMPUTE_FLOOR_DIVIDE, 0, NULL},
    {"fmod", 2, COMPUTE_FMOD, 0, NULL},
    {"logaddexp", 2, PLAIN, 0, "logaddexp"},
    {"lshift", 2, COMPUTE_SHIFT, OP_integer_shift_left, NULL},
    {"or", 2, COMPUTE_BITS, OP_or, NULL},
    {"remainder", 2, COMPUTE_REMAINDER, 0, NULL},
    {"rshift", 2, COMPUTE_SHIFT, OP_integer_shift_right, NULL},
    {"xor", 2, COMPUTE_BITS, OP_ne, NULL},
};

/*
 * The type that two integers meet in: that of the one with dimensions if the other has none, as a
 * number has; else the one that holds both; of different signs the next that is wider.
 */
static int32_t wider(const struct imported *x, const struct imported *y)
{
    static const int32_t types[] = {ONNX_INT8, ONNX_INT16, ONNX_INT32, ONNX_INT64};
    int64_t a = integer_bits(x->type), b = integer_bits(y->type), bits = a > b ? a : b;

    if (!x->shape.rank != !y->shape.rank)
        return x->shape.rank ? x->type : y->type;
    if (integer_is_signed(x->type) == integer_is_signed(y->type))
        return a > b ? x->type : y->type;
    if (bits == (integer_is_signed(x->type) ? b : a) && bits < 64)
        bits *= 2;
    for (int i = 0; i < 3; i++)
        if (integer_bits(types[i]) == bits)
            return types[i];
    return ONNX_INT64;
}

/* Real beats integer, and integer beats logical, as in PyTorch's type promotion. */
bool promote(struct pnnx_call *c, struct imported **in)
{
    if (!in[0] || !in[1])
        return false;
    enum dtype a = dtype_of(in[0]->type), b = dtype_of(in[1]->type);
    if (a == b && (a != DTYPE_INTEGER || in[0]->type == in[1]->type))
        return true;
    int32_t type = a == DTYPE_SCALAR || b == DTYPE_SCALAR ? ONNX_FLOAT
                   : a == b                               ? wider(in[0], in[1])
                   : a == DTYPE_INTEGER                   ? in[0]->type
                                                          : in[1]->type;
    for (int i = 0; i < 2; i++)
        if (a == b || dtype_of(in[i]->type) != dtype_of(type))
            in[i] = convert(&c->t, in[i], type);
    return in[0] && in[1];
}

/* Sums and products of logicals are logicals; others PyTorch does not have.  OP_COUNT: none. */
static enum op_id of_logicals(const struct pnnx_function *function)
{
    if (function->how != PLAIN || op_table[function->op]->result[0] == OP_RESULT_LOGICAL)
        return function->op;
    switch ((int)function->op) {
    case OP_add:
    case OP_max:
        return OP_or;
    case OP_mul:
    case OP_min:
        return OP_and;
    }
    return OP_COUNT;
}

/* Operands are promoted before, so that functions see one kind only. */
struct imported *apply_function(struct pnnx_call *c, const char *name, struct imported *const *in,
                                int count)
{
    const struct pnnx_function *function = NULL;
    struct imported *operands[2] = {in[0], in[count - 1]};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && !function; i++)
        if (strcmp(functions[i].name, name) == 0)
            function = &functions[i];
    if (!function || function->count != count)
        return import_unsupported(&c->t, "computes '%s' of %d operands, which is not supported",
                                  name, count);
    assert(count == 1 || count == 2);
    if (!operands[0] || !operands[1] || (count == 2 && !promote(c, operands)))
        return NULL;
    bool logical = operands[0]->type == ONNX_BOOL && count == 2 && !function->fragment;
    if (logical && of_logicals(function) == OP_COUNT)
        return import_unsupported(&c->t, "computes '%s' of logicals", name);
    if (function->how != PLAIN)
        return compute(c, function, operands);

    /* Some operations of NNEF that make real numbers keep integers; the others need real numbers.
     */
    enum op_id op = logical ? of_logicals(function) : function->op;
    bool keeps = op == OP_abs || op == OP_neg || op == OP_sign || op == OP_sqr || op == OP_floor ||
                 op == OP_ceil || op_table[op]->result[0] != OP_RESULT_SCALAR;
    for (int i = 0; i < count; i++)
        if (function->fragment || (count == 1 && !keeps))
            operands[i] = real(c, operands[i]);
    if (function->fragment)
        return compose(c, function->fragment, operands, count, NULL);
    return make_all(&c->t, op_plain(op), operands, count);
}

/* --- numbers -------------------------------------------------------------------------------- */

/*
 * Numbers of Python are doubles, while tensors have 32-bit floats: int(100 * 0.29) is 28, and would
 * be 29.  Integers below are exact.
 */
#define WHOLE_END 0x1p53

/* NaN: numbers have no such function. */
static double of_numbers(const char *function, int count, double a, double b)
{
    if (count == 2 && strcmp(function, "add") == 0)
        return a + b;
    if (count == 2 && strcmp(function, "sub") == 0)
        return a - b;
    if (count == 2 && strcmp(function, "mul") == 0)
        return a * b;
    if (count == 2 && strcmp(function, "floor_divide") == 0)
        return floor(a / b);
    if (count == 2)
        return strcmp(function, "div") == 0 ? a / b : (double)NAN;
    if (strcmp(function, "neg") == 0)
        return -a;
    if (strcmp(function, "floor") == 0)
        return floor(a);
    if (strcmp(function, "ceil") == 0)
        return ceil(a);
    return strcmp(function, "trunc") == 0 || strcmp(function, "int") == 0 ? trunc(a) : (double)NAN;
}

/* False if numbers have no such function, or are so large that integers are not exact. */
static bool number_function(const char *function, const struct pnnx_number *in, int count,
                            struct pnnx_number *result)
{
    assert(count >= 0);
    if (count < 1 || count > 2 || !(fabs(in[0].value) < WHOLE_END) ||
        !(fabs(in[count - 1].value) < WHOLE_END))
        return false;
    result->value = of_numbers(function, count, in[0].value, in[count - 1].value);
    result->whole = (in[0].whole && in[count - 1].whole && strcmp(function, "div") != 0) ||
                    strcmp(function, "int") == 0;
    return fabs(result->value) < WHOLE_END;
}

/* The argument that stands for a number, and for a tensor of it. */
static struct pnnx_argument *number_argument(struct pnnx_call *c, struct pnnx_number number)
{
    struct imported *imported = number.whole
                                    ? known_integer(&c->t, (int64_t)number.value, ONNX_INT64)
                                    : literal(&c->t, number.value);
    struct pnnx_argument *arg = tensor_argument(c->import, imported);

    if (arg) {
        arg->is_number = true;
        arg->number = number;
    }
    return arg;
}

/* --- expressions ---------------------------------------------------------------------------- */

/* The items stand on the stack, so that the list keeps a copy. */
static struct pnnx_argument *list_of(struct pnnx_call *c, struct pnnx_argument *const *items,
                                     int count)
{
    struct pnnx_argument **copy = import_alloc(&c->t, count, sizeof(struct pnnx_argument *));

    assert(count >= 0);
    for (int i = 0; i < count; i++)
        copy[i] = items[i];
    return list_argument(c, copy, count);
}

/* Extents are less than 2^53. */
static struct pnnx_number whole_number(int64_t extent)
{
    return (struct pnnx_number){.value = (double)extent, .whole = true};
}

/* Computes with doubles; NULL if an operand is no number, or they have no such function. */
static struct pnnx_argument *call_of_numbers(struct pnnx_call *c, const struct pnnx_step *step,
                                             struct pnnx_argument *const *in)
{
    struct pnnx_number operands[2], result;

    if (step->index > 2)
        return NULL;
    for (int i = 0; i < step->index; i++) {
        if (!in[i]->is_number)
            return NULL;
        operands[i] = in[i]->number;
    }
    return number_function(step->function, operands, step->index, &result)
               ? number_argument(c, result)
               : NULL;
}

/* size(x), size(x,axis): extents of a tensor are known when the model is read. */
static struct pnnx_argument *size_of(struct pnnx_call *c, struct pnnx_argument *const *in,
                                     int count)
{
    const struct imported *x = in[0]->imported, *which = count == 2 ? in[1]->imported : NULL;
    struct pnnx_argument *items[MAX_RANK];
    int64_t named;
    int axis;

    if (!x || count > 2 || (count == 2 && !(which && which->known)))
        return import_unsupported(&c->t, "asks for the size of something other than a tensor");
    if (!which) {
        for (int i = 0; i < x->shape.rank; i++)
            if (!(items[i] = number_argument(c, whole_number(x->shape.extent[i]))))
                return NULL;
        return list_of(c, items, x->shape.rank);
    }
    if (shape_volume(&which->shape) != 1 || !whole_of(tensor_item(which->known, 0), &named))
        return import_unsupported(&c->t, "asks for the size of something other than a dimension");
    if (!resolve_axis(&c->t, named, x->shape.rank, &axis))
        return NULL;
    return number_argument(c, whole_number(x->shape.extent[axis]));
}

/* A call takes its operands off the stack; names of types are conversions. */
static struct pnnx_argument *call_function(struct pnnx_call *c, const struct pnnx_step *step,
                                           struct pnnx_argument *const *in)
{
    int32_t type = onnx_type_named(step->function);
    struct imported **entries = import_alloc(&c->t, step->index, sizeof(struct imported *));

    c->t.span = step->span;
    if (strcmp(step->function, "size") == 0)
        return size_of(c, in, step->index);
    struct pnnx_argument *number = call_of_numbers(c, step, in);
    if (number || c->t.failed)
        return number;
    for (int i = 0; i < step->index; i++) {
        entries[i] = in[i]->imported;
        if (!entries[i])
            return import_unsupported(
                &c->t, "computes '%s' of something other than a tensor or number", step->function);
    }
    struct imported *result = type != ONNX_UNDEFINED && step->index == 1
                                  ? convert(&c->t, entries[0], type)
                                  : apply_function(c, step->function, entries, step->index);
    return tensor_argument(c->import, result);
}

/* A word that is no number stands for itself: None, or a name. */
static struct pnnx_argument *literal_of(struct pnnx_call *c, const struct pnnx_step *step)
{
    struct pnnx_argument *arg = import_alloc(&c->t, 1, sizeof *arg);

    c->t.span = step->span;
    arg->number.value = step->literal->real;
    arg->number.whole = step->literal->kind == PNNX_INTEGER;
    arg->is_number = step->literal->is_number;
    if (step->literal->is_number || step->literal->kind == PNNX_LOGICAL)
        arg->imported = number_value(c, step->literal);
    else if (step->literal->kind == PNNX_COMPLEX)
        import_unsupported(&c->t, "computes with the complex number %s", step->literal->text);
    else
        arg->word = step->literal;
    return c->t.failed ? NULL : arg;
}

/* The steps are in postfix order: the result of each takes the place of its operands on a stack. */
struct pnnx_argument *evaluate_expression(struct pnnx_call *c, const struct pnnx_pair *param)
{
    const struct pnnx_expression *expression = param->expression;

    assert(expression && expression->count > 0 && expression->depth > 0);
    struct pnnx_argument **stack = import_alloc(&c->t, expression->depth, sizeof *stack);
    struct span line = c->t.span;
    int top = 0;
    for (int i = 0; i < expression->count; i++) {
        const struct pnnx_step *step = &expression->step[i];
        struct pnnx_argument *result = NULL;
        switch (step->kind) {
        case PNNX_STEP_INPUT:
            result = c->arg[step->index];
            break;
        case PNNX_STEP_LITERAL:
            result = literal_of(c, step);
            break;
        case PNNX_STEP_CALL:
            top -= step->index;
            result = call_function(c, step, stack + top);
            break;
        case PNNX_STEP_LIST:
            top -= step->index;
            result = list_of(c, stack + top, step->index);
            break;
        }
        assert(top >= 0 && top < expression->depth);
        stack[top++] = result;
        if (!result)
            return NULL;
    }
    c->t.span = line;
    return stack[0];
}
