/* bind.c - arguments to parameters, and what '?' stands for (NNEF 1.0.5, section 3.3.2) */
#include "sema/report_priv.h"

#include <assert.h>
#include <string.h>

/* --- which argument belongs to which parameter ------------------------------------------- */

/* The invocations' own name, without arguments. */
static struct span callee_span(const struct expr *call)
{
    return (struct span){call->span.begin, call->span.begin + (uint32_t)strlen(call->call.callee)};
}

/* Arguments mostly come in the order of the declaration: try the one after the last first. */
static int find_param(const struct signature *s, const char *name, int last)
{
    if (last + 1 < s->nparam && s->params[last + 1].name == name)
        return last + 1;
    return signature_param(s, name);
}

/* The state of walking over the arguments of one invocation. */
struct binding_walk {
    const struct expr *call, *named; /* `named`: the first such argument */
    const struct signature *signature;
    int base, position, last;
    bool surplus, warned; /* reported already */
};

static int bind_named(struct checker *c, const struct binding_walk *w, struct expr *arg)
{
    const struct signature *s = w->signature;
    int last = w->last;
    int param = find_param(s, arg->named.name, last);

    assert(arg->kind == EXPR_NAMED);
    arg->named.param = param;
    if (param < 0) {
        uint32_t size = (uint32_t)strlen(arg->named.name);
        struct span at = {arg->span.begin, arg->span.begin + size};
        diag_error(c->diag, at, DIAG_UNKNOWN_PARAMETER, "'%s' has no parameter '%s'", s->name,
                   arg->named.name);
        help_parameter(c, w->call, s, arg->named.name, at);
        label_signature(c, s);
        return last;
    }
    return param;
}

static void attribute_positional(struct checker *c, const struct binding_walk *w,
                                 const struct expr *arg, const struct sig_param *param)
{
    diag_error(c->diag, arg->span, DIAG_ATTRIBUTE_POSITIONAL,
               "attribute '%s' of '%s' is given by position, expected by name", param->name,
               w->signature->name);
    diag_help(c->diag, "write '%s = ...'.", param->name);
    if (!is_given(w->call, param->name))
        fix_name(c, arg->span, param->name);
}

static void enter_binding(struct checker *c, struct binding_walk *w, struct expr *arg,
                          const struct expr *value, const struct type *type)
{
    struct binding *b = &c->binding[w->base + w->last];

    if (b->value) {
        diag_error(c->diag, arg->span, DIAG_ARGUMENT_REPEATED, "parameter '%s' is given twice",
                   w->signature->params[w->last].name);
        diag_label(c->diag, arg->span, "given again");
        diag_label(c->diag, b->value->span, "first given here");
        return;
    }
    b->value = value;
    b->type = type;
}

/* The argument belongs to the parameter behind the last one. */
static void bind_positional(struct checker *c, struct binding_walk *w, struct expr *arg)
{
    const struct type *type = check_expr(c, arg);
    const struct signature *s = w->signature;
    int param = w->position++;

    if (w->named) {
        diag_error(c->diag, arg->span, DIAG_POSITIONAL_AFTER_NAMED,
                   "positional argument after '%s = ...', expected before the named ones",
                   w->named->named.name);
        diag_label(c->diag, w->named->span, "the first argument given by name");
        return;
    }
    if (param >= s->nparam) {
        if (!w->surplus) {
            int found = 0;
            for (const struct expr *a = w->call->call.args; a; a = a->next)
                found++;
            diag_error(c->diag, arg->span, DIAG_TOO_MANY_ARGUMENTS,
                       "%d arguments for '%s', expected at most %d", found, s->name, s->nparam);
            label_signature(c, s);
        }
        w->surplus = true;
        return;
    }
    w->last = param;
    if (!s->params[param].type->has_tensor && !is_poison(s->params[param].type)) {
        attribute_positional(c, w, arg, &s->params[param]);
        return;
    }
    enter_binding(c, w, arg, arg, type);
}

