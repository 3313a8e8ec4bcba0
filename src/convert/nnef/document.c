/* document.c - a graph as a document of NNEF 1.0.5, in flat syntax */
#include "convert/nnef/document.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "convert/nnef/invocation_priv.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "ir/site.h"
#include "op/op.h"
#include "op/op_build.h"
#include "parser/parser.h"
#include "sema/sema.h"

#include <assert.h>
#include <string.h>

static DEFINE_APPEND(stmt)
static DEFINE_APPEND(expr)
static DEFINE_APPEND(fragment)
static DEFINE_APPEND(extension)

/* Appends "target = value;". */
static void assign(const struct nnef_writer *w, struct graph_decl *to, struct expr *target,
                   struct expr *value)
{
    struct stmt *stmt = arena_new_of(w->arena, struct stmt);

    *stmt = (struct stmt){.target = target, .value = value};
    to->body = stmt_append(to->body, stmt);
}

/* --- tensors that no node computes ---------------------------------------------------------- */

/* "op<type>(shape = [...], more)", or without `more` if that is NULL. */
static struct expr *introduction(const struct nnef_writer *w, enum op_id op,
                                 const struct value *value, struct expr *more)
{
    struct expr *call = invocation_new(w, op_table[op]->name, (enum dtype)value->dtype);
    const struct shape *shape = value->shape;

    assert(shape_known(shape));
    const struct datum list = datum_of_integers(w->arena, shape->extent, shape->rank, DATUM_ARRAY);
    call->call.args = expr_named(w->arena, "shape", expr_literal(w->arena, &list));
    call->call.args->next = more;
    return call;
}

/* The value goes by its name in the document. */
static void introduce(const struct nnef_writer *w, struct graph_decl *to, const struct value *value,
                      struct expr *introduction)
{
    assign(w, to, name_expr(w, w->names->value[value->id]), introduction);
}

static void add_variable(const struct nnef_writer *w, struct graph_decl *to,
                         const struct value *value, const char *label)
{
    const struct datum text = {.kind = DATUM_STRING, .string = label};
    struct expr *more = expr_named(w->arena, "label", expr_literal(w->arena, &text));

    introduce(w, to, value, introduction(w, OP_variable, value, more));
}

/* All items are written, also where they are equal. */
static void add_constant(const struct nnef_writer *w, struct graph_decl *to,
                         const struct source *source)
{
    const struct tensor *tensor = source->tensor;
    int count = (int)shape_volume(&tensor->shape);
    struct datum *items = arena_array_of(w->arena, struct datum, count);
    const struct datum list = {.kind = DATUM_ARRAY, .count = count, .items = items};

    assert(tensor->data);
    for (int i = 0; i < count; i++)
        items[i] = item_literal(tensor, i);
    struct expr *more = expr_named(w->arena, "value", expr_literal(w->arena, &list));
    introduce(w, to, source->value, introduction(w, OP_constant, source->value, more));
}

/* Extents in the text are positive (section 4.1), so all others are reported. */
static bool check_extents(const struct nnef_writer *w)
{
    static const char message[] = "'%s' has shape %s, and NNEF has no tensors without items";
    struct diag *diag = w->graph->context->diag;
    bool ok = true;

    for (struct value *const *v = graph_values(w->graph); *v; v++) {
        if ((*v)->kind == VALUE_RESULT || shape_volume((*v)->shape) > 0)
            continue;
        if ((*v)->source->span.end > 0)
            ok = diag_error(diag, (*v)->source->span, DIAG_NOT_IN_NNEF, message, VALUE_TEXT(*v),
                            SHAPE_TEXT((*v)->shape));
        else
            ok = diag_file_error(diag, w->options->file, DIAG_NOT_IN_NNEF, message, VALUE_TEXT(*v),
                                 SHAPE_TEXT((*v)->shape));
    }
    return ok;
}

