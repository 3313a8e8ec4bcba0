/*
 * bind.c - arguments to parameters, and what '?' stands for (NNEF 1.0.5, section 3.3.2)
 *
 * The bindings of an invocation are base .. base + nparam - 1 of the checker's stack.  They are
 * made in three steps: which argument belongs to which parameter, what the generic type is, and
 * whether each argument has the type of its parameter, which only now is known.
 */
#include "sema/report_priv.h"

#include <assert.h>
#include <string.h>

/* --- which argument belongs to which parameter ------------------------------------------- */

/* The state of walking over the arguments of one invocation. */
struct binding_walk {
    const struct expr *call;
    const struct expr *named; /* the first argument that was given by name; NULL: none so far */
    const struct signature *signature;
    int base;     /* of the bindings */
    int position; /* of the next argument without a name */
    int last;     /* the parameter of the argument before; -1 at first */
    bool surplus; /* too many arguments are reported already */
    bool warned;  /* so are tensors that are given by name */
};

/* The parameter of that name; -1 after a report. */
static int bind_named(struct checker *c, const struct binding_walk *w, struct expr *arg)
{
    const struct signature *s = w->signature;
    const char *name = arg->named.name;
    int next = w->last + 1;

    assert(arg->kind == EXPR_NAMED);
    /* Arguments mostly come in the order of the declaration: try the one after the last first. */
    bool in_order = next < s->nparam && s->params[next].name == name;
    arg->named.param = in_order ? next : signature_param(s, name);
    if (arg->named.param < 0) {
        struct span at = {arg->span.begin, arg->span.begin + (uint32_t)strlen(name)};
        diag_error(c->diag, at, DIAG_UNKNOWN_PARAMETER, "'%s' has no parameter '%s'", s->name,
                   name);
        help_parameter(c, w->call, s, name, at);
        label_signature(c, s);
    }
    return arg->named.param;
}

/* Let the parameter `w->last` have this value, unless it has one already. */
static void enter_binding(struct checker *c, const struct binding_walk *w, struct expr *arg,
                          const struct expr *value, const struct type *type)
{
    struct binding *b = &c->binding[w->base + w->last];

    assert(w->last >= 0 && w->last < w->signature->nparam);
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

/* The argument belongs to the parameter behind the last one, which has to be a tensor. */
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
        int found = 0;
        for (const struct expr *a = w->call->call.args; a; a = a->next)
            found++;
        if (!w->surplus) {
            diag_error(c->diag, arg->span, DIAG_TOO_MANY_ARGUMENTS,
                       "%d arguments for '%s', expected at most %d", found, s->name, s->nparam);
            label_signature(c, s);
        }
        w->surplus = true;
        return;
    }
    w->last = param;
    const struct sig_param *p = &s->params[param];
    if (p->type->has_tensor || is_poison(p->type)) {
        enter_binding(c, w, arg, arg, type);
        return;
    }
    diag_error(c->diag, arg->span, DIAG_ATTRIBUTE_POSITIONAL,
               "attribute '%s' of '%s' is given by position, expected by name", p->name, s->name);
    diag_help(c->diag, "write '%s = ...'.", p->name);
    if (!is_given(w->call, p->name))
        fix_name(c, arg->span, p->name);
}

/* False if a parameter has neither an argument nor a default. */
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
        int param = bind_named(c, &w, arg);
        if (param < 0)
            continue;
        w.last = param;
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

/* Collects what each argument says about the generic type, as a set of kinds.  Poison, without a
 * report, if what would tell it is wrong. */
