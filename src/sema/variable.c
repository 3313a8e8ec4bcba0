/*
 * variable.c - external, variable and update: where they may stand
 *              (NNEF 1.0.5, sections 3.3.2, 4.1.3 and 4.8)
 *
 * Labels, and what is updated twice, are left to the expansion, which knows all values.
 */
#include "sema/sema_priv.h"

#include <assert.h>

/* Whether the operation makes such a value of the graph itself. */
bool introduces(const struct signature *signature, enum value_kind kind)
{
    assert(signature);
    return signature->op && signature->op->introduces == kind;
}

/* Whether it updates a variable. */
bool has_effect(const struct signature *signature)
{
    return signature->op && (signature->op->traits & OP_EFFECT);
}

/* --- places ----------------------------------------------------------------------------- */

/* Externals and variables belong into the graph, not into fragments. */
static bool check_place(struct checker *c, const struct expr *call)
{
    const struct signature *s = call->call.signature;
    bool external = introduces(s, VALUE_EXTERNAL);

    if (c->signature && (external || c->dialect == DIALECT_1_0)) {
        diag_error(c->diag, call->span, DIAG_FORBIDDEN_IN_FRAGMENT,
                   "'%s' in fragment '%s', expected in the graph only", s->name,
                   c->signature->name);
        return diag_help(c->diag, "pass it to the fragment as a parameter.");
    }
    if (external && call != c->direct && c->misplaced)
        return false;
    if (external && call != c->direct) {
        diag_error(c->diag, call->span, DIAG_EXTERNAL_PLACE,
                   "'%s' within an expression, expected to be assigned to a graph parameter",
                   s->name);
        c->misplaced = true;
        return false;
    }
    return true;
}

/* --- labels ----------------------------------------------------------------------------- */

/* The argument for the first parameter that is a string. */
const struct expr *label_of(const struct expr *call)
{
    const struct signature *s = call->call.signature;
    int position = 0;

    assert(call->kind == EXPR_CALL && s);
    for (const struct expr *arg = call->call.args; arg; arg = arg->next, position++) {
        bool named = arg->kind == EXPR_NAMED;
        int param = named ? arg->named.param : position;
        if (param < 0 || param >= s->nparam || s->params[param].type != type_primitive(TYPE_STRING))
            continue;
        const struct expr *label = named ? arg->named.value : arg;
        return label->kind == EXPR_STRING ? label : NULL;
    }
    return NULL;
}

/* --- updates ---------------------------------------------------------------------------- */

/* A fragment of the provisional dialect may hand out its variables. */
void note_variable(const struct checker *c, struct symbol *symbol, const struct expr *value)
{
    const struct signature *s = value->kind == EXPR_CALL ? value->call.signature : NULL;
    bool variable = s && introduces(s, VALUE_VARIABLE);

    symbol->variable = variable || (c->dialect == DIALECT_PROVISIONAL && (!s || !s->standard));
}

/* Externals, variables and updates: where they stand, and what is updated. */
void check_introduction(struct checker *c, const struct expr *call, int base)
{
    const struct signature *s = call->call.signature;
    const struct binding *b = &c->binding[base];
    bool effect = has_effect(s);

    assert(call->kind == EXPR_CALL);
    if (!effect && !introduces(s, VALUE_VARIABLE) && !introduces(s, VALUE_EXTERNAL))
        return;
    if (!check_place(c, call) || !effect || !b->value || is_poison(b->type))
        return;
    const struct symbol *symbol = b->value->kind == EXPR_NAME ? scope_at(c, b->value->slot) : NULL;
    if (!symbol || !symbol->variable)
        diag_error(c->diag, b->value->span, DIAG_UPDATE_NOT_VARIABLE,
                   "'%s' of what is no variable, expected an identifier assigned by 'variable'",
                   call->call.callee);
}
