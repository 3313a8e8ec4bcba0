/* builtin.c - built-in functions (NNEF 1.0.5, section 3.3.3) */
#include "base/num.h"
#include "base/text.h"
#include "lower/lower_priv.h"
#include "op/custom.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The extents, which have to be known.  An expression that is no tensor has rank 0. */
static bool shape_of(struct call_frame *frame, const struct expr *expr, const struct datum *x,
                     struct datum *out)
{
    struct shape none = {0};
    const struct shape *shape = x->kind == DATUM_TENSOR ? x->tensor->shape : &none;

    if (!shape_known(shape)) {
        if (has_faults(frame->lowering))
            return false;
        fault(frame, expr->span, DIAG_UNKNOWN_SHAPE,
              "the shape of '%s' is %s, not known at compile time", VALUE_TEXT(x->tensor),
              SHAPE_TEXT(shape));
        custom_note_origin(frame->lowering->context->diag, x->tensor);
        return false;
    }
    /* The old dialect leaves out trailing ones, but gives two items at least. */
    int rank = shape->rank;
    if (frame->lowering->graph->provisional) {
        while (rank > 2 && shape->extent[rank - 1] == 1)
            rank--;
        rank = rank < 2 ? 2 : rank;
    }
    struct datum *items = new_items(frame, expr->span, rank);
    if (!items)
        return false;
    for (int i = 0; i < rank; i++)
        items[i] = (struct datum){.kind = DATUM_INTEGER, .integer = shape_extent(shape, i)};
    *out = (struct datum){.kind = DATUM_ARRAY, .count = rank, .items = items};
    return true;
}

/* Scalars are truncated toward zero; one that does not fit is a fault of the document. */
static bool to_integer(struct call_frame *frame, const struct expr *expr, const struct datum *x,
                       struct datum *out)
{
    struct span span = expr->unary.operand->span;

    *out = (struct datum){.kind = DATUM_INTEGER, .integer = x->integer};
    if (x->kind == DATUM_LOGICAL)
        out->integer = x->logical;
    if (x->kind == DATUM_STRING && !num_parse_integer(x->string, strlen(x->string), &out->integer))
        return fault(frame, span, DIAG_NOT_A_LITERAL, "'%s' is no integer literal", x->string);
    if (x->kind == DATUM_SCALAR && !num_truncate(x->scalar, &out->integer))
        return fault(frame, span, DIAG_OVERFLOW, "%g does not fit an integer", x->scalar);
    if (x->kind == DATUM_SCALAR && x->scalar < 0.0 && trunc(x->scalar) != x->scalar)
        diag_warning(frame->lowering->context->diag, span, WARNING_NEGATIVE_TRUNCATION,
                     "%g becomes %" PRId64 ": readers of the standard differ on negative values",
                     x->scalar, out->integer);
    return true;
}

/* Numbers as the shortest text that reads back as the same number. */
static bool to_string(struct call_frame *frame, const struct expr *expr, const struct datum *x,
                      struct datum *out)
{
    struct text text = {0};

    *out = *x;
    if (x->kind == DATUM_STRING)
        return true;
    datum_print(x, &text);
    char *copy = new_characters(frame, expr->span, (int64_t)text.size);
    if (copy)
        memcpy(copy, text.data, text.size);
    *out = (struct datum){.kind = DATUM_STRING, .string = copy};
    text_free(&text);
    return copy;
}

/* The operand is evaluated first: no builtin depends on how it is written. */
bool evaluate_builtin(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct datum x = {0};
    enum builtin builtin = expr->op;

    assert(expr->kind == EXPR_BUILTIN);
    if (!evaluate(frame, expr->unary.operand, &x) || !read_string(frame, expr->span, &x))
        return false;
    /* These make of a number what is no sum or product of it. */
    if (builtin == BUILTIN_LOGICAL || builtin == BUILTIN_STRING ||
        (builtin == BUILTIN_INTEGER && x.kind != DATUM_INTEGER))
        trace_choice(frame, expr->span, &x, 1);
    switch (builtin) {
    case BUILTIN_SHAPE_OF:
        return shape_of(frame, expr, &x, out);
    case BUILTIN_LENGTH_OF:
        *out = (struct datum){.kind = DATUM_INTEGER, .integer = datum_length(&x)};
        return true;
    case BUILTIN_RANGE_OF: {
        int64_t count = datum_length(&x);
        struct datum *items = new_items(frame, expr->span, count);
        if (!items)
            return false;
        for (int64_t i = 0; i < count; i++)
            items[i] = (struct datum){.kind = DATUM_INTEGER, .integer = i};
        *out = (struct datum){.kind = DATUM_ARRAY, .count = (int)count, .items = items};
        return true;
    }
    case BUILTIN_INTEGER:
        return to_integer(frame, expr, &x, out);
    case BUILTIN_SCALAR:
        *out = (struct datum){.kind = DATUM_SCALAR, .scalar = x.scalar};
        if (x.kind == DATUM_INTEGER)
            out->scalar = (double)x.integer;
        else if (x.kind == DATUM_LOGICAL)
            out->scalar = x.logical ? 1.0 : 0.0;
        else if (x.kind == DATUM_STRING &&
                 !num_parse_scalar(x.string, strlen(x.string), &out->scalar))
            return fault(frame, expr->unary.operand->span, DIAG_NOT_A_LITERAL,
                         "'%s' is no scalar literal", x.string);
        return true;
    case BUILTIN_LOGICAL: {
        bool value = x.kind == DATUM_LOGICAL && x.logical;
        if (x.kind == DATUM_INTEGER)
            value = x.integer != 0;
        else if (x.kind == DATUM_SCALAR)
            value = x.scalar != 0.0;
        else if (x.kind == DATUM_STRING)
            value = x.string[0] != '\0';
        *out = (struct datum){.kind = DATUM_LOGICAL, .logical = value};
        return true;
    }
    case BUILTIN_STRING:
        return to_string(frame, expr, &x, out);
    }
    return false;
}
