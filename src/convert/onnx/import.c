/* import.c - the nodes of an ONNX graph in their order, and of graphs within; see import.h */
#include "convert/onnx/import.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "ir/site.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A graph takes less than so many times the memory that the messages take. */
enum { DEPTH_MAX = 64, GROWTH_RATIO = 16, NODE_ROOM = 4096, WHERE_MAX = 200 };

/* Of ONNX 1.21. */
enum { OPSET_NEWEST = 26 };

/* --- names of tensors -------------------------------------------------------------------- */

static const char *key_of(const struct import *import, const char *name)
{
    return intern(import->builder.context->names, name, strlen(name));
}

struct imported *import_find(const struct import *import, const struct scope *scope,
                             const char *name)
{
    const char *key = key_of(import, name);

    for (; scope; scope = scope->outer) {
        struct imported *imported = map_get(&scope->entries, key);
        if (imported)
            return imported;
    }
    return NULL;
}

void import_bind(struct import *import, struct scope *scope, const char *name,
                 struct imported *imported)
{
    map_set(&scope->entries, key_of(import, name), imported);
}

bool import_has(const struct import *import, const struct scope *scope, const char *name)
{
    return map_get(&scope->entries, key_of(import, name)) != NULL;
}

/* Names of the model's own tensors, which those of nested graphs must not take. */
static void keep_names(struct import *import)
{
    const struct onnx_graph *graph = import->model->graph;

    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        builder_reserve(&import->builder, i->name);
    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        builder_reserve(&import->builder, t->name);
    for (const struct onnx_node *n = graph->node.first; n; n = n->next)
        for (int i = 0; i < n->output.count; i++)
            builder_reserve(&import->builder, n->output.item[i]);
}

bool import_fault(const struct import *import, enum diag_code code, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    diag_file_error(import->builder.context->diag, import->options->file, code, "%s", text.data);
    text_free(&text);
    return false;
}

/* --- nodes ------------------------------------------------------------------------------- */

static const struct call_site *site_of(const struct import *import, const struct body *body,
                                       const struct onnx_node *node, int index)
{
    struct call_site *site = arena_new_of(import->builder.context->arena, struct call_site);
    struct text text = {0};

    text_add(&text, "%snode %d", body->where, index);
    if (*node->name)
        text_add(&text, " '%s'", node->name);
    text_add(&text, " (%s) at byte %zu", node->op_type, node->at);
    site->file = import->options->file;
    site->fragment = arena_strndup(import->builder.context->arena, text.data, text.size);
    text_free(&text);
    return site;
}

static bool is_standard(const char *domain)
{
    return !*domain || strcmp(domain, "ai.onnx") == 0;
}

/* 0 if the opset of a domain is not imported. */
static int64_t version_of(const struct onnx_opset *opsets, const char *domain)
{
    for (const struct onnx_opset *o = opsets; o; o = o->next)
        if (strcmp(o->domain, domain) == 0 || (is_standard(o->domain) && is_standard(domain)))
            return o->version;
    return 0;
}

/* The function of the model that a node calls; NULL: none, it is an operator. */
static const struct onnx_function *function_of(const struct import *import,
                                               const struct onnx_node *node)
{
    for (const struct onnx_function *f = import->model->functions.first; f; f = f->next)
        if (strcmp(f->name, node->op_type) == 0 && strcmp(f->overload, node->overload) == 0 &&
            (strcmp(f->domain, node->domain) == 0 ||
             (is_standard(f->domain) && is_standard(node->domain))))
            return f;
    return NULL;
}

/* A later node that makes what is read here. */
static const struct onnx_node *maker_of(const struct onnx_node *node, const char *name)
{
    for (; node; node = node->next)
        for (int i = 0; i < node->output.count; i++)
            if (strcmp(node->output.item[i], name) == 0)
                return node;
    return NULL;
}

/* Says, too, whether a later node makes it.  Returns false. */
static bool no_such_tensor(struct translation *t, const char *name)
{
    const struct onnx_node *maker = maker_of(t->node, name);

    if (!maker)
        return import_error(t, DIAG_ONNX_GRAPH,
                            "reads '%s', which is neither an input nor made by a node before",
                            name);
    if (maker == t->node)
        return import_error(t, DIAG_ONNX_GRAPH, "reads '%s', which it makes itself: a cycle", name);
    return import_error(t, DIAG_ONNX_GRAPH,
                        "reads '%s', which node '%s' (%s) at byte %zu makes: the nodes are not in "
                        "order, or there is a cycle",
                        name, maker->name, maker->op_type, maker->at);
}

