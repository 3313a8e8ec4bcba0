/* operate.c - operators (NNEF 1.0.5, section 3.3.3): arithmetic on data, nodes on tensors */
#include "base/arena.h"
#include "base/num.h"
#include "lower/lower_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static struct datum logical(bool value)
{
    return (struct datum){.kind = DATUM_LOGICAL, .logical = value};
}

bool operate_unary(struct call_frame *frame, const struct expr *expr, const struct datum *x,
                   struct datum *out)
{
    assert(expr->op <= UNARY_NOT);
    *out = *x;
    switch ((enum unary_op)expr->op) {
    case UNARY_PLUS:
        return true;
    case UNARY_NOT:
        out->logical = !x->logical;
        return true;
    case UNARY_MINUS:
        if (x->kind == DATUM_SCALAR)
            out->scalar = -x->scalar;
        else if (!num_sub(0, x->integer, &out->integer))
            return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '-'");
        return true;
    }
    return false;
}

/* Overflow is reported, never wrapped: NNEF has no modular arithmetic. */
static bool operate_integers(struct call_frame *frame, const struct expr *expr, int64_t a,
                             int64_t b, struct datum *out)
{
    enum binary_op op = expr->op;
    bool fits = true;

    assert(expr->op <= BINARY_POW);
    *out = (struct datum){.kind = DATUM_INTEGER};
    if (op == BINARY_DIV) {
        int64_t *result = &out->integer;
        if (b == 0)
            return fault(frame, expr->binary.right->span, DIAG_DIVISION_BY_ZERO,
                         "division by zero");
        if (a == INT64_MIN && b == -1)
            return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '/'");
        *result = a / b;
        return true;
    }
    if (op == BINARY_POW && b < 0)
        return fault(frame, expr->binary.right->span, DIAG_OVERFLOW,
                     "integer power with the negative exponent %" PRId64, b);
    if (op == BINARY_ADD)
        fits = num_add(a, b, &out->integer);
    else if (op == BINARY_SUB)
        fits = num_sub(a, b, &out->integer);
    else if (op == BINARY_MUL)
        fits = num_mul(a, b, &out->integer);
    else
        fits = num_pow(a, b, &out->integer);
    if (fits)
        return true;
    return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '%s'", binary_op_text(op));
}

/* In double precision, as literals are; items of tensors are rounded when they are stored. */
static bool operate_scalars(struct call_frame *frame, const struct expr *expr, double a, double b,
                            struct datum *out)
{
    enum binary_op op = expr->op;

    assert(expr->op <= BINARY_POW);
    *out = (struct datum){.kind = DATUM_SCALAR};
    if (op == BINARY_DIV && b == 0.0)
        return fault(frame, expr->binary.right->span, DIAG_DIVISION_BY_ZERO, "division by zero");
    if (op == BINARY_ADD)
        out->scalar = a + b;
    else if (op == BINARY_SUB)
        out->scalar = a - b;
    else if (op == BINARY_MUL)
        out->scalar = a * b;
    else if (op == BINARY_DIV)
        out->scalar = a / b;
    else
        out->scalar = pow(a, b);
    return true;
}

static bool compare(enum binary_op op, const struct datum *a, const struct datum *b)
{
    bool integers = a->kind == DATUM_INTEGER;
    bool less = integers ? a->integer < b->integer : a->scalar < b->scalar;
    bool greater = integers ? a->integer > b->integer : a->scalar > b->scalar;
    bool equal = datum_equal(a, b);

    if (op == BINARY_LT)
        return less;
    if (op == BINARY_GT)
        return greater;
    if (op == BINARY_LE)
        return less || equal;
    return greater || equal;
}

/* Shared items make lists whose comparison takes far longer than the text that made them. */
static bool compare_items(struct call_frame *frame, struct span span, const struct datum *a,
                          const struct datum *b, bool *equal)
{
    bool lists = a->kind == DATUM_ARRAY || a->kind == DATUM_TUPLE;

    if (!take_steps(frame, span, 1) || !read_string(frame, span, a))
        return false;
    *equal = lists ? a->count == b->count : datum_equal(a, b);
    for (int i = 0; lists && *equal && i < a->count; i++)
        if (!compare_items(frame, span, &a->items[i], &b->items[i], equal))
            return false;
    return true;
}