static bool check_complete(struct checker *c, const struct expr *call, const struct signature *s,
                           int base)
{
    bool complete = true;

    for (int i = 0; i < s->nparam; i++) {
        bool optional = s->params[i].has_default && !c->quant;
        if (c->binding[base + i].value || optional)
            continue;
        bool told = c->faulty || s->faulty || !call->call.args; /* no items are a fault, too */
        if (!told) {
            const struct sig_param *param = &s->params[i];
            diag_error(c->diag, callee_span(call), DIAG_MISSING_ARGUMENT,
                       "'%s' lacks its %s '%s', expected a value of type %s", s->name,
                       param->type->has_tensor ? "argument" : "attribute", param->name,
                       text_of(c, param->type));
            label_param(c, param);
        }
        complete = false;
    }
    return complete;
}

/* Once for an invocation; the standard's own bodies do it too. */
static void warn_named_tensor(struct checker *c, struct binding_walk *w, const struct expr *arg)
{
    const struct sig_param *param = &w->signature->params[arg->named.param];

    if (!param->type->has_tensor || c->dialect == DIALECT_PROVISIONAL || c->standard || c->quant ||
        w->warned)
        return;
    w->warned = true;
    if (tolerate(c, &c->naming_count, arg->span, WARNING_NAMED_TENSOR,
                 "tensor parameter is given by name, expected by position")) {
        diag_help(c->diag, "give tensors by position, before the attributes.");
        fix_named_tensors(c, w->call, w->signature);
    }
}

/* False if an argument is missing or was not understood. */
bool bind_arguments(struct checker *c, struct expr *call, const struct signature *signature,
                    int base)
{
    int before = diag_error_count(c->diag) - c->forgiven;
    struct binding_walk w = {.call = call, .signature = signature, .base = base, .last = -1};

    assert(base >= 0 && base + signature->nparam <= c->binding_count);
    for (struct expr *arg = call->call.args; arg; arg = arg->next) {
        if (arg->kind != EXPR_NAMED) {
            bind_positional(c, &w, arg);
            continue;
        }
        const struct type *type = check_expr(c, arg->named.value);
        w.named = w.named ? w.named : arg;
        w.last = bind_named(c, &w, arg);
        if (arg->named.param < 0)
            continue;
        warn_named_tensor(c, &w, arg);
        enter_binding(c, &w, arg, arg->named.value, type);
    }
    return diag_error_count(c->diag) - c->forgiven == before &&
           check_complete(c, call, signature, base);
}

/* --- the generic type -------------------------------------------------------------------- */

/* Kinds of data types that an argument of type `actual` suggests for '?': a set of bits. */
static unsigned candidates(const struct type *formal, const struct type *actual)
{
    unsigned set = 0;

    if (!formal->has_generic)
        return 0;
    if (is_poison(actual))
        return 1U << TYPE_POISON;
    if (formal->kind == TYPE_ARRAY)
        return actual->kind == TYPE_ARRAY ? candidates(formal->item, actual->item) : 0;
    if (formal->kind == TYPE_TENSOR && actual->kind == TYPE_TENSOR)
        return actual->item ? 1U << actual->item->kind : 0;
    if (formal->kind == TYPE_TENSOR || formal->kind == TYPE_GENERIC)
        return type_is_primitive(actual) ? 1U << actual->kind : 0;
    for (int i = 0; i < formal->count && i < actual->count; i++)
        set |= candidates(formal->items[i], actual->items[i]);
    return set;
}

static const struct type *undeducible(struct checker *c, const struct expr *call)
{
    diag_error(c->diag, callee_span(call), DIAG_GENERIC_UNKNOWN,
               "generic type of '%s' cannot be deduced from its arguments", call->call.callee);
    diag_help(c->diag, "write it out: '%s<%s>(...)'.", call->call.callee,
              type_name_text(TYPE_NAME_SCALAR, c->dialect));
    return poison();
}

/* Collects what each argument says about the generic type, as a set of kinds. */
static const struct type *deduce(struct checker *c, const struct expr *call, int base,
                                 bool complete)
{
    const struct signature *s = call->call.signature;
    const unsigned unknown = 1U << TYPE_POISON;
    unsigned set = 0;

    for (int i = 0; i < s->nparam; i++)
        if (c->binding[base + i].value)
            set |= candidates(s->params[i].type, c->binding[base + i].type);
    unsigned certain = set & ~unknown;
    if (certain & (certain - 1)) {
        const struct type *found[2] = {NULL, NULL};
        for (int kind = TYPE_INTEGER; kind <= TYPE_GENERIC; kind++)
            if (certain >> kind & 1)
                found[found[0] != NULL] = type_primitive((enum type_kind)kind);
        diag_error(
            c->diag, callee_span(call), DIAG_GENERIC_AMBIGUOUS,
            "generic type of '%s' is %s by one argument and %s by another, expected one type",
            call->call.callee, text_of(c, found[0]), text_of(c, found[1]));
        return poison();
    }
    for (int kind = TYPE_INTEGER; kind <= TYPE_GENERIC; kind++)
        if (certain >> kind & 1)
            return type_primitive((enum type_kind)kind);
    return set || !complete || c->faulty || s->faulty ? poison() : undeducible(c, call);
}

