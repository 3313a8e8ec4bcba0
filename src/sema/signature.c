/*
 * signature.c - declarations of fragments (NNEF 1.0.5, sections 3.2.2, 3.3.1 and 3.3.2)
 *
 * A signature tells all that callers of a fragment need to know; bodies are checked later.
 */
#include "sema/report_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

/* The type of that name; '?' needs a generic fragment. */
static const struct type *named_type(struct checker *c, const struct fragment *fragment,
                                     const struct type_expr *expr)
{
    if (expr->name != TYPE_NAME_GENERIC || fragment->generic)
        return type_of_name(expr->name);
    if (c->dialect == DIALECT_PROVISIONAL)
        return poison();
    diag_error(c->diag, expr->span, DIAG_GENERIC_UNDECLARED,
               "'?' in fragment '%s', which is not generic", fragment->name);
    diag_help(c->diag, "declare it generic: 'fragment %s<?>(...)'.", fragment->name);
    return poison();
}

static const struct type *make_type(struct checker *c, const struct fragment *fragment,
                                    const struct type_expr *expr)
{
    const struct type **items;
    int count = 0, tensors = 0;

    if (!expr)
        return poison();
    switch (expr->kind) {
    case TYPE_EXPR_PRIMITIVE:
        return named_type(c, fragment, expr);
    case TYPE_EXPR_TENSOR:
        if (expr->bare)
            return type_tensor(type_primitive(c->standard ? TYPE_SCALAR : TYPE_POISON));
        if (expr->name == TYPE_NAME_NONE)
            return type_tensor(NULL);
        return type_tensor(named_type(c, fragment, expr));
    case TYPE_EXPR_ARRAY:
        return type_array(c->types, make_type(c, fragment, expr->items.first));
    case TYPE_EXPR_TUPLE:
        items = arena_array_of(c->arena, const struct type *, expr->items.count);
        for (const struct type_expr *e = expr->items.first; e; e = e->next) {
            items[count] = make_type(c, fragment, e);
            tensors += items[count++]->has_tensor;
        }
        /* The provisional dialect lets tuples mix (R033). */
        if (c->dialect == DIALECT_1_0 && tensors > 0 && tensors < count)
            diag_error(c->diag, expr->span, DIAG_MIXED_TUPLE_TYPE,
                       "tuple type mixes tensors and attributes, expected %s",
                       items[0]->has_tensor ? "tensors only" : "attributes only");
        return limited(c, type_tuple(c->types, items, count), expr->span);
    }
    return poison();
}

/* A parameter with its type and default value, which has to be of that type.  A generic default is
 * compared when the type is known, at the invocation (R040). */
static void make_param(struct checker *c, const struct fragment *fragment,
                       const struct param *param, struct sig_param *to)
{
    const struct expr *value = param->value;

    *to = (struct sig_param){.name = param->name, .span = param->span};
    to->type = make_type(c, fragment, param->type);
    if (!value)
        return;
    const struct type *found = literal_evaluate(c, value, &to->value);
    to->has_default = true;
    if (!found || fits(c, found, type_substitute(c->types, to->type, poison())))
        return;
    diag_error(c->diag, value->span, DIAG_DEFAULT_TYPE, "default value of '%s' is %s, expected %s",
               param->name, text_of(c, found), text_of(c, to->type));
    label_type(c, value, found);
    fix_cast(c, value, found, to->type);
}

/* Tensors come before attributes in NNEF 1.0.  False after a report. */
static bool check_order(struct checker *c, const struct signature *s)
{
    const struct sig_param *attribute = NULL;

    for (int i = 0; i < s->nparam && c->dialect == DIALECT_1_0; i++) {
        const struct sig_param *p = &s->params[i];
        if (!p->type->has_tensor && !is_poison(p->type)) {
            attribute = attribute ? attribute : p;
        } else if (attribute && p->type->has_tensor) {
            diag_error(c->diag, p->span, DIAG_TENSOR_AFTER_ATTRIBUTE,
                       "tensor parameter '%s' after attribute '%s', expected before it", p->name,
                       attribute->name);
            return diag_label(c->diag, attribute->span, "the first attribute");
        }
    }
    return true;
}

/* Results may be tensors, and arrays and tuples of them. */
static bool only_tensors(const struct type *type)
{
    bool ok = type->kind == TYPE_TENSOR || type->kind == TYPE_POISON || type->kind == TYPE_TUPLE;

    if (type->kind == TYPE_ARRAY)
        return only_tensors(type->item);
    for (int i = 0; ok && i < type->count; i++)
        ok = only_tensors(type->items[i]);
    return ok;
}

/* Whether a part of it is `tensor<>`, whose data type is open. */
static bool has_unbound(const struct type *type)
{
    if (type->kind == TYPE_TENSOR)
        return !type->item;
    if (type->kind == TYPE_ARRAY)
        return has_unbound(type->item);
    for (int i = 0; i < type->count; i++)
        if (has_unbound(type->items[i]))
            return true;
    return false;
}

/* The dialects differ: provisional results may be of any type. */
static void make_result(struct checker *c, const struct fragment *fragment,
                        const struct param *result, struct sig_result *to)
{
    *to = (struct sig_result){result->name, result->span, make_type(c, fragment, result->type)};
    if (c->dialect == DIALECT_PROVISIONAL)
        return;
    struct span span = result->type ? result->type->span : result->span;
    if (!only_tensors(to->type))
        diag_error(c->diag, span, DIAG_RESULT_TYPE,
                   "result '%s' of fragment '%s' is %s, expected a tensor", to->name,
                   fragment->name, text_of(c, to->type));
    else if (has_unbound(to->type))
        diag_error(c->diag, span, DIAG_UNBOUND_RESULT,
                   "result '%s' of fragment '%s' is an unbound tensor, expected a data type",
                   to->name, fragment->name);
}