/* False if an input is missing, which is reported, or stands for what was. */
static bool gather_inputs(struct translation *t)
{
    bool ok = true;

    for (int i = 0; i < t->nin; i++) {
        const char *name = t->node->input.item[i];
        struct imported *imported = *name ? import_find(t->import, t->scope, name) : NULL;
        if (*name && !imported)
            ok = no_such_tensor(t, name);
        ok &= imported != &t->import->faulty;
        t->in[i] = imported;
    }
    return ok;
}

/* Inputs in front must be there, others may be left out. */
static bool check_count(struct translation *t, const struct import_row *row)
{
    int count = t->nin;

    for (int i = 0; i < row->min && i < count; i++)
        if (!t->in[i])
            return import_error(t, DIAG_ONNX_GRAPH, "input %d is left out, expected a tensor", i);
    if (count >= row->min && (row->max < 0 || count <= row->max))
        return true;
    return import_error(t, DIAG_ONNX_GRAPH, "has %d inputs, expected %d%s%.0d", count, row->min,
                        row->max < 0           ? " or more"
                        : row->max == row->min ? ""
                                               : " to ",
                        row->max < 0 || row->max == row->min ? 0 : row->max);
}

/*
 * Give an output its name in the scope.  After a fault the name stands for `faulty`, so that
 * nothing is reported twice.
 */
static bool put_output(struct translation *t, int index)
{
    const char *name = t->node->output.item[index];
    struct imported *imported = t->failed || !t->out[index] ? &t->import->faulty : t->out[index];

    if (!*name)
        return true;
    if (import_has(t->import, t->scope, name))
        return import_error(t, DIAG_ONNX_GRAPH, "makes '%s', which is there already", name);
    if (imported != &t->import->faulty) {
        struct imported *named = import_alloc(t, 1, sizeof *named);
        *named = *imported;
        named->name = name;
        named->input = false;
        named->views = NULL;
        imported_name(t->builder, named, name, t->import->depth > 0);
        imported = named;
    } else if (!t->failed) {
        import_unsupported(t, "output %d, '%s', is not supported", index, name);
    }
    import_bind(t->import, t->scope, name, imported);
    return true;
}

static bool is_unknown(const struct resolved_node *node)
{
    return !node->function && !node->row;
}

static bool import_call(struct translation *t, const struct onnx_function *function);

/* Loops, and functions that call functions, may make far more of a file than it has bytes. */
static bool within_limits(struct translation *t)
{
    struct import *import = t->import;
    struct place place = {import->builder.context->diag, t->site, {0}};
    int64_t limit = import->builder.context->limits.work;

    import->ended = true;
    if (!place_grows(&place, import->builder.context, NODE_ROOM))
        return false;
    import->ended = import->work++ >= limit;
    if (!import->ended)
        return true;
    import_error(t, DIAG_EXPANSION_SIZE, "more than %" PRId64 " nodes are read", limit);
    diag_help(place.diag, "raise the limit with --limit=steps=N.");
    return false;
}

/* False if anything was reported; outputs are bound in any case. */
static bool import_node(struct import *import, struct scope *scope, const struct body *body,
                        int index)
{
    assert(index < body->count);
    const struct resolved_node *resolved = &body->nodes[index];
    const struct onnx_node *node = resolved->node;
    struct translation t = {.builder = &import->builder,
                            .import = import,
                            .node = node,
                            .row = resolved->row,
                            .caller = body->caller,
                            .site = site_of(import, body, node, index),
                            .scope = scope,
                            .nin = node->input.count,
                            .nout = node->output.count,
                            .opset = version_of(body->opsets, node->domain)};
    int errors = diag_error_count(import->builder.context->diag);
    struct imported *first = NULL;

    if (!within_limits(&t))
        return false;
    t.opsets = body->opsets;
    t.in = import_alloc(&t, t.nin, sizeof *t.in);
    t.out = import_alloc(&t, t.nout, sizeof *t.out);
    if (!gather_inputs(&t) || is_unknown(resolved)) /* which check_operators() reported */
        t.failed = true;
    else if (resolved->function)
        import_call(&t, resolved->function);
    else if (check_count(&t, t.row))
        first = t.row->import(&t);
    if (t.nout > 0 && !t.out[0])
        t.out[0] = first;
    t.failed |= diag_error_count(import->builder.context->diag) > errors;
    for (int i = 0; i < t.nout; i++)
        put_output(&t, i);
    return !t.failed;
}

/* --- what nothing takes ------------------------------------------------------------------ */

