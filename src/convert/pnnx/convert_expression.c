/*
 * convert_expression.c - expressions, which compute tensors, numbers and lists
 *
 * Types follow PyTorch: a real number makes integers real, a quotient is real, logicals count as 0
 * and 1.
 */
#include "convert/pnnx/convert.h"
#include "convert/pnnx/expression.h"

#include <assert.h>
#include <string.h>

/* --- functions that NNEF lacks -------------------------------------------------------------- */

typedef struct imported *compute_function(struct pnnx_call *c, struct imported *const *in);

/* What is computed in real numbers takes integers as such. */
static struct imported *real(struct pnnx_call *c, struct imported *x)
{
    return x && dtype_of(x->type) == DTYPE_INTEGER ? convert(&c->t, x, ONNX_FLOAT) : x;
}

/* Toward zero; integers stay as they are. */
static struct imported *compute_trunc(struct pnnx_call *c, struct imported *const *in)
{
    bool whole = in[0] && dtype_of(in[0]->type) == DTYPE_INTEGER;

    return whole ? in[0] : compose1(c, "trunc", in[0]);
}

/* PyTorch's int() rounds toward zero. */
static struct imported *compute_int(struct pnnx_call *c, struct imported *const *in)
{
    return convert(&c->t, compute_trunc(c, in), ONNX_INT64);
}

/* Halves go to the even neighbour, as in IEEE 754. */
static struct imported *compute_round(struct pnnx_call *c, struct imported *const *in)
{
    return round_even(&c->t, in[0]);
}

static struct imported *compute_erf(struct pnnx_call *c, struct imported *const *in)
{
    return op1(&c->t, OP_erf, real(c, in[0]));
}

/* A quotient is real, of integers too. */
static struct imported *compute_div(struct pnnx_call *c, struct imported *const *in)
{
    return op2(&c->t, OP_div, real(c, in[0]), real(c, in[1]));
}

/* Rounded down; integers give an integer. */
static struct imported *compute_floor_divide(struct pnnx_call *c, struct imported *const *in)
{
    struct imported *quotient = op1(&c->t, OP_floor, compute_div(c, in));
    bool whole = in[0] && in[1] && dtype_of(in[0]->type) == DTYPE_INTEGER &&
                 dtype_of(in[1]->type) == DTYPE_INTEGER;

    return whole ? convert(&c->t, quotient, in[0]->type) : quotient;
}

/* The remainder has the sign of the dividend. */
static struct imported *compute_fmod(struct pnnx_call *c, struct imported *const *in)
{
    return modulo(&c->t, in[0], in[1], true);
}

/* The remainder has the sign of the divisor. */
static struct imported *compute_remainder(struct pnnx_call *c, struct imported *const *in)
{
    return modulo(&c->t, in[0], in[1], false);
}

/* NNEF has no operation on bits: shifts are products by powers of two. */
static struct imported *power_of_two(struct pnnx_call *c, struct imported *exponent)
{
    return op2(&c->t, OP_pow, literal(&c->t, 2), convert(&c->t, exponent, ONNX_FLOAT));
}

static struct imported *compute_lshift(struct pnnx_call *c, struct imported *const *in)
{
    return op2(&c->t, OP_mul, in[0], convert(&c->t, power_of_two(c, in[1]), ONNX_INT64));
}

/* Negative numbers are rounded down, as an arithmetic shift does. */
static struct imported *compute_rshift(struct pnnx_call *c, struct imported *const *in)
{
    struct imported *x = convert(&c->t, in[0], ONNX_FLOAT);

    x = op1(&c->t, OP_floor, op2(&c->t, OP_div, x, power_of_two(c, in[1])));
    return convert(&c->t, x, ONNX_INT64);
}

/* Logicals only, for NNEF has no operation on bits; `op` of both. */
static struct imported *logic(struct pnnx_call *c, enum op_id op, struct imported *const *in)
{
    if (in[0]->type != ONNX_BOOL || in[1]->type != ONNX_BOOL)
        return call_unsupported(c, "computes with the bits of integers");
    return op == OP_ne ? compose(c, "Xor", in, 2, NULL) : op2(&c->t, op, in[0], in[1]);
}

static struct imported *compute_and(struct pnnx_call *c, struct imported *const *in)
{
    return logic(c, OP_and, in);
}

static struct imported *compute_or(struct pnnx_call *c, struct imported *const *in)
{
    return logic(c, OP_or, in);
}

static struct imported *compute_xor(struct pnnx_call *c, struct imported *const *in)
{
    return logic(c, OP_ne, in);
}

static struct imported *compute_not(struct pnnx_call *c, struct imported *const *in)
{
    return op1(&c->t, OP_not, convert(&c->t, in[0], ONNX_BOOL));
}

/* --- functions by name ---------------------------------------------------------------------- */

/* A function of expressions: one operation, a composition of real numbers, or a C function. */
struct pnnx_function {
    const char *name;
    int count; /* operands */
    compute_function *compute;
    enum op_id op;
    const char *fragment;
};