/* Items are compared by value; an empty array contains nothing. */
static bool contains(struct call_frame *frame, const struct expr *expr,
                     const struct datum operand[2], struct datum *out)
{
    const struct datum *array = &operand[1];
    bool found = false;

    for (int i = 0; !found && i < array->count; i++)
        if (!compare_items(frame, expr->span, &array->items[i], &operand[0], &found))
            return false;
    *out = logical(found);
    return true;
}

/* The items of both, in order. */
static bool concatenate(struct call_frame *frame, const struct expr *expr,
                        const struct datum operand[2], struct datum *out)
{
    int64_t count = (int64_t)operand[0].count + operand[1].count;
    struct datum *items = new_items(frame, expr->span, count);
    int n = 0;

    if (!items)
        return false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < operand[k].count; i++)
            items[n++] = operand[k].items[i];
    *out = (struct datum){.kind = DATUM_ARRAY, .count = n, .items = items};
    return true;
}

static bool check_repeat_count(struct call_frame *frame, const struct expr *expr, int64_t times)
{
    if (times >= 0)
        return true;
    return fault(frame, expr->binary.right->span, DIAG_REPEAT_COUNT,
                 "repeat count %" PRId64 " is negative", times);
}

static bool repeat(struct call_frame *frame, const struct expr *expr, const struct datum operand[2],
                   struct datum *out)
{
    int64_t times = operand[1].integer, count;

    if (!check_repeat_count(frame, expr, times))
        return false;
    if (!num_mul(times, operand[0].count, &count))
        return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '*'");
    struct datum *items = new_items(frame, expr->span, count);
    if (!items)
        return false;
    for (int64_t i = 0; i < count; i++)
        items[i] = operand[0].items[i % operand[0].count];
    *out = (struct datum){.kind = DATUM_ARRAY, .count = (int)count, .items = items};
    return true;
}

/* Room for a string of `times` * `length` + `rest` bytes; NULL, reported, beyond the limits. */
static char *new_string(struct call_frame *frame, const struct expr *expr, int64_t length,
                        int64_t times, int64_t rest)
{
    int64_t size;

    if (!num_mul(length, times, &size) || !num_add(size, rest, &size))
        size = INT64_MAX;
    return new_characters(frame, expr->span, size);
}

static bool join_strings(struct call_frame *frame, const struct expr *expr,
                         const struct datum operand[2], struct datum *out)
{
    const char *a = operand[0].string, *b = operand[1].string;
    int64_t length = (int64_t)strlen(a), rest = (int64_t)strlen(b);
    char *text = new_string(frame, expr, length, 1, rest);

    if (!text)
        return false;
    memcpy(text, a, (size_t)length);
    memcpy(text + length, b, (size_t)rest + 1);
    *out = (struct datum){.kind = DATUM_STRING, .string = text};
    return true;
}

static bool repeat_string(struct call_frame *frame, const struct expr *expr,
                          const struct datum operand[2], struct datum *out)
{
    int64_t length = (int64_t)strlen(operand[0].string), times = operand[1].integer;

    if (!check_repeat_count(frame, expr, times))
        return false;
    char *text = new_string(frame, expr, length, times, 0);
    if (!text)
        return false;
    for (int64_t i = 0; length && i < times; i++)
        memcpy(text + i * length, operand[0].string, (size_t)length);
    *out = (struct datum){.kind = DATUM_STRING, .string = text};
    return true;
}

static bool operate_arithmetic(struct call_frame *frame, const struct expr *expr,
                               const struct datum operand[2], struct datum *out)
{
    const struct datum *a = &operand[0], *b = &operand[1];

    if (a->kind == DATUM_ARRAY)
        return b->kind == DATUM_ARRAY ? concatenate(frame, expr, operand, out)
                                      : repeat(frame, expr, operand, out);
    if (a->kind == DATUM_STRING)
        return b->kind == DATUM_STRING ? join_strings(frame, expr, operand, out)
                                       : repeat_string(frame, expr, operand, out);
    if (a->kind == DATUM_INTEGER)
        return operate_integers(frame, expr, a->integer, b->integer, out);
    return operate_scalars(frame, expr, a->scalar, b->scalar, out);
}

