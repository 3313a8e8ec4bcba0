/*
 * eval.c - expressions at compile time (NNEF 1.0.5, section 3.3.3)
 *
 * Branches that are not selected, and right operands that do not matter, are not evaluated.
 */
#include "base/arena.h"
#include "ir/site.h"
#include "lower/lower_priv.h"
#include "tensor/item.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { UNMEASURED_DEPTH = 128 }; /* no stack is too small for that */

/* Most expansions of a hostile text make no node, so a site is made on demand only.  No recursion:
 * this is called where the stack is used up, too. */
const struct call_site *frame_site(struct call_frame *frame)
{
    const struct call_site *innermost = NULL, **link = &innermost;

    for (; frame->invocation && !frame->site; frame = frame->caller) {
        const struct invocation *call = frame->invocation;
        struct call_site *site = arena_new_of(frame->lowering->context->arena, struct call_site);
        *site = (struct call_site){.fragment = call->signature->name,
                                   .invocation = call->span,
                                   .depth = frame->depth,
                                   .standard = call->signature->standard};
        *link = frame->site = site;
        link = &site->caller;
    }
    *link = frame->site;
    return innermost;
}

/* The notes tell through which invocations the place was reached. */
bool fault(struct call_frame *frame, struct span span, enum diag_code code, const char *fmt, ...)
{
    struct place place = {frame->lowering->context->diag, frame_site(frame), span};
    va_list args;

    va_start(args, fmt);
    place_error(&place, code, fmt, args);
    va_end(args);
    place_notes(&place);
    return false;
}

/* The limit is on all steps together, so that no order of work can evade it. */
bool take_steps(struct call_frame *frame, struct span span, int64_t count)
{
    struct lowering *l = frame->lowering;
    int64_t limit = l->context->limits.work;

    assert(count >= 0);
    if (count <= limit - l->work) {
        l->work += count;
        return true;
    }
    fault(frame, span, DIAG_EXPANSION_SIZE, "expansion takes more than %" PRId64 " steps", limit);
    return diag_help(l->context->diag, "raise the limit with --limit=steps=N.");
}

bool may_take(struct call_frame *frame, struct span span, int64_t bytes)
{
    struct context *context = frame->lowering->context;

    assert(bytes >= 0);
    if (context_may_grow(context, bytes)) /* before a site is made */
        return true;
    return place_grows(&(struct place){context->diag, frame_site(frame), span}, context, bytes);
}

/* May the scratch arena hold so many items, or characters and a final NUL?  Reported if not. */
static bool has_room(struct call_frame *frame, struct span span, int64_t count, bool string)
{
    const struct context *context = frame->lowering->context;
    int64_t limit = context->limits.array_length;

    assert(count >= 0);
    if (count > limit) {
        fault(frame, span, DIAG_EXPANSION_SIZE,
              "%s of %" PRId64 " %s exceeds the limit of %" PRId64,
              string ? "a string" : "an array", count, string ? "characters" : "items", limit);
        return diag_help(context->diag, "raise the limit with --limit=array-length=N.");
    }
    return take_steps(frame, span, string ? count / CHARACTERS_A_STEP : count) &&
           may_take(frame, span, string ? count + 1 : count * (int64_t)sizeof(struct datum));
}

char *new_characters(struct call_frame *frame, struct span span, int64_t count)
{
    bool room = has_room(frame, span, count, true);

    return room ? arena_alloc(frame->lowering->scratch, (size_t)count + 1) : NULL;
}

struct datum *new_items(struct call_frame *frame, struct span span, int64_t count)
{
    bool room = has_room(frame, span, count, false);

    return room ? arena_array_of(frame->lowering->scratch, struct datum, count) : NULL;
}

/* A literal becomes a float. */
static void check_literal(struct call_frame *frame, struct span span, const struct datum *literal)
{
    struct place place = {frame->lowering->context->diag, frame_site(frame), span};

    if (literal->kind != DATUM_SCALAR || float_holds(literal->scalar))
        return;
    place_warn(&place, WARNING_DOUBLE_PRECISION,
               "this is %g, but %g in the 32 bits that nnefc computes with", literal->scalar,
               (double)(float)literal->scalar);
    place_notes(&place);
}

bool cast_datum(struct call_frame *frame, const struct type *type, struct span span,
                struct datum *datum)
{
    bool is_list = datum->kind == DATUM_ARRAY || datum->kind == DATUM_TUPLE;