/* Externals come first, as the parameters of the graph do. */
static void add_sources(const struct nnef_writer *w, struct graph_decl *to)
{
    const struct value single = {.shape = &(struct shape){.rank = 1, .extent = {1}},
                                 .dtype = DTYPE_SCALAR};
    int i = 0;

    if (w->names->unused) /* of a single item, which nothing reads */
        assign(w, to, name_expr(w, w->names->unused), introduction(w, OP_external, &single, NULL));
    for (const struct source *s = w->graph->externals.first; s; s = s->next)
        introduce(w, to, s->value, introduction(w, OP_external, s->value, NULL));
    for (const struct source *s = w->graph->variables.first; s; s = s->next, i++)
        add_variable(w, to, s->value, w->names->label[i]);
    i = 0;
    for (const struct source *s = w->graph->constants.first; s; s = s->next, i++)
        if (w->names->stored[i])
            add_variable(w, to, s->value, w->names->stored[i]);
        else if (w->names->value[s->value->id])
            add_constant(w, to, s);
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* Reports what no text can say: infinite attributes, and results of unknown structure. */
static bool add_nodes(const struct nnef_writer *w, struct graph_decl *to)
{
    bool ok = true;

    for (const struct node *n = w->graph->first; n; n = n->next) {
        const struct place place = {w->graph->context->diag, n->site, n->span};
        const char *attribute = attribute_without_text(w, n);
        struct expr *target = target_of(w, n);
        if (attribute)
            ok = place_fault(&place, DIAG_NOT_SUPPORTED,
                             "'%s' of '%s' is infinite or not a number, which cannot be written",
                             attribute, n->op->name);
        else if (!target)
            ok = place_fault(&place, DIAG_NOT_SUPPORTED,
                             "results of this structure cannot be written");
        else
            assign(w, to, target, invocation_of(w, n, 0));
    }
    return ok;
}

/* Outputs whose value has another name; a literal needs its type, which it does not show. */
static void add_copies(const struct nnef_writer *w, struct graph_decl *to)
{
    for (int i = 0; i < w->graph->noutput; i++) {
        const struct value *value = w->graph->outputs[i].value;
        if (w->names->value[value->id] == w->names->output[i])
            continue;
        bool typed = w->names->value[value->id];
        struct expr *call = invocation_new(w, op_table[OP_copy]->name,
                                           typed ? DTYPE_UNKNOWN : (enum dtype)value->dtype);
        call->call.args = expr_of_value(w, value);
        assign(w, to, name_expr(w, w->names->output[i]), call);
    }
}

/* --- the document --------------------------------------------------------------------------- */

/* Is the fragment a custom operation in use, which neither the library nor the extensions have? */
static bool is_used(const struct nnef_writer *w, const char *fragment)
{
    for (const struct node *n = w->graph->first; n; n = n->next)
        if (!(n->op->traits & OP_EXTENSION) && !library_find(w->options->library, n->op->name) &&
            strcmp(n->op->name, fragment) == 0)
            return true;
    return false;
}

/* A declaration, or the whole fragment with its body. */
static void add_fragment(const struct nnef_writer *w, struct document *to,
                         const struct fragment *fragment, bool whole)
{
    struct fragment *copy = arena_new_of(w->arena, struct fragment);

    assert(!whole || fragment->has_body);
    *copy = *fragment;
    copy->has_body &= whole;
    copy->next = NULL;
    to->fragments = fragment_append(to->fragments, copy);
}

/* A fragment of the extensions, once, behind the fragments that it invokes. */
static void add_signature(const struct nnef_writer *w, struct document *to,
                          const struct signature *signature)
{
    const char *name = signature->name;
    bool whole = w->options->profile == PROFILE_COMPOUND;

    for (const struct fragment *f = to->fragments.first; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return;
    for (const struct helper *h = whole ? signature->helpers : NULL; h; h = h->next)
        add_signature(w, to, h->signature);
    add_fragment(w, to, signature->fragment, whole);
}

/* Adds "extension NAME;". */
static void enable(const struct nnef_writer *w, struct document *to, const char *name)
{
    struct extension *e = arena_new_of(w->arena, struct extension);

    e->name = name;
    to->extensions = extension_append(to->extensions, e);
}

/* Custom operations in use, then extensions in use; whatever they need is enabled. */
static void add_declarations(const struct nnef_writer *w, struct document *to)
{
    const struct checked *checked = w->options->checked;
    const struct fragment *f = checked ? checked->document->fragments.first : NULL;
    bool used[OP_COUNT] = {false}, bodies = false;

    for (; f; f = f->next)
        if (!f->has_body && is_used(w, f->name))
            add_fragment(w, to, f, false);
    for (const struct node *n = w->graph->first; n; n = n->next)
        for (int i = 0; (n->op->traits & OP_EXTENSION) && i < OP_COUNT; i++)
            used[i] |= op_table[i] == n->op;
    for (int i = 0; i < OP_COUNT; i++)
        if (used[i])
            add_signature(w, to, signature_of(w, op_table[i]));
    for (f = to->fragments.first; f; f = f->next)
        bodies |= f->has_body;
    if (to->fragments.count > 0)
        enable(w, to, "KHR_enable_fragment_definitions");
    if (bodies) /* they are of our library, which uses operators */
        enable(w, to, "KHR_enable_operator_expressions");
}

const struct document *document_of_graph(struct graph *graph, const struct names *names,
                                         const struct document_options *options)
{
    const struct nnef_writer w = {graph->context->arena, graph, names, options};
    struct document *document = arena_new_of(w.arena, struct document);
    struct graph_decl *decl = document->graph = arena_new_of(w.arena, struct graph_decl);

    assert(names && options->library);
    if (!check_extents(&w))
        return NULL;
    decl->name = names->graph;
    if (names->unused)
        decl->params = expr_append(decl->params, name_expr(&w, names->unused));
    for (int i = 0; i < graph->ninput; i++)
        decl->params =
            expr_append(decl->params, name_expr(&w, names->value[graph->inputs[i].value->id]));
    for (int i = 0; i < graph->noutput; i++)
        decl->results = expr_append(decl->results, name_expr(&w, names->output[i]));
    add_declarations(&w, document);
    add_sources(&w, decl);
    bool ok = add_nodes(&w, decl);
    add_copies(&w, decl);
    return ok ? document : NULL;
}

/* --- the quantization file ------------------------------------------------------------------ */

/* One line of the quantization file. */
static void add_entry(struct text *to, const char *name, const struct expr *call)
{
    text_add_quoted(to, name);
    text_add(to, ": ");
    expr_print(call, DIALECT_1_0, to);
    text_add(to, ";\n");
}

void document_quant(struct graph *graph, const struct names *names,
                    const struct document_options *options, struct text *to)
{
    const struct quant_entry *first = options->quant ? options->quant->first : NULL;
    struct map now = {0}; /* what identifiers of the text are called now */

    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->name)
            map_set(&now, (*v)->name, &names->value[(*v)->id]);
    for (const struct quant_entry *e = first; e; e = e->next) {
        const char **name = map_get(&now, e->name);
        if (name)
            add_entry(to, *name, e->call);
    }
    map_free(&now);
}