bool operate_binary(struct call_frame *frame, const struct expr *expr,
                    const struct datum operand[2], struct datum *out)
{
    enum binary_op op = expr->op;

    if (op != BINARY_ADD && op != BINARY_SUB && op != BINARY_MUL)
        trace_choice(frame, expr->span, operand, 2);
    switch (op) {
    case BINARY_ADD:
    case BINARY_SUB:
    case BINARY_MUL:
    case BINARY_DIV:
    case BINARY_POW:
        return operate_arithmetic(frame, expr, operand, out);
    case BINARY_LT:
    case BINARY_LE:
    case BINARY_GT:
    case BINARY_GE:
        *out = logical(compare(op, &operand[0], &operand[1]));
        return true;
    case BINARY_EQ:
    case BINARY_NE:
        if (!read_string(frame, expr->span, &operand[0]))
            return false;
        *out = logical(datum_equal(&operand[0], &operand[1]) == (op == BINARY_EQ));
        return true;
    case BINARY_IN:
        return contains(frame, expr, operand, out);
    case BINARY_AND:
    case BINARY_OR:
        *out = operand[1];
        return true;
    }
    return false;
}

/* An operator on tensors is the invocation of a fragment. */
static bool invoke_operator(struct call_frame *frame, const struct expr *expr,
                            const struct signature *signature, struct bound *args,
                            struct datum *out)
{
    struct invocation invocation = {.signature = signature, .args = args, .span = expr->span};

    for (int i = 0; i < signature->nparam; i++)
        if (!cast_datum(frame, signature->params[i].type, args[i].span, &args[i].value))
            return false;
    if (signature->generic)
        invocation.generic = (enum dtype)args[0].value.tensor->dtype;
    return invoke(frame, &invocation, out);
}

/* On a tensor the operator is the invocation of its standard operation. */
bool evaluate_unary(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct bound arg = {.span = expr->unary.operand->span};

    assert(expr->kind == EXPR_UNARY);
    if (!evaluate(frame, expr->unary.operand, &arg.value))
        return false;
    if (arg.value.kind != DATUM_TENSOR)
        return operate_unary(frame, expr, &arg.value, out);
    return invoke_operator(frame, expr, library_unary(frame->lowering->checked->library, expr->op),
                           &arg, out);
}

/*
 * Is the result of `&&` or `||` settled by the left operand?  Not with a tensor on the right: it
 * has a say in the shape of the result.
 */
static bool settled(const struct expr *expr, const struct datum *left)
{
    return left->kind == DATUM_LOGICAL && !expr->slot &&
           ((expr->op == BINARY_AND && !left->logical) || (expr->op == BINARY_OR && left->logical));
}

static bool evaluate_right(struct call_frame *frame, const struct expr *expr, struct bound args[2],
                           struct datum *out, bool *done)
{
    *done = settled(expr, &args[0].value);
    if (*done) {
        *out = args[0].value;
        return true;
    }
    return evaluate(frame, expr->binary.right, &args[1].value);
}

/* On tensors the operator is the invocation of its standard operation, with operands cast. */
bool evaluate_binary(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct bound args[2] = {{.span = expr->binary.left->span}, {.span = expr->binary.right->span}};
    bool done;

    assert(expr->kind == EXPR_BINARY);
    if (!evaluate(frame, expr->binary.left, &args[0].value) ||
        !evaluate_right(frame, expr, args, out, &done))
        return false;
    if (done)
        return true;
    bool tensors = args[0].value.kind == DATUM_TENSOR || args[1].value.kind == DATUM_TENSOR;
    if (tensors && expr->op != BINARY_IN)
        return invoke_operator(
            frame, expr, library_binary(frame->lowering->checked->library, expr->op), args, out);
    return operate_binary(frame, expr, (struct datum[]){args[0].value, args[1].value}, out);
}