static bool report_unknown(const struct import *import, const struct body *body, int index)
{
    const struct onnx_node *node = body->nodes[index].node;
    const struct call_site *site = site_of(import, body, node, index);
    bool standard = is_standard(node->domain);
    struct text more = {0};
    int alike = 0;

    for (int i = index + 1; i < body->count; i++) {
        const struct onnx_node *other = body->nodes[i].node;
        alike +=
            strcmp(other->op_type, node->op_type) == 0 && strcmp(other->domain, node->domain) == 0;
    }
    text_add(&more, "%s", "");
    if (alike > 0)
        text_add(&more, ", nor are %d more of its kind", alike);
    import_fault(import, DIAG_NOT_IN_NNEF, "%s: operator '%s'%s%s%s is not supported%s",
                 site->fragment, node->op_type, standard ? "" : " of domain '",
                 standard ? "" : node->domain, standard ? "" : "'", more.data);
    text_free(&more);
    return false;
}

/* Each operator once, before anything is made. */
static bool check_operators(struct import *import, const struct body *body)
{
    struct map seen = {0};
    bool ok = true;

    for (int i = 0; i < body->count; i++) {
        const struct onnx_node *node = body->nodes[i].node;
        struct text name = {0};
        if (!is_unknown(&body->nodes[i]))
            continue;
        text_add(&name, "%s:%s", node->domain, node->op_type);
        const char *key = key_of(import, name.data);
        text_free(&name);
        if (!map_get(&seen, key))
            ok = report_unknown(import, body, i);
        map_set(&seen, key, import);
    }
    map_free(&seen);
    return ok;
}

/* --- versions of operators --------------------------------------------------------------- */

/* Files of IR version 1 and 2 name none, which stands for the first. */
static bool version_known(const struct import *import, const struct body *body, const char *domain)
{
    int64_t version = version_of(body->opsets, domain);

    if (!body->opsets && import->model->ir_version < 3)
        return true;
    return version > 0 && (version <= OPSET_NEWEST || !is_standard(domain));
}

static bool report_version(const struct import *import, const struct body *body,
                           const struct onnx_node *node, int index)
{
    const char *domain = is_standard(node->domain) ? "ai.onnx" : node->domain;
    const char *where = site_of(import, body, node, index)->fragment;
    int64_t version = version_of(body->opsets, node->domain);

    if (version > OPSET_NEWEST)
        return import_fault(import, DIAG_NOT_IN_NNEF,
                            "%s: version %" PRId64 " of the operators of '%s' is not known, "
                            "expected up to %d",
                            where, version, domain, OPSET_NEWEST);
    return import_fault(import, DIAG_ONNX_GRAPH,
                        "%s: the model does not import the operators of '%s' in any version", where,
                        domain);
}

/* Of each domain whose operators are used, once. */
static bool check_versions(struct import *import, const struct body *body)
{
    struct map seen = {0};
    bool ok = true;

    for (int i = 0; i < body->count; i++) {
        const struct onnx_node *node = body->nodes[i].node;
        const char *key = key_of(import, is_standard(node->domain) ? "" : node->domain);
        if (body->nodes[i].function || !body->nodes[i].row || map_get(&seen, key))
            continue;
        map_set(&seen, key, import);
        if (!version_known(import, body, node->domain))
            ok = report_version(import, body, node, i);
    }
    map_free(&seen);
    return ok;
}

/* Each node is looked up here, and only here. */
static void resolve_nodes(struct import *import, struct body *body)
{
    for (const struct onnx_node *n = body->first; n; n = n->next)
        body->count++;
    body->nodes = arena_array_of(import->builder.context->arena, struct resolved_node, body->count);
    int index = 0;
    for (const struct onnx_node *n = body->first; n; n = n->next)
        body->nodes[index++] = (struct resolved_node){n, function_of(import, n),
                                                      import_find_operator(&import->builder, n)};
}

static bool import_body(struct import *import, struct scope *scope, struct body *body)
{
    resolve_nodes(import, body);
    bool known = check_versions(import, body);
    bool ok = check_operators(import, body);

    for (int i = 0; known && i < body->count && !diag_full(import->builder.context->diag); i++) {
        ok &= import_node(import, scope, body, i);
        if (import->ended)
            return false;
    }
    return known && ok;
}

/* --- functions, and graphs in attributes -------------------------------------------------- */

static bool enter(struct translation *t)
{
    if (t->import->depth++ < DEPTH_MAX)
        return true;
    t->import->depth--;
    return import_error(t, DIAG_EXPANSION_DEPTH,
                        "functions and graphs are nested more than %d deep", DEPTH_MAX);
}