    if (!type->has_tensor || datum->kind == DATUM_TENSOR || (is_list && datum->count == 0))
        return true;
    if (!is_list) {
        if (!may_take(frame, span, sizeof(struct value)))
            return false;
        check_literal(frame, span, datum);
        struct value *literal = graph_literal(frame->lowering->graph, datum);
        *datum = (struct datum){.kind = DATUM_TENSOR, .tensor = literal};
        return true;
    }
    /* Items are copied: the list may be shared with other expressions. */
    struct datum *items = new_items(frame, span, datum->count);
    assert(type->kind != TYPE_TUPLE || type->count == datum->count);
    if (!items)
        return false;
    for (int i = 0; i < datum->count; i++) {
        items[i] = datum->items[i];
        if (!cast_datum(frame, type->kind == TYPE_TUPLE ? type->items[i] : type->item, span,
                        &items[i]))
            return false;
    }
    datum->items = items;
    return true;
}

bool read_string(struct call_frame *frame, struct span span, const struct datum *datum)
{
    return datum->kind != DATUM_STRING ||
           take_steps(frame, span, (int64_t)strlen(datum->string) / CHARACTERS_A_STEP);
}

/* Items begin <= i < end are shared, characters copied. */
static bool part_of(struct call_frame *frame, struct span span, struct datum *part, int64_t begin,
                    int64_t end)
{
    if (part->kind != DATUM_STRING) {
        part->items += begin;
        part->count = (int)(end - begin);
        return true;
    }
    char *text = new_characters(frame, span, end - begin);
    if (text)
        memcpy(text, part->string + begin, (size_t)(end - begin));
    part->string = text;
    return text;
}

/* Returns false, as there is a fault. */
static bool label_length(const struct call_frame *frame, const struct expr *list, int64_t length)
{
    return diag_label(frame->lowering->context->diag, list->span, "this has %" PRId64 " item%s",
                      length, length == 1 ? "" : "s");
}

/* Bounds of arrays are checked here, for their lengths are not known to sema. */
static bool evaluate_subscript(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct datum base = {0}, index = {0};

    if (!evaluate(frame, expr->subscript.base, &base) || !read_string(frame, expr->span, &base) ||
        !evaluate(frame, expr->subscript.begin, &index))
        return false;
    int64_t at = index.integer, length = datum_length(&base);
    if (at < 0 || at >= length) {
        fault(frame, expr->subscript.begin->span, DIAG_INDEX_RANGE,
              "index %" PRId64 " is out of range for %" PRId64 " item%s", at, length,
              length == 1 ? "" : "s");
        return label_length(frame, expr->subscript.base, length);
    }
    *out = base.kind == DATUM_STRING ? base : base.items[at];
    return base.kind != DATUM_STRING || part_of(frame, expr->span, out, at, at + 1);
}

/* A bound of a range of `list`. */
static bool evaluate_bound(struct call_frame *frame, const struct expr *list,
                           const struct expr *expr, int64_t length, int64_t *bound)
{
    struct datum datum = {0};

    if (!expr)
        return true;
    if (!evaluate(frame, expr, &datum))
        return false;
    *bound = datum.integer;
    if (*bound >= 0 && *bound <= length)
        return true;
    fault(frame, expr->span, DIAG_INDEX_RANGE,
          "range bound %" PRId64 " is out of range for %" PRId64 " item%s", *bound, length,
          length == 1 ? "" : "s");
    return label_length(frame, list, length);
}

/* A range that begins behind its end is empty. */
static bool evaluate_range(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct datum base = {0};

    if (!evaluate(frame, expr->subscript.base, &base) || !read_string(frame, expr->span, &base))
        return false;
    int64_t length = datum_length(&base), begin = 0, end = length;
    const struct expr *list = expr->subscript.base;
    if (!evaluate_bound(frame, list, expr->subscript.begin, length, &begin) ||
        !evaluate_bound(frame, list, expr->subscript.end, length, &end))
        return false;
    *out = base;
    return part_of(frame, expr->span, out, begin, end > begin ? end : begin);
}

/* Iterables run in step; they must have one length. */
static bool evaluate_comprehension(struct call_frame *frame, const struct expr *expr,
                                   struct datum *out)
{
    const struct comprehension *c = expr->comprehension;
    const struct iter *first = c->iters.first;
    struct datum *iterable = new_items(frame, expr->span, c->iters.count);
    int n = 0, count = 0;

