/*
 * convert_expression.c - functions of expressions, which tensors, numbers and lists are computed by
 *
 * Types follow PyTorch: a real number makes integers real, a quotient is real, logicals count as 0 and 1.
 */
#include "convert/pnnx/convert.h"
#include "convert/pnnx/expression.h"

#include <math.h>
#include <string.h>

/* --- functions that NNEF lacks -------------------------------------------------------------- */

typedef struct imported *compute_function(struct say *s, struct imported *const *in);

/* What is computed in real numbers takes integers as such. */
static struct imported *real(struct say *s, struct imported *x)
{
    return x && dtype_of(x->type) == DTYPE_INTEGER ? convert(&s->t, x, ONNX_FLOAT) : x;
}

static struct imported *add_one(struct say *s, struct imported *x, double one)
{
    return op2(&s->t, OP_add, x, literal(&s->t, one));
}

static struct imported *compute_expm1(struct say *s, struct imported *const *in)
{
    return add_one(s, op1(&s->t, OP_exp, real(s, in[0])), -1);
}

static struct imported *compute_log1p(struct say *s, struct imported *const *in)
{
    return op1(&s->t, OP_log, add_one(s, real(s, in[0]), 1));
}

static struct imported *compute_log10(struct say *s, struct imported *const *in)
{
    return op2(&s->t, OP_mul, op1(&s->t, OP_log, real(s, in[0])),
               literal(&s->t, 0.43429448190325182765));
}

static struct imported *compute_trunc(struct say *s, struct imported *const *in)
{
    struct translation *t = &s->t;

    if (in[0] && dtype_of(in[0]->type) == DTYPE_INTEGER)
        return in[0];
    return op3(t, OP_select, op2(t, OP_lt, in[0], literal(t, 0)), op1(t, OP_ceil, in[0]),
               op1(t, OP_floor, in[0]));
}

static struct imported *compute_int(struct say *s, struct imported *const *in)
{
    return convert(&s->t, compute_trunc(s, in), ONNX_INT64);
}

static struct imported *compute_round(struct say *s, struct imported *const *in)
{
    return round_even(&s->t, in[0]);
}

static struct imported *compute_erf(struct say *s, struct imported *const *in)
{
    return op1(&s->t, OP_erf, real(s, in[0]));
}

static struct imported *compute_div(struct say *s, struct imported *const *in)
{
    return op2(&s->t, OP_div, real(s, in[0]), real(s, in[1]));
}

static struct imported *compute_floor_divide(struct say *s, struct imported *const *in)
{
    struct imported *quotient = op1(&s->t, OP_floor, compute_div(s, in));
    bool whole = in[0] && in[1] && dtype_of(in[0]->type) == DTYPE_INTEGER &&
                 dtype_of(in[1]->type) == DTYPE_INTEGER;

    return whole ? convert(&s->t, quotient, in[0]->type) : quotient;
}

/* Behind y / x lies another half turn where x is negative. */
static struct imported *compute_atan2(struct say *s, struct imported *const *in)
{
    static const double pi = 3.14159265358979323846;
    struct translation *t = &s->t;
    struct imported *y = real(s, in[0]), *x = real(s, in[1]);
    struct imported *zero = literal(t, 0), *turn = literal(t, pi);
    struct imported *behind = op2(t, OP_lt, x, zero);
    struct imported *half = op3(t, OP_select, op2(t, OP_lt, y, zero), literal(t, -pi), turn);
    struct imported *angle = op2(t, OP_add, op1(t, OP_atan, op2(t, OP_div, y, x)),
                                 op3(t, OP_select, behind, half, zero));

    return op3(t, OP_select, op2(t, OP_eq, y, zero), op3(t, OP_select, behind, turn, zero), angle);
}

static struct imported *compute_logaddexp(struct say *s, struct imported *const *in)
{
    struct translation *t = &s->t;
    struct imported *x = real(s, in[0]), *y = real(s, in[1]);
    struct imported *distance = op1(t, OP_abs, op2(t, OP_sub, x, y));
    struct imported *more = add_one(s, op1(t, OP_exp, op1(t, OP_neg, distance)), 1);

    return op2(t, OP_add, op2(t, OP_max, x, y), op1(t, OP_log, more));
}

static struct imported *modulo_node(struct say *s, struct imported *const *in, bool as_dividend)
{
    say_begin(s, "Mod");
    node_int(s, "fmod", as_dividend);
    return say_end(s, in, 2, NULL, 1);
}

static struct imported *compute_fmod(struct say *s, struct imported *const *in)
{
    return modulo_node(s, in, true);
}

static struct imported *compute_remainder(struct say *s, struct imported *const *in)
{
    return modulo_node(s, in, false);
}

static struct imported *power_of_two(struct say *s, struct imported *exponent)
{
    return op2(&s->t, OP_pow, literal(&s->t, 2), convert(&s->t, exponent, ONNX_FLOAT));
}

static struct imported *compute_lshift(struct say *s, struct imported *const *in)
{
    return op2(&s->t, OP_mul, in[0], convert(&s->t, power_of_two(s, in[1]), ONNX_INT64));
}