static const struct pnnx_function functions[] = {
    {"abs", 1, NULL, OP_abs, NULL},
    {"acos", 1, NULL, OP_acos, NULL},
    {"acosh", 1, NULL, OP_acosh, NULL},
    {"asin", 1, NULL, OP_asin, NULL},
    {"asinh", 1, NULL, OP_asinh, NULL},
    {"atan", 1, NULL, OP_atan, NULL},
    {"atanh", 1, NULL, OP_atanh, NULL},
    {"ceil", 1, NULL, OP_ceil, NULL},
    {"cos", 1, NULL, OP_cos, NULL},
    {"cosh", 1, NULL, OP_cosh, NULL},
    {"exp", 1, NULL, OP_exp, NULL},
    {"floor", 1, NULL, OP_floor, NULL},
    {"log", 1, NULL, OP_log, NULL},
    {"neg", 1, NULL, OP_neg, NULL},
    {"reciprocal", 1, NULL, OP_rcp, NULL},
    {"rsqrt", 1, NULL, OP_rsqrt, NULL},
    {"sign", 1, NULL, OP_sign, NULL},
    {"sin", 1, NULL, OP_sin, NULL},
    {"sinh", 1, NULL, OP_sinh, NULL},
    {"sqrt", 1, NULL, OP_sqrt, NULL},
    {"square", 1, NULL, OP_sqr, NULL},
    {"tan", 1, NULL, OP_tan, NULL},
    {"tanh", 1, NULL, OP_tanh, NULL},
    {"sigmoid", 1, NULL, OP_sigmoid, NULL},
    {"erf", 1, compute_erf, 0, NULL},
    {"expm1", 1, NULL, 0, "expm1"},
    {"int", 1, compute_int, 0, NULL},
    {"log10", 1, NULL, 0, "log10"},
    {"log1p", 1, NULL, 0, "log1p"},
    {"not", 1, compute_not, 0, NULL},
    {"round", 1, compute_round, 0, NULL},
    {"trunc", 1, compute_trunc, 0, NULL},
    {"add", 2, NULL, OP_add, NULL},
    {"sub", 2, NULL, OP_sub, NULL},
    {"mul", 2, NULL, OP_mul, NULL},
    {"pow", 2, NULL, OP_pow, NULL},
    {"max", 2, NULL, OP_max, NULL},
    {"maximum", 2, NULL, OP_max, NULL},
    {"min", 2, NULL, OP_min, NULL},
    {"minimum", 2, NULL, OP_min, NULL},
    {"lt", 2, NULL, OP_lt, NULL},
    {"le", 2, NULL, OP_le, NULL},
    {"gt", 2, NULL, OP_gt, NULL},
    {"ge", 2, NULL, OP_ge, NULL},
    {"eq", 2, NULL, OP_eq, NULL},
    {"ne", 2, NULL, OP_ne, NULL},
    {"and", 2, compute_and, 0, NULL},
    {"atan2", 2, NULL, 0, "atan2"},
    {"div", 2, compute_div, 0, NULL},
    {"floor_divide", 2, compute_floor_divide, 0, NULL},
    {"fmod", 2, compute_fmod, 0, NULL},
    {"logaddexp", 2, NULL, 0, "logaddexp"},
    {"lshift", 2, compute_lshift, 0, NULL},
    {"or", 2, compute_or, 0, NULL},
    {"remainder", 2, compute_remainder, 0, NULL},
    {"rshift", 2, compute_rshift, 0, NULL},
    {"xor", 2, compute_xor, 0, NULL},
};

static const struct pnnx_function *function_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* Real beats integer, and integer beats logical, as in PyTorch's type promotion. */
bool promote(struct pnnx_call *c, struct imported **in)
{
    if (!in[0] || !in[1])
        return false;
    enum dtype a = dtype_of(in[0]->type), b = dtype_of(in[1]->type);

    if (a == b)
        return true;
    int32_t type = a == DTYPE_SCALAR || b == DTYPE_SCALAR ? ONNX_FLOAT : ONNX_INT64;
    for (int i = 0; i < 2; i++)
        if (dtype_of(in[i]->type) != dtype_of(type))
            in[i] = convert(&c->t, in[i], type);
    return in[0] && in[1];
}

/* Is it a function of real numbers only?  The others keep integers. */
static bool is_real(enum op_id op)
{
    return op_table[op]->result[0] == OP_RESULT_SCALAR && op != OP_abs && op != OP_neg &&
           op != OP_sign && op != OP_sqr && op != OP_floor && op != OP_ceil;
}