    if (!iterable)
        return false;
    for (const struct iter *i = first; i; i = i->next, n++) {
        if (!evaluate(frame, i->iterable, &iterable[n]))
            return false;
        if (iterable[n].count == iterable[0].count)
            continue;
        fault(frame, i->iterable->span, DIAG_ITERABLE_LENGTH,
              "'%s' iterates over %d item%s, expected %d as for '%s'", i->name, iterable[n].count,
              iterable[n].count == 1 ? "" : "s", iterable[0].count, first->name);
        return label_length(frame, first->iterable, iterable[0].count);
    }
    struct datum *items = new_items(frame, expr->span, iterable[0].count);
    if (!items)
        return false;
    for (int k = 0; k < iterable[0].count; k++) {
        struct datum accepted = {.kind = DATUM_LOGICAL, .logical = true};
        n = 0;
        for (const struct iter *i = first; i; i = i->next)
            frame->env[i->slot] = iterable[n++].items[k];
        if (c->filter && !evaluate(frame, c->filter, &accepted))
            return false;
        if (accepted.logical && !evaluate(frame, c->item, &items[count++]))
            return false;
    }
    *out = (struct datum){.kind = DATUM_ARRAY, .count = count, .items = items};
    return true;
}

/* One case for each kind of expression.  Cases with several locals are functions of their own:
 * the stack bounds how deep this one recurses. */
static bool evaluate_kind(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    switch ((enum expr_kind)expr->kind) {
    case EXPR_INTEGER:
        *out = (struct datum){.kind = DATUM_INTEGER, .integer = expr->integer};
        return true;
    case EXPR_SCALAR:
        *out = (struct datum){.kind = DATUM_SCALAR, .scalar = expr->scalar};
        return true;
    case EXPR_LOGICAL:
        *out = (struct datum){.kind = DATUM_LOGICAL, .logical = expr->logical};
        return true;
    case EXPR_STRING:
        *out = (struct datum){.kind = DATUM_STRING, .string = expr->string};
        return true;
    case EXPR_NAME:
        *out = frame->env[expr->slot];
        return out->kind != DATUM_NONE;
    case EXPR_ARRAY:
    case EXPR_TUPLE: {
        struct datum *items = new_items(frame, expr->span, expr->items.count);
        int n = 0;

        if (!items)
            return false;
        for (const struct expr *e = expr->items.first; e; e = e->next)
            if (!evaluate(frame, e, &items[n++]))
                return false;
        *out = (struct datum){.kind = expr->kind == EXPR_TUPLE ? DATUM_TUPLE : DATUM_ARRAY,
                              .count = n,
                              .items = items};
        return true;
    }
    case EXPR_CALL:
        return evaluate_call(frame, expr, out);
    case EXPR_NAMED:
        return evaluate(frame, expr->named.value, out);
    case EXPR_BUILTIN:
        return evaluate_builtin(frame, expr, out);
    case EXPR_UNARY:
        return evaluate_unary(frame, expr, out);
    case EXPR_BINARY:
        return evaluate_binary(frame, expr, out);
    case EXPR_SELECT: {
        struct datum condition = {0};
        if (!evaluate(frame, expr->select.condition, &condition))
            return false;
        return evaluate(frame, condition.logical ? expr->select.yes : expr->select.no, out);
    }
    case EXPR_SUBSCRIPT:
        return evaluate_subscript(frame, expr, out);
    case EXPR_RANGE:
        return evaluate_range(frame, expr, out);
    case EXPR_COMPREHENSION:
        return evaluate_comprehension(frame, expr, out);
    }
    return false;
}

/* Bounds the depth of recursion, which the text and its expansion decide together. */
bool evaluate(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    struct lowering *l = frame->lowering;

    if (!take_steps(frame, expr->span, 1))
        return false;
    if (l->depth > UNMEASURED_DEPTH && !l->floor)
        l->floor = stack_floor();
    if (l->depth > UNMEASURED_DEPTH && stack_left(l->floor) == 0) {
        fault(frame, expr->span, DIAG_EXPANSION_DEPTH,
              "expressions and fragments are nested more deeply than the stack allows");
        return diag_help(l->context->diag,
                         "see whether the recursion ends, or run with a larger stack.");
    }
    l->depth++;
    bool ok = evaluate_kind(frame, expr, out);
    l->depth--;
    return ok;
}