static struct imported *compute_rshift(struct say *s, struct imported *const *in)
{
    struct imported *x = convert(&s->t, in[0], ONNX_FLOAT);

    x = op1(&s->t, OP_floor, op2(&s->t, OP_div, x, power_of_two(s, in[1])));
    return convert(&s->t, x, ONNX_INT64);
}

/* Of bits nothing is computed but logicals. */
static struct imported *logic(struct say *s, const char *type, struct imported *const *in)
{
    if (in[0] && in[1] && (in[0]->type != ONNX_BOOL || in[1]->type != ONNX_BOOL))
        return say_refuse(s, "computes with the bits of integers");
    return say2(s, type, in[0], in[1]);
}

static struct imported *compute_and(struct say *s, struct imported *const *in)
{
    return logic(s, "And", in);
}

static struct imported *compute_or(struct say *s, struct imported *const *in)
{
    return logic(s, "Or", in);
}

static struct imported *compute_xor(struct say *s, struct imported *const *in)
{
    return logic(s, "Xor", in);
}

static struct imported *compute_not(struct say *s, struct imported *const *in)
{
    return op1(&s->t, OP_not, convert(&s->t, in[0], ONNX_BOOL));
}

/* --- functions by name ---------------------------------------------------------------------- */

struct function {
    const char *name;
    int count;
    compute_function *compute; /* NULL: one operation */
    enum op_id op;
};

static const struct function functions[] = {
    {"abs", 1, NULL, OP_abs},
    {"acos", 1, NULL, OP_acos},
    {"acosh", 1, NULL, OP_acosh},
    {"asin", 1, NULL, OP_asin},
    {"asinh", 1, NULL, OP_asinh},
    {"atan", 1, NULL, OP_atan},
    {"atanh", 1, NULL, OP_atanh},
    {"ceil", 1, NULL, OP_ceil},
    {"cos", 1, NULL, OP_cos},
    {"cosh", 1, NULL, OP_cosh},
    {"exp", 1, NULL, OP_exp},
    {"floor", 1, NULL, OP_floor},
    {"log", 1, NULL, OP_log},
    {"neg", 1, NULL, OP_neg},
    {"reciprocal", 1, NULL, OP_rcp},
    {"rsqrt", 1, NULL, OP_rsqrt},
    {"sign", 1, NULL, OP_sign},
    {"sin", 1, NULL, OP_sin},
    {"sinh", 1, NULL, OP_sinh},
    {"sqrt", 1, NULL, OP_sqrt},
    {"square", 1, NULL, OP_sqr},
    {"tan", 1, NULL, OP_tan},
    {"tanh", 1, NULL, OP_tanh},
    {"sigmoid", 1, NULL, OP_sigmoid},
    {"erf", 1, compute_erf, 0},
    {"expm1", 1, compute_expm1, 0},
    {"int", 1, compute_int, 0},
    {"log10", 1, compute_log10, 0},
    {"log1p", 1, compute_log1p, 0},
    {"not", 1, compute_not, 0},
    {"round", 1, compute_round, 0},
    {"trunc", 1, compute_trunc, 0},
    {"add", 2, NULL, OP_add},
    {"sub", 2, NULL, OP_sub},
    {"mul", 2, NULL, OP_mul},
    {"pow", 2, NULL, OP_pow},
    {"max", 2, NULL, OP_max},
    {"maximum", 2, NULL, OP_max},
    {"min", 2, NULL, OP_min},
    {"minimum", 2, NULL, OP_min},
    {"lt", 2, NULL, OP_lt},
    {"le", 2, NULL, OP_le},
    {"gt", 2, NULL, OP_gt},
    {"ge", 2, NULL, OP_ge},
    {"eq", 2, NULL, OP_eq},
    {"ne", 2, NULL, OP_ne},
    {"and", 2, compute_and, 0},
    {"atan2", 2, compute_atan2, 0},
    {"div", 2, compute_div, 0},
    {"floor_divide", 2, compute_floor_divide, 0},
    {"fmod", 2, compute_fmod, 0},
    {"logaddexp", 2, compute_logaddexp, 0},
    {"lshift", 2, compute_lshift, 0},
    {"or", 2, compute_or, 0},
    {"remainder", 2, compute_remainder, 0},
    {"rshift", 2, compute_rshift, 0},
    {"xor", 2, compute_xor, 0},
};

static const struct function *function_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool say_meet(struct say *s, struct imported **in)
{
    if (!in[0] || !in[1])
        return false;
    enum dtype a = dtype_of(in[0]->type), b = dtype_of(in[1]->type);

    if (a == b)
        return true;
    int32_t type = a == DTYPE_SCALAR || b == DTYPE_SCALAR ? ONNX_FLOAT : ONNX_INT64;
    for (int i = 0; i < 2; i++)
        if (dtype_of(in[i]->type) != dtype_of(type))
            in[i] = convert(&s->t, in[i], type);
    return in[0] && in[1];
}

