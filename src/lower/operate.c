/* operate.c - operators (NNEF 1.0.5, section 3.3.3): arithmetic on data, nodes on tensors */
#include "base/num.h"
#include "lower/lower_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A logical as data of an expression. */
static struct datum logical(bool value)
{
    return (struct datum){.kind = DATUM_LOGICAL, .logical = value};
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

/* The items of both arrays, or the characters of both strings, in order. */
static bool concatenate(struct call_frame *frame, const struct expr *expr,
                        const struct datum operand[2], struct datum *out)
{
    const struct datum *a = &operand[0], *b = &operand[1];
    int64_t first = datum_length(a), rest = datum_length(b);

    assert(a->kind == b->kind);
    if (a->kind == DATUM_STRING) {
        char *text = new_characters(frame, expr->span, first + rest);
        if (!text)
            return false;
        memcpy(text, a->string, (size_t)first);
        memcpy(text + first, b->string, (size_t)rest + 1);
        *out = (struct datum){.kind = DATUM_STRING, .string = text};
        return true;
    }
    struct datum *items = new_items(frame, expr->span, first + rest);
    if (!items)
        return false;
    for (int64_t i = 0; i < first + rest; i++)
        items[i] = i < first ? a->items[i] : b->items[i - first];
    *out = (struct datum){.kind = DATUM_ARRAY, .count = (int)(first + rest), .items = items};
    return true;
}

/* An array or a string, several times over. */
static bool repeat(struct call_frame *frame, const struct expr *expr, const struct datum operand[2],
                   struct datum *out)
{
    bool string = operand[0].kind == DATUM_STRING;
    int64_t length = datum_length(&operand[0]), times = operand[1].integer, count;

    assert(string || operand[0].kind == DATUM_ARRAY);
    if (times < 0)
        return fault(frame, expr->binary.right->span, DIAG_REPEAT_COUNT,
                     "repeat count %" PRId64 " is negative", times);
    if (!num_mul(times, length, &count)) {
        if (!string)
            return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '*'");
        count = INT64_MAX; /* which exceeds the limit of strings */
    }
    char *text = string ? new_characters(frame, expr->span, count) : NULL;
    struct datum *items = string ? NULL : new_items(frame, expr->span, count);
    if (!text && !items)
        return false;
    for (int64_t i = 0; length && i < times; i++)
        if (string)
            memcpy(text + i * length, operand[0].string, (size_t)length);
        else
            memcpy(items + i * length, operand[0].items, (size_t)length * sizeof *items);
    *out = string ? (struct datum){.kind = DATUM_STRING, .string = text}
                  : (struct datum){.kind = DATUM_ARRAY, .count = (int)count, .items = items};
    return true;
}

/* On primitive data; sema has made sure that the operator is one for data of their kinds. */
static bool operate(struct call_frame *frame, const struct expr *expr,
                    const struct datum operand[2], struct datum *out)
{
    const struct datum *a = &operand[0], *b = &operand[1];
    bool integers = a->kind == DATUM_INTEGER, found = false;
    enum binary_op op = expr->op;

    if (op != BINARY_ADD && op != BINARY_SUB && op != BINARY_MUL)
        trace_choice(frame, expr->span, operand, 2);
    switch (op) {
    case BINARY_ADD:
    case BINARY_SUB:
    case BINARY_MUL:
    case BINARY_DIV:
    case BINARY_POW:
        if (a->kind == DATUM_ARRAY || a->kind == DATUM_STRING)
            return a->kind == b->kind ? concatenate(frame, expr, operand, out)
                                      : repeat(frame, expr, operand, out);
        return integers ? operate_integers(frame, expr, a->integer, b->integer, out)
                        : operate_scalars(frame, expr, a->scalar, b->scalar, out);
    case BINARY_LT:
    case BINARY_LE:
        found = integers ? a->integer < b->integer : a->scalar < b->scalar;
        *out = logical(found || (op == BINARY_LE && datum_equal(a, b)));
        return true;
    case BINARY_GT:
    case BINARY_GE:
        found = integers ? a->integer > b->integer : a->scalar > b->scalar;
        *out = logical(found || (op == BINARY_GE && datum_equal(a, b)));
        return true;
    case BINARY_EQ:
    case BINARY_NE:
        if (!read_string(frame, expr->span, a))
            return false;
        *out = logical(datum_equal(a, b) == (op == BINARY_EQ));
        return true;
    case BINARY_IN: /* items are compared by value; an empty array contains nothing */
        for (int i = 0; !found && i < b->count; i++)
            if (!compare_items(frame, expr->span, &b->items[i], a, &found))
                return false;
        *out = logical(found);
        return true;
    case BINARY_AND:
    case BINARY_OR:
        *out = *b;
        return true;
    }
    return false;
}

/* An operator on tensors is the invocation of a fragment, of the type of its first operand. */
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

    assert(expr->kind == EXPR_UNARY && expr->op <= UNARY_NOT);
    if (!evaluate(frame, expr->unary.operand, &arg.value))
        return false;
    if (arg.value.kind == DATUM_TENSOR)
        return invoke_operator(
            frame, expr, library_unary(frame->lowering->checked->library, expr->op), &arg, out);
    *out = arg.value;
    if (expr->op == UNARY_NOT)
        out->logical = !out->logical;
    else if (expr->op == UNARY_MINUS && out->kind == DATUM_SCALAR)
        out->scalar = -out->scalar;
    else if (expr->op == UNARY_MINUS && !num_sub(0, arg.value.integer, &out->integer))
        return fault(frame, expr->span, DIAG_OVERFLOW, "integer overflow in '-'");
    return true;
}

/* On tensors the operator is the invocation of its standard operation, with operands cast. */
bool evaluate_binary(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct bound args[2] = {{.span = expr->binary.left->span}, {.span = expr->binary.right->span}};
    const struct datum *left = &args[0].value, *right = &args[1].value;

    assert(expr->kind == EXPR_BINARY);
    if (!evaluate(frame, expr->binary.left, &args[0].value))
        return false;
    /* The left operand may settle the result of '&&' or '||'.  Not with a tensor on the right: it
     * has a say in the shape of the result. */
    if (left->kind == DATUM_LOGICAL && !expr->slot &&
        ((expr->op == BINARY_AND && !left->logical) || (expr->op == BINARY_OR && left->logical))) {
        *out = *left;
        return true;
    }
    if (!evaluate(frame, expr->binary.right, &args[1].value))
        return false;
    if ((left->kind == DATUM_TENSOR || right->kind == DATUM_TENSOR) && expr->op != BINARY_IN)
        return invoke_operator(
            frame, expr, library_binary(frame->lowering->checked->library, expr->op), args, out);
    return operate(frame, expr, (struct datum[]){*left, *right}, out);
}