static const struct type *deduce(struct checker *c, const struct expr *call, int base,
                                 bool complete)
{
    const struct signature *s = call->call.signature;
    const struct type *found[2] = {NULL, NULL}; /* the first of them, and another one */
    unsigned set = 0;

    assert(s->generic);
    for (int i = 0; i < s->nparam; i++)
        if (c->binding[base + i].value)
            set |= candidates(s->params[i].type, c->binding[base + i].type);
    for (int kind = TYPE_INTEGER; kind <= TYPE_GENERIC; kind++)
        if (set >> kind & 1)
            found[found[0] != NULL] = type_primitive((enum type_kind)kind);
    if (found[0] && !found[1])
        return found[0];
    if (found[0]) {
        diag_error(
            c->diag, callee_span(call), DIAG_GENERIC_AMBIGUOUS,
            "generic type of '%s' is %s by one argument and %s by another, expected one type",
            call->call.callee, text_of(c, found[0]), text_of(c, found[1]));
        return poison();
    }
    if (!set && complete && !c->faulty && !s->faulty) {
        diag_error(c->diag, callee_span(call), DIAG_GENERIC_UNKNOWN,
                   "generic type of '%s' cannot be deduced from its arguments", call->call.callee);
        diag_help(c->diag, "write it out: '%s<%s>(...)'.", call->call.callee,
                  type_name_text(TYPE_NAME_SCALAR, c->dialect));
    }
    return poison();
}

/* The type in '<...>' comes first, then the default of the declaration, then the arguments. */
const struct type *bind_generic(struct checker *c, struct expr *call, int base, bool complete)
{
    static const enum type_kind of_dtype[] = {[DTYPE_UNKNOWN] = TYPE_POISON,
                                              [DTYPE_INTEGER] = TYPE_INTEGER,
                                              [DTYPE_SCALAR] = TYPE_SCALAR,
                                              [DTYPE_LOGICAL] = TYPE_LOGICAL,
                                              [DTYPE_STRING] = TYPE_STRING};
    const struct signature *signature = call->call.signature;
    const struct type *type = poison();

    assert(call->kind == EXPR_CALL && signature->generic_default <= DTYPE_STRING);
    if (!signature->generic) {
        if (call->op != TYPE_NAME_NONE && c->dialect == DIALECT_1_0) {
            diag_error(c->diag, callee_span(call), DIAG_NOT_GENERIC,
                       "type '<%s>' is given to '%s', which is not generic",
                       type_name_text(call->op, c->dialect), signature->name);
            label_signature(c, signature);
        }
        call->slot = TYPE_NAME_NONE;
        return type;
    }
    if (call->op == TYPE_NAME_GENERIC && !(c->signature && c->signature->generic))
        diag_error(c->diag, callee_span(call), DIAG_GENERIC_UNDECLARED,
                   "'%s<?>' outside a generic fragment, expected a type", call->call.callee);
    else if (call->op != TYPE_NAME_NONE)
        type = type_of_name(call->op);
    else if (signature->generic_default != DTYPE_UNKNOWN)
        type = type_primitive(of_dtype[signature->generic_default]);
    else
        type = deduce(c, call, base, complete);
    call->slot = type_to_name(type);
    return type;
}

/* Needs the generic type: only now is the type of every parameter known. */
void bind_check(struct checker *c, const struct expr *call, const struct signature *signature,
                int base, const struct type *generic)
{
    assert(base >= 0 && base + signature->nparam <= c->binding_count);
    for (int i = 0; i < signature->nparam; i++) {
        const struct sig_param *param = &signature->params[i];
        const struct binding *b = &c->binding[base + i];
        const struct type *expected = param->type, *found = b->type;
        if (expected->has_generic)
            expected = type_substitute(c->types, expected, generic);
        /* A default that suits one type need not suit another (R040). */
        if (!b->value && param->has_default && param->type->has_generic)
            found = literal_type(c, &param->value);
        else if (!b->value)
            continue;
        if (fits(c, found, expected))
            continue;
        if (!b->value) {
            diag_error(c->diag, callee_span(call), DIAG_DEFAULT_TYPE,
                       "default value of '%s' is %s, expected %s here", param->name,
                       text_of(c, found), text_of(c, expected));
            label_param(c, param);
            continue;
        }
        diag_error(c->diag, b->value->span, DIAG_TYPE_MISMATCH, "'%s' of '%s' is %s, expected %s",
                   param->name, signature->name, text_of(c, found), text_of(c, expected));
        label_type(c, b->value, found);
        label_param(c, param);
        fix_cast(c, b->value, found, expected);
    }
}
