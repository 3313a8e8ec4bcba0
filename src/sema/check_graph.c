/* check_graph.c - the graph and its body (NNEF 1.0.5, section 3.3.2) */
#include "sema/report_priv.h"

#include <assert.h>

/* Parameters and results of the graph are declared by name only; their types come from the body. */
static void enter_name(struct checker *c, const struct expr *name, enum symbol_kind kind)
{
    struct symbol *before = scope_find(c, name->name);
    bool param = before && before->kind == SYMBOL_PARAM;
    struct span first = before ? before->span : name->span;
    const char *graph = c->document->graph->name;

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
    scope_add(c, name->name, name->span, kind);
    if (before)
        scope_restore(c, name->name, before);
}

static void enter_names(struct checker *c, struct expr_list names, enum symbol_kind kind)
{
    for (struct expr *name = names.first; name; name = name->next) {
        enter_name(c, name, kind);
        name->slot = c->symbol_count - 1;
    }
}

static bool is_external(const struct expr *value)
{
    return value->kind == EXPR_CALL && value->call.signature &&
           introduces(value->call.signature, VALUE_EXTERNAL);
}

static void check_tensor(struct checker *c, const struct expr *target, const struct type *type)
{
    bool array = type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY;

    if (type->kind == TYPE_TENSOR || is_poison(type))
        return;
    diag_error(c->diag, target->span, DIAG_GRAPH_NOT_TENSOR,
               "graph identifier '%s' is %s, expected a tensor", target->name, text_of(c, type));
    if (type->has_tensor && (array || type->kind == TYPE_TUPLE))
        diag_help(c->diag, "name each tensor: write '%s = ...'.", array ? "[a, b]" : "(a, b)");
}

void graph_assign(struct checker *c, struct symbol *symbol, const struct expr *target,
                  const struct type *type)
{
    /* Parameters and externals correspond one to one (R082, R084). */
    bool external = is_external(c->direct);

    assert(target->kind == EXPR_NAME && !c->signature);
    if (symbol->kind == SYMBOL_PARAM && !external && !is_poison(type) && !c->misplaced) {
        diag_error(c->diag, c->direct->span, DIAG_PARAMETER_NOT_EXTERNAL,
                   "graph parameter '%s' is assigned something else than the result of 'external'",
                   target->name);
        diag_label(c->diag, symbol->span, "declared as a parameter here");
    }
    if (symbol->kind != SYMBOL_PARAM && external)
        diag_error(c->diag, c->direct->span, DIAG_EXTERNAL_PLACE,
                   "'%s' is the result of 'external', but no parameter of the graph", target->name);
    check_tensor(c, target, type);
    symbol->assigned = true;
    symbol->span = target->span;
    symbol->type = type->kind == TYPE_TENSOR ? type : poison();
}

static bool is_open(const struct checker *c, const struct expr *name)
{
    return !scope_find(c, name->name)->assigned;
}

/* Each parameter is to be assigned the result of an external. */
static void check_params(struct checker *c, struct expr_list names)
{
    bool now = c->dialect == DIALECT_1_0;

    for (const struct expr *name = names.first; name && !diag_full(c->diag); name = name->next) {
        if (!is_open(c, name))
            continue;
        diag_error(c->diag, name->span, DIAG_PARAMETER_NOT_DEFINED,
                   "graph parameter '%s' is never assigned", name->name);
        diag_help(c->diag, "write '%s = external%s(shape = [...])%s' with its shape.", name->name,
                  now ? "<scalar>" : "", now ? ";" : "");
    }
}

uint32_t check_graph(struct checker *c, const struct graph_decl *graph)
{
    assert(!c->signature);
    c->flat = !c->expressions_enabled || c->dialect == DIALECT_PROVISIONAL;
    enter_names(c, graph->params, SYMBOL_PARAM);
    enter_names(c, graph->results, SYMBOL_RESULT);
    check_body(c, &graph->body);
    if (!graph->holed && !c->document->cut) {
        check_params(c, graph->params);
        for (const struct expr *name = graph->results.first; name && !diag_full(c->diag);
             name = name->next) {
            if (!is_open(c, name))
                continue;
            diag_error(c->diag, name->span, DIAG_RESULT_NOT_ASSIGNED,
                       "graph result '%s' is never assigned", name->name);
            help_unused(c, name->name);
        }
    }
    uint32_t slots = c->symbol_count;
    scope_clear(c);
    return slots;
}