/* Operands are promoted before, so that functions see one kind only. */
struct imported *apply_function(struct pnnx_call *c, const char *name, struct imported *const *in,
                                int count)
{
    const struct pnnx_function *function = function_of(name);
    struct imported *operands[2];

    if (!function || function->count != count)
        return call_unsupported(c, "computes '%s' of %d operands, which is not supported", name,
                                count);
    assert(count == 1 || count == 2);
    for (int i = 0; i < count; i++) {
        operands[i] = in[i];
        if (!in[i])
            return NULL;
    }
    if (count == 2 && !promote(c, operands))
        return NULL;
    if (function->compute)
        return function->compute(c, operands);
    for (int i = 0; i < count; i++)
        if (function->fragment || (count == 1 && is_real(function->op)))
            operands[i] = real(c, operands[i]);
    if (function->fragment)
        return compose(c, function->fragment, operands, count, NULL);
    return make_all(&c->t, op_plain(function->op), operands, count);
}

/* --- expressions ----------------------------------------------------------------------------- */

static struct pnnx_argument *whole_number(struct pnnx_call *c, int64_t number)
{
    struct shape single = {0};
    struct tensor *items;
    struct imported *imported = known_new(&c->t, ONNX_INT64, &single, &items);

    if (imported)
        *(int64_t *)items->data = number;
    return imported ? tensor_argument(c->import, imported) : NULL;
}

static struct pnnx_argument *list_of(struct pnnx_call *c, struct pnnx_argument *const *items,
                                     int count)
{
    struct pnnx_argument **copy = import_alloc(&c->t, count, sizeof(struct pnnx_argument *));

    assert(count >= 0);
    for (int i = 0; i < count; i++)
        copy[i] = items[i];
    return list_argument(c, copy, count);
}

/* size(x): the extents of a tensor, which are known when the model is read. */
static struct pnnx_argument *extents(struct pnnx_call *c, const struct shape *shape)
{
    struct pnnx_argument *items[MAX_RANK];

    for (int i = 0; i < shape->rank; i++)
        if (!(items[i] = whole_number(c, shape->extent[i])))
            return NULL;
    return list_of(c, items, shape->rank);
}

/* size(x), size(x,axis) */
static struct pnnx_argument *size_of(struct pnnx_call *c, struct pnnx_argument *const *in,
                                     int count)
{
    const struct imported *x = in[0]->imported, *which = count == 2 ? in[1]->imported : NULL;
    int64_t named;
    int axis;

    if (!x || count > 2 || (count == 2 && !(which && which->known))) {
        call_unsupported(c, "asks for the size of what is no tensor");
        return NULL;
    }
    if (!which)
        return extents(c, &x->shape);
    if (shape_volume(&which->shape) != 1 || !whole_of(tensor_item(which->known, 0), &named)) {
        call_unsupported(c, "asks for the size of what is no dimension");
        return NULL;
    }
    if (!resolve_axis(&c->t, named, x->shape.rank, &axis))
        return NULL;
    return whole_number(c, x->shape.extent[axis]);
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
    for (int i = 0; i < step->index; i++) {
        entries[i] = in[i]->imported;
        if (!entries[i]) {
            call_unsupported(c, "computes '%s' of what is no tensor or number", step->function);
            return NULL;
        }
    }
    struct imported *result = type != ONNX_UNDEFINED && step->index == 1
                                  ? convert(&c->t, entries[0], type)
                                  : apply_function(c, step->function, entries, step->index);
    return result ? tensor_argument(c->import, result) : NULL;
}

/* A word that is no number stands for itself: None, or a name. */
static struct pnnx_argument *literal_of(struct pnnx_call *c, const struct pnnx_step *step)
{
    struct pnnx_argument *arg = import_alloc(&c->t, 1, sizeof *arg);

    c->t.span = step->span;
    if (step->literal->is_number || step->literal->kind == PNNX_LOGICAL)
        arg->imported = number_value(c, step->literal);
    else if (step->literal->kind == PNNX_COMPLEX)
        call_unsupported(c, "computes with the complex number %s", step->literal->text);
    else
        arg->word = step->literal;
    return c->t.failed ? NULL : arg;
}

/* The result of a step takes the place of its operands on the stack. */
static bool do_step(struct pnnx_call *c, const struct pnnx_step *step, struct pnnx_argument **stack,
                    int *top)
{
    struct pnnx_argument *result = NULL;

    switch (step->kind) {
    case PNNX_STEP_INPUT:
        result = c->arg[step->index];
        break;
    case PNNX_STEP_LITERAL:
        result = literal_of(c, step);
        break;
    case PNNX_STEP_CALL:
        *top -= step->index;
        result = call_function(c, step, stack + *top);
        break;
    case PNNX_STEP_LIST:
        *top -= step->index;
        result = list_of(c, stack + *top, step->index);
        break;
    }
    assert(*top >= 0);
    stack[(*top)++] = result;
    return result != NULL;
}

struct pnnx_argument *evaluate_expression(struct pnnx_call *c, const struct pnnx_param *param)
{
    const struct pnnx_expression *expression = param->expression;
    struct pnnx_argument **stack = import_alloc(&c->t, expression->depth, sizeof *stack);
    struct span line = c->t.span;
    int top = 0;

    assert(expression && expression->count > 0);
    for (int i = 0; i < expression->count; i++)
        if (!do_step(c, &expression->step[i], stack, &top))
            return NULL;
    c->t.span = line;
    return stack[0];
}