/* What is nested deeper still needs no more than the last of its places. */
static const char *where_in(const struct translation *t)
{
    bool deep = strlen(t->site->fragment) > WHERE_MAX;
    struct text text = {0};

    text_add(&text, "%s, ", deep ? "..." : t->site->fragment);
    const char *where = arena_strndup(t->builder->context->arena, text.data, text.size);
    text_free(&text);
    return where;
}

/* The nodes of a function, in a scope that has nothing but its inputs. */
static bool import_call(struct translation *t, const struct onnx_function *function)
{
    struct scope scope = {0};
    struct body body = {.first = function->node.first,
                        .opsets = function->opset_import.first,
                        .caller = t->node,
                        .where = where_in(t)};

    if (!enter(t))
        return false;
    for (int i = 0; i < function->input.count; i++)
        if (has_input(t, i))
            import_bind(t->import, &scope, function->input.item[i], t->in[i]);
    bool ok = import_body(t->import, &scope, &body);
    for (int i = 0; ok && i < function->output.count && i < t->nout; i++) {
        t->out[i] = import_find(t->import, &scope, function->output.item[i]);
        if (!t->out[i])
            ok = import_error(t, DIAG_ONNX_GRAPH, "function '%s' does not make its output '%s'",
                              function->name, function->output.item[i]);
    }
    t->import->depth--;
    map_free(&scope.entries);
    return ok;
}

/* `imported` is NULL if there was a fault in it. */
static bool bind_initializer(struct import *import, struct scope *scope, const char *name,
                             struct imported *imported)
{
    bool is_new = !import_has(import, scope, name) ||
                  import_fault(import, DIAG_ONNX_GRAPH, "initializer '%s' is there twice", name);

    import_bind(import, scope, name, imported ? imported : &import->faulty);
    return is_new && imported;
}

static bool bind_initializers(struct import *import, struct scope *scope,
                              const struct onnx_graph *graph)
{
    bool ok = true;

    for (const struct onnx_tensor *i = graph->initializer.first; i; i = i->next)
        ok &= bind_initializer(import, scope, i->name, import_tensor(import, i));
    for (const struct onnx_sparse_tensor *i = graph->sparse_initializer.first; i; i = i->next)
        ok &= bind_initializer(import, scope, i->values ? i->values->name : "",
                               import_sparse(import, i));
    return ok;
}

bool import_subgraph(struct translation *t, const struct onnx_graph *graph,
                     struct imported *const *in, struct imported **out)
{
    struct scope scope = {.outer = t->scope};
    struct body body = {
        .first = graph->node.first, .opsets = t->opsets, .caller = t->caller, .where = where_in(t)};
    int index = 0;

    if (!enter(t))
        return false;
    for (const struct onnx_value_info *i = graph->input.first; i && in; i = i->next)
        import_bind(t->import, &scope, i->name, *in++);
    bool ok = bind_initializers(t->import, &scope, graph) && import_body(t->import, &scope, &body);
    for (const struct onnx_value_info *o = graph->output.first; o && ok; o = o->next) {
        struct imported *imported = import_find(t->import, &scope, o->name);
        if (!imported)
            ok = import_error(t, DIAG_ONNX_GRAPH, "graph '%s' does not make its output '%s'",
                              graph->name, o->name);
        out[index++] = imported;
    }
    t->failed |= !ok;
    t->import->depth--;
    map_free(&scope.entries);
    return ok;
}

/* --- the whole --------------------------------------------------------------------------- */

static bool import_graph(struct import *import, struct scope *scope)
{
    const struct onnx_graph *graph = import->model->graph;
    struct body body = {
        .first = graph->node.first, .opsets = import->model->opset_import.first, .where = ""};

    keep_names(import);
    bool ok = bind_initializers(import, scope, graph);
    ok &= import_inputs(import, scope);
    ok &= import_body(import, scope, &body);
    return ok && import_outputs(import, scope);
}

struct graph *onnx_import(struct context *context, const struct onnx_model *model,
                          const struct onnx_import_options *options, struct import_memory **memory)
{
    const char *name = *model->graph->name ? model->graph->name : "graph";
    struct scope scope = {0};
    struct import import = {.model = model, .options = options};

    context->may_grow = context->limits.growth + GROWTH_RATIO * (int64_t)arena_used(context->arena);
    builder_begin(&import.builder, context, name);
    bool ok = import_graph(&import, &scope);
    map_free(&scope.entries);
    *memory = ok ? import.builder.memory : NULL;
    if (ok)
        import.builder.memory = NULL;
    builder_end(&import.builder);
    return ok ? import.builder.graph : NULL;
}