/* Those of real numbers only. */
static bool is_real(enum op_id op)
{
    return op_table[op]->result[0] == OP_RESULT_SCALAR && op != OP_abs && op != OP_neg &&
           op != OP_sign && op != OP_sqr && op != OP_floor && op != OP_ceil;
}

struct imported *say_call(struct say *s, const char *name, struct imported *const *in, int count)
{
    const struct function *function = function_of(name);
    struct imported *operands[2];

    if (!function || function->count != count)
        return say_refuse(s, "computes '%s' of %d operands, which is not supported", name, count);
    for (int i = 0; i < count; i++) {
        operands[i] = in[i];
        if (!in[i])
            return NULL;
    }
    if (count == 2 && !say_meet(s, operands))
        return NULL;
    if (function->compute)
        return function->compute(s, operands);
    if (count == 1 && is_real(function->op))
        operands[0] = real(s, operands[0]);
    return make_all(&s->t, op_plain(function->op), operands, count);
}

/* --- expressions ----------------------------------------------------------------------------- */

static struct given *whole_number(struct say *s, int64_t number)
{
    struct shape single = {0};
    struct tensor *items;
    struct imported *imported = known_new(&s->t, ONNX_INT64, &single, &items);

    if (imported)
        *(int64_t *)items->data = number;
    return imported ? given_entry(s->import, imported) : NULL;
}

static struct given *list_of(struct say *s, struct given *const *items, int count)
{
    struct given **copy = import_alloc(&s->t, count, sizeof(struct given *));

    for (int i = 0; i < count; i++)
        copy[i] = items[i];
    return given_pack(s, copy, count);
}

static struct given *extents(struct say *s, const struct shape *shape)
{
    struct given *items[MAX_RANK];

    for (int i = 0; i < shape->rank; i++)
        if (!(items[i] = whole_number(s, shape->extent[i])))
            return NULL;
    return list_of(s, items, shape->rank);
}

/* size(x), size(x,axis) */
static struct given *size_of(struct say *s, struct given *const *in, int count)
{
    const struct imported *x = in[0]->imported, *which = count == 2 ? in[1]->imported : NULL;
    int64_t named;
    int axis;

    if (!x || count > 2 || (count == 2 && !(which && which->known))) {
        say_refuse(s, "asks for the size of what is no tensor");
        return NULL;
    }
    if (!which)
        return extents(s, &x->shape);
    if (shape_volume(&which->shape) != 1 || !whole_of(tensor_item(which->known, 0), &named)) {
        say_refuse(s, "asks for the size of what is no dimension");
        return NULL;
    }
    if (!resolve_axis(&s->t, named, x->shape.rank, &axis))
        return NULL;
    return whole_number(s, x->shape.extent[axis]);
}

static struct given *call(struct say *s, const struct pnnx_step *step, struct given *const *in)
{
    int32_t type = say_type_named(step->function);
    struct imported **entries = import_alloc(&s->t, step->index, sizeof(struct imported *));

    s->t.span = step->span;
    if (strcmp(step->function, "size") == 0)
        return size_of(s, in, step->index);
    for (int i = 0; i < step->index; i++) {
        entries[i] = in[i]->imported;
        if (!entries[i]) {
            say_refuse(s, "computes '%s' of what is no tensor or number", step->function);
            return NULL;
        }
    }
    struct imported *result = type != ONNX_UNDEFINED && step->index == 1
                                  ? convert(&s->t, entries[0], type)
                                  : say_call(s, step->function, entries, step->index);
    return result ? given_entry(s->import, result) : NULL;
}

static struct given *literal_of(struct say *s, const struct pnnx_step *step)
{
    struct given *given = import_alloc(&s->t, 1, sizeof *given);

    s->t.span = step->span;
    if (step->literal->is_number || step->literal->kind == PNNX_LOGICAL)
        given->imported = say_number(s, step->literal);
    else if (step->literal->kind == PNNX_COMPLEX)
        say_refuse(s, "computes with the complex number %s", step->literal->text);
    else
        given->word = step->literal;
    return s->t.failed ? NULL : given;
}

/* Where the result of a step goes, its operands stood. */
static bool do_step(struct say *s, const struct pnnx_step *step, struct given **stack, int *top)
{
    struct given *result = NULL;

    switch (step->kind) {
    case PNNX_STEP_INPUT:
        result = s->given[step->index];
        break;
    case PNNX_STEP_LITERAL:
        result = literal_of(s, step);
        break;
    case PNNX_STEP_CALL:
        *top -= step->index;
        result = call(s, step, stack + *top);
        break;
    case PNNX_STEP_LIST:
        *top -= step->index;
        result = list_of(s, stack + *top, step->index);
        break;
    }
    stack[(*top)++] = result;
    return result != NULL;
}

struct given *say_expression(struct say *s, const struct pnnx_param *param)
{
    const struct pnnx_expression *expression = param->expression;
    struct given **stack = import_alloc(&s->t, expression->depth, sizeof *stack);
    struct span line = s->t.span;
    int top = 0;

    for (int i = 0; i < expression->count; i++)
        if (!do_step(s, &expression->step[i], stack, &top))
            return NULL;
    s->t.span = line;
    return stack[0];
}