static const struct type *explicit_type(struct checker *c, struct expr *call)
{
    if (call->op != TYPE_NAME_GENERIC || (c->signature && c->signature->generic))
        return type_of_name(call->op);
    diag_error(c->diag, callee_span(call), DIAG_GENERIC_UNDECLARED,
               "'%s<?>' outside a generic fragment, expected a type", call->call.callee);
    return poison();
}

static const struct type *type_of_dtype(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_INTEGER:
        return type_primitive(TYPE_INTEGER);
    case DTYPE_SCALAR:
        return type_primitive(TYPE_SCALAR);
    case DTYPE_LOGICAL:
        return type_primitive(TYPE_LOGICAL);
    case DTYPE_STRING:
        return type_primitive(TYPE_STRING);
    case DTYPE_UNKNOWN:
        break;
    }
    return poison();
}

/* The type in '<...>' comes first, then the default of the declaration, then the arguments. */
const struct type *bind_generic(struct checker *c, struct expr *call, int base, bool complete)
{
    const struct signature *signature = call->call.signature;
    const struct type *type;

    assert(call->kind == EXPR_CALL);
    if (!signature->generic) {
        if (call->op != TYPE_NAME_NONE && c->dialect == DIALECT_1_0) {
            diag_error(c->diag, callee_span(call), DIAG_NOT_GENERIC,
                       "type '<%s>' is given to '%s', which is not generic",
                       type_name_text(call->op, c->dialect), signature->name);
            label_signature(c, signature);
        }
        call->slot = TYPE_NAME_NONE;
        return poison();
    }
    if (call->op != TYPE_NAME_NONE)
        type = explicit_type(c, call);
    else if (signature->generic_default != DTYPE_UNKNOWN)
        type = type_of_dtype(signature->generic_default);
    else
        type = deduce(c, call, base, complete);
    call->slot = type_to_name(type);
    return type;
}

/* --- types of arguments ------------------------------------------------------------------ */

/* A literal that suits one type need not suit another (R040). */
static void check_generic_default(struct checker *c, const struct expr *call,
                                  const struct sig_param *param, const struct type *expected)
{
    const struct type *found = literal_type(c, &param->value);

    if (fits(c, found, expected))
        return;
    diag_error(c->diag, callee_span(call), DIAG_DEFAULT_TYPE,
               "default value of '%s' is %s, expected %s here", param->name, text_of(c, found),
               text_of(c, expected));
    label_param(c, param);
}

static void check_argument(struct checker *c, const struct signature *s,
                           const struct sig_param *param, const struct binding *b,
                           const struct type *expected)
{
    if (fits(c, b->type, expected))
        return;
    diag_error(c->diag, b->value->span, DIAG_TYPE_MISMATCH, "'%s' of '%s' is %s, expected %s",
               param->name, s->name, text_of(c, b->type), text_of(c, expected));
    label_type(c, b->value, b->type);
    label_param(c, param);
    help_cast(c, b->value, b->type, expected);
    fix_cast(c, b->value, b->type, expected);
}

/* Needs the generic type: only now is the type of every parameter known. */
void bind_check(struct checker *c, const struct expr *call, const struct signature *signature,
                int base, const struct type *generic)
{
    assert(base >= 0 && base + signature->nparam <= c->binding_count);
    for (int i = 0; i < signature->nparam; i++) {
        const struct sig_param *param = &signature->params[i];
        const struct binding *b = &c->binding[base + i];
        const struct type *expected = param->type;
        if (expected->has_generic)
            expected = type_substitute(c->types, expected, generic);
        if (b->value)
            check_argument(c, signature, param, b, expected);
        else if (param->has_default && param->type->has_generic)
            check_generic_default(c, call, param, expected);
    }
}
