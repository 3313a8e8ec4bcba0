/* check_graph.c - the graph and its body (NNEF 1.0.5, section 3.3.2) */
#include "sema/report_priv.h"

#include <assert.h>

/* Parameters and results of the graph are declared by name only; their types come from the body.
 * A name that is there already keeps its first meaning. */
static void enter_names(struct checker *c, struct expr_list names, enum symbol_kind kind)
{
    const char *graph = c->document->graph->name;

    assert(kind == SYMBOL_PARAM || kind == SYMBOL_RESULT);
    for (struct expr *name = names.first; name; name = name->next) {
        struct symbol *before = scope_find(c, name->name);
        bool param = before && before->kind == SYMBOL_PARAM;
        struct span first = before ? before->span : name->span;

        if (before && param && kind == SYMBOL_PARAM)
            diag_error(c->diag, name->span, DIAG_PARAMETER_REPEATED,
                       "parameter '%s' of graph '%s' is declared twice", name->name, graph);
        else if (before && param)
            diag_error(c->diag, name->span, DIAG_PARAMETER_IS_RESULT,
                       "'%s' is both parameter and result of graph '%s'", name->name, graph);
        else if (before)
            diag_error(c->diag, name->span, DIAG_RESULT_REPEATED,
                       "result '%s' of graph '%s' is declared twice", name->name, graph);
        if (before)
            diag_label(c->diag, first, "first declared here");
        name->slot = scope_add(c, name->name, name->span, kind)->slot;
        if (before)
            scope_restore(c, name->name, before);
    }
}

/* The symbol gets its type from the value; whatever is no tensor is poison from now on. */
void graph_assign(struct checker *c, struct symbol *symbol, const struct expr *target,
                  const struct type *type)
{
    const struct signature *s = c->direct->kind == EXPR_CALL ? c->direct->call.signature : NULL;
    bool external = s && introduces(s, VALUE_EXTERNAL);

    assert(target->kind == EXPR_NAME && !c->signature);
    /* Parameters and externals correspond one to one (R082, R084). */
    if (symbol->kind == SYMBOL_PARAM && !external && !is_poison(type) && !c->misplaced) {
        diag_error(c->diag, c->direct->span, DIAG_PARAMETER_NOT_EXTERNAL,
                   "graph parameter '%s' is assigned something else than the result of 'external'",
                   target->name);
        diag_label(c->diag, symbol->span, "declared as a parameter here");
    }
    if (symbol->kind != SYMBOL_PARAM && external)
        diag_error(c->diag, c->direct->span, DIAG_EXTERNAL_PLACE,
                   "'%s' is the result of 'external', but no parameter of the graph", target->name);
    if (type->kind != TYPE_TENSOR && !is_poison(type)) {
        bool array = type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY;
        diag_error(c->diag, target->span, DIAG_GRAPH_NOT_TENSOR,
                   "graph identifier '%s' is %s, expected a tensor", target->name,
                   text_of(c, type));
        if (type->has_tensor && (array || type->kind == TYPE_TUPLE))
            diag_help(c->diag, "name each tensor: write '%s = ...'.", array ? "[a, b]" : "(a, b)");
    }
    symbol->assigned = true;
    symbol->span = target->span;
    symbol->type = type->kind == TYPE_TENSOR ? type : poison();
}

/* Each parameter is to be assigned the result of an external, each result any tensor. */
static void check_assigned(struct checker *c, struct expr_list names, bool params)
{
    bool now = c->dialect == DIALECT_1_0;

    for (const struct expr *name = names.first; name && !diag_full(c->diag); name = name->next) {
        if (scope_find(c, name->name)->assigned)
            continue;
        diag_error(c->diag, name->span,
                   params ? DIAG_PARAMETER_NOT_DEFINED : DIAG_RESULT_NOT_ASSIGNED,
                   "graph %s '%s' is never assigned", params ? "parameter" : "result", name->name);
        if (params)
            diag_help(c->diag, "write '%s = external%s(shape = [...])%s' with its shape.",
                      name->name, now ? "<scalar>" : "", now ? ";" : "");
        else
            help_unused(c, name->name);
    }
}

/* Gives the number of slots in the environment of the body. */
uint32_t check_graph(struct checker *c, const struct graph_decl *graph)
{
    assert(!c->signature && c->symbol_count == 0);
    c->flat = !c->expressions_enabled || c->dialect == DIALECT_PROVISIONAL;
    enter_names(c, graph->params, SYMBOL_PARAM);
    enter_names(c, graph->results, SYMBOL_RESULT);
    check_body(c, &graph->body);
    if (!graph->holed && !c->document->cut) { /* else what is missing may have been there */
        check_assigned(c, graph->params, true);
        check_assigned(c, graph->results, false);
    }
    uint32_t slots = c->symbol_count;
    scope_clear(c);
    return slots;
}