/* Names of parameters and results share one scope.  False after a report. */
static bool check_names(struct checker *c, const struct fragment *fragment)
{
    struct map params = {0}, results = {0};
    int errors = diag_error_count(c->diag);

    for (struct param *p = fragment->params.first; p; p = p->next) {
        const struct param *before = map_get(&params, p->name);
        if (!before) {
            map_set(&params, p->name, p);
            continue;
        }
        diag_error(c->diag, p->span, DIAG_PARAMETER_REPEATED,
                   "parameter '%s' of fragment '%s' is declared twice", p->name, fragment->name);
        diag_label(c->diag, before->span, "first declared here");
    }
    for (struct param *r = fragment->results.first; r; r = r->next) {
        const struct param *param = map_get(&params, r->name);
        const struct param *before = map_get(&results, r->name);
        if (before)
            diag_error(c->diag, r->span, DIAG_RESULT_REPEATED,
                       "result '%s' of fragment '%s' is declared twice", r->name, fragment->name);
        else if (param)
            diag_error(c->diag, r->span, DIAG_PARAMETER_IS_RESULT,
                       "'%s' is both parameter and result of fragment '%s'", r->name,
                       fragment->name);
        if (before || param)
            diag_label(c->diag, before ? before->span : param->span, "first declared here");
        if (!before)
            map_set(&results, r->name, r);
    }
    map_free(&params);
    map_free(&results);
    return diag_error_count(c->diag) == errors;
}

/* A fragment is generic if a parameter or result is, and the default of its type is a type. */
static void check_generic(struct checker *c, const struct fragment *fragment,
                          const struct signature *s)
{
    bool used = false;

    for (int i = 0; i < s->nparam && !used; i++)
        used = s->params[i].type->has_generic;
    for (int i = 0; i < s->nresult && !used; i++)
        used = s->results[i].type->has_generic;
    if (fragment->generic_default == TYPE_NAME_GENERIC)
        diag_error(c->diag, fragment->generic_span, DIAG_GENERIC_DEFAULT,
                   "default of the generic type of '%s' is '?', expected integer, scalar, "
                   "logical or string",
                   fragment->name);
    if (fragment->generic && !used)
        diag_error(c->diag, fragment->generic_span, DIAG_GENERIC_UNUSED,
                   "fragment '%s' is generic, but no parameter or result uses '?'", fragment->name);
}

/* Names are compared as pointers. */
static int compare_names(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)(*(const struct sig_param *const *)a)->name;
    uintptr_t right = (uintptr_t)(*(const struct sig_param *const *)b)->name;

    return (left > right) - (left < right);
}

/* Names are interned, so pointers are compared; many parameters are sorted by them. */
int signature_param(const struct signature *s, const char *name)
{
    struct sig_param wanted = {.name = name};
    const struct sig_param *key = &wanted, **found;

    assert(name);
    if (s->by_name) {
        found = bsearch(&key, s->by_name, (size_t)s->nparam, sizeof *s->by_name, compare_names);
        return found ? (int)(*found - s->params) : -1;
    }
    for (int i = 0; i < s->nparam; i++)
        if (s->params[i].name == name)
            return i;
    return -1;
}

/* All faults of the declaration are reported; with some of them its type is poison. */
struct signature *signature_make(struct checker *c, const struct fragment *fragment)
{
    enum { FEW = 16 }; /* parameters, which are looked at one after the other */
    struct signature *s = arena_new_of(c->arena, struct signature);
    int i = 0;

    assert(fragment->name);
    s->name = fragment->name;
    s->fragment = fragment;
    s->generic = fragment->generic;
    s->generic_default = type_dtype(type_of_name(fragment->generic_default));
    s->standard = c->standard;
    s->nparam = fragment->params.count;
    s->nresult = fragment->results.count;
    s->params = arena_array_of(c->arena, struct sig_param, s->nparam);
    s->results = arena_array_of(c->arena, struct sig_result, s->nresult);
    bool ok = check_names(c, fragment);
    for (const struct param *p = fragment->params.first; p; p = p->next)
        make_param(c, fragment, p, &s->params[i++]);
    assert(i == s->nparam);
    if (s->nparam > FEW) {
        s->by_name = arena_array_of(c->arena, const struct sig_param *, s->nparam);
        for (i = 0; i < s->nparam; i++)
            s->by_name[i] = &s->params[i];
        qsort(s->by_name, (size_t)s->nparam, sizeof *s->by_name, compare_names);
    }
    const struct type **types = arena_array_of(c->arena, const struct type *, s->nresult);
    i = 0;
    for (const struct param *r = fragment->results.first; r; r = r->next, i++) {
        make_result(c, fragment, r, &s->results[i]);
        types[i] = s->results[i].type;
    }
    ok &= check_order(c, s);
    if (c->standard || c->dialect == DIALECT_1_0)
        check_generic(c, fragment, s);
    /* An invocation gives its result, or the tuple of several. */
    s->type = !ok || s->nresult == 0 ? poison()
              : s->nresult == 1
                  ? types[0]
                  : limited(c, type_tuple(c->types, types, s->nresult), fragment->span);
    s->nslot = (uint32_t)(s->nparam + s->nresult);
    return s;
}

void label_signature(struct checker *c, const struct signature *signature)
{
    diag_label(c->diag, signature->fragment->span, "'%s' is declared here", signature->name);
}

void label_param(struct checker *c, const struct sig_param *param)
{
    diag_label(c->diag, param->span, "'%s' is declared here", param->name);
}
