/*
 * variable.c - external, variable and update: where they may stand, labels
 *              (NNEF 1.0.5, sections 3.3.2, 4.1.3 and 4.8)
 *
 * What is no literal is left to the expansion.
 */
#include "sema/sema_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "tensor/label.h"

#include <string.h>

bool introduces(const struct signature *signature, enum value_kind kind)
{
    return signature->op && signature->op->introduces == kind;
}

bool has_effect(const struct signature *signature)
{
    return signature->op && (signature->op->traits & OP_EFFECT);
}

/* --- places ----------------------------------------------------------------------------- */

static bool check_place(struct checker *c, const struct expr *call)
{
    const struct signature *s = call->call.signature;
    bool external = introduces(s, VALUE_EXTERNAL);

    if (c->signature && (external || c->dialect == DIALECT_1_0)) {
        diag_error(c->diag, call->span, DIAG_FORBIDDEN_IN_FRAGMENT,
                   "'%s' in fragment '%s', expected in the graph only", s->name,
                   c->signature->name);
        return false;
    }
    if (external && call != c->direct) {
        diag_error(c->diag, call->span, DIAG_EXTERNAL_PLACE,
                   "'%s' within an expression, expected to be assigned to a graph parameter",
                   s->name);
        return false;
    }
    return true;
}

/* --- labels ----------------------------------------------------------------------------- */

static bool check_label(struct checker *c, const struct expr *label)
{
    const char *text = label->string, *why;
    bool garbled = label->span.end - label->span.begin > 2; /* no string: reported */

    if (!*text && garbled)
        return false;
    if (!*text)
        return diag_error(c->diag, label->span, DIAG_LABEL,
                          "label is empty, expected the name of a file without its ending");
    if (c->dialect == DIALECT_1_0 ? label_valid(text, &why) : label_inside(text, &why))
        return true;
    return diag_error(c->diag, label->span, DIAG_LABEL, "label '%s' has %s", text, why);
}

/* Labels are the same whatever the case of their letters; in the provisional dialect case counts. */
static const char *label_key(struct checker *c, const char *label)
{
    size_t size = strlen(label);
    char few[128];
    char *copy = size < sizeof few ? few : arena_alloc(c->arena, size + 1);

    for (size_t i = 0; i <= size; i++) {
        bool upper = label[i] >= 'A' && label[i] <= 'Z' && c->dialect == DIALECT_1_0;
        copy[i] = upper ? (char)(label[i] - 'A' + 'a') : label[i];
    }
    return intern(c->context->names, copy, size);
}

/* The argument of `call` for the first parameter of that type. */
static const struct expr *argument_of_type(const struct expr *call, const struct type *type)
{
    const struct signature *s = call->call.signature;
    int position = 0;

    for (const struct expr *arg = call->call.args; arg; arg = arg->next, position++) {
        bool named = arg->kind == EXPR_NAMED;
        int param = named ? arg->named.param : position;
        if (param >= 0 && param < s->nparam && s->params[param].type == type)
            return named ? arg->named.value : arg;
    }
    return NULL;
}

const struct expr *label_of(const struct expr *call)
{
    const struct expr *label = argument_of_type(call, type_primitive(TYPE_STRING));

    return label && label->kind == EXPR_STRING ? label : NULL;
}

/* Do two arrays of literals differ?  No, as far as the text tells. */
static bool shapes_differ(const struct expr *a, const struct expr *b)
{
    if (!a || !b || a->kind != EXPR_ARRAY || b->kind != EXPR_ARRAY)
        return false;
    if (a->items.count != b->items.count)
        return true;
    a = a->items.first;
    b = b->items.first;
    for (; a && b; a = a->next, b = b->next)
        if (a->kind == EXPR_INTEGER && b->kind == EXPR_INTEGER && a->integer != b->integer)
            return true;
    return false;
}

static void check_shared(struct checker *c, struct expr *call, const struct expr *label)
{
    const char *key = label_key(c, label->string);
    const struct expr *before = map_get(&c->labels, key);

    if (!before) {
        map_set(&c->labels, key, call);
        return;
    }
    const struct type *shape = type_array(c->types, type_primitive(TYPE_INTEGER));
    bool other_type = before->op != call->op;
    if (!other_type &&
        !shapes_differ(argument_of_type(before, shape), argument_of_type(call, shape)))
        return;
    diag_error(c->diag, label->span, DIAG_LABEL_SHARED,
               "label '%s' is that of a variable of another %s, expected the same", label->string,
               other_type ? "data type" : "shape");
    diag_note(c->diag, before->span, "introduced here");
}

static void check_variable(struct checker *c, struct expr *call)
{
    const struct expr *label = label_of(call);

    if (label && check_label(c, label) && !c->signature)
        check_shared(c, call, label);
}

/* --- updates ---------------------------------------------------------------------------- */

/* What stands for the storage that the identifier `name` shows. */
static const void *storage_key(struct checker *c, const char *name)
{
    const struct expr *call = map_get(&c->variables, name);
    const struct expr *label = call ? label_of(call) : NULL;

    return label ? (const void *)label_key(c, label->string) : call;
}

static void check_once(struct checker *c, struct expr *call, const struct expr *variable)
{
    const void *key = storage_key(c, variable->name);
    const struct expr *before = key ? map_get(&c->updated, key) : NULL;

    if (!key || c->signature)
        return;
    if (!before) {
        map_set(&c->updated, key, call);
        return;
    }
    diag_error(c->diag, call->span, DIAG_UPDATED_TWICE,
               "variable '%s' is updated a second time, expected one update", variable->name);
    diag_note(c->diag, before->span, "first updated here");
}

static void check_update(struct checker *c, struct expr *call, int base)
{
    const struct binding *b = &c->binding[base];
    const struct symbol *symbol;

    if (!b->value || is_poison(b->type))
        return;
    symbol = b->value->kind == EXPR_NAME ? scope_at(c, b->value->slot) : NULL;
    if (symbol && symbol->variable)
        check_once(c, call, b->value);
    else
        diag_error(c->diag, b->value->span, DIAG_UPDATE_NOT_VARIABLE,
                   "'%s' of what is no variable, expected an identifier assigned by 'variable'",
                   call->call.callee);
}

/* A fragment of the provisional dialect may hand out its variables. */
void note_variable(struct checker *c, struct symbol *symbol, struct expr *value)
{
    const struct signature *s = value->kind == EXPR_CALL ? value->call.signature : NULL;
    bool variable = s && introduces(s, VALUE_VARIABLE);

    symbol->variable = variable || (c->dialect == DIALECT_PROVISIONAL && (!s || !s->standard));
    if (variable && !c->signature)
        map_set(&c->variables, symbol->name, value);
}

void check_introduction(struct checker *c, struct expr *call, int base)
{
    const struct signature *s = call->call.signature;
    bool variable = introduces(s, VALUE_VARIABLE), effect = has_effect(s);

    if (!variable && !effect && !introduces(s, VALUE_EXTERNAL))
        return;
    if (!check_place(c, call))
        return;
    if (variable)
        check_variable(c, call);
    else if (effect)
        check_update(c, call, base);
}
