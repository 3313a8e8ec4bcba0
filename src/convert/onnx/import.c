/*
 * import.c - the nodes of an ONNX graph in their order, and of graphs within; see import.h
 *
 * The names of tensors live in scopes: the graph of the model, a graph in an attribute, which sees
 * the scope around it, and a function, which sees its inputs only.  After a fault a name stands for
 * `faulty`, so that the nodes behind it report nothing again.
 */
#include "convert/onnx/import.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "ir/site.h"
#include "tensor/shared.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A node takes NODE_ROOM bytes.  The places of nested nodes are cut beyond WHERE_MAX characters. */
enum { NODE_ROOM = 4096, WHERE_MAX = 200 };

/* --- names of tensors -------------------------------------------------------------------- */

struct imported *import_find(const struct scope *scope, const char *name)
{
    assert(name);
    for (; scope; scope = scope->outer) {
        struct imported *imported = map_get(&scope->entries, name);
        if (imported)
            return imported;
    }
    return NULL;
}

void import_bind(struct scope *scope, const char *name, struct imported *imported)
{
    assert(imported);
    map_set(&scope->entries, name, imported);
}

bool import_has(const struct scope *scope, const char *name)
{
    return map_get(&scope->entries, name) != NULL;
}

bool import_fault(const struct import *import, enum diag_code code, const char *fmt, ...)
{
    const struct context *context = import->builder.context;
    va_list args;

    va_start(args, fmt);
    diag_file_error(context->diag, import->options->file, code, "%s",
                    text_format_v(context->arena, fmt, args));
    va_end(args);
    return false;
}

/* --- nodes ------------------------------------------------------------------------------- */

void node_title(struct text *to, const struct resolved_node *node)
{
    text_add(to, "node %d", node->index);
    if (*node->node->name)
        text_add(to, " '%s'", node->node->name);
    text_add(to, " (%s)", node->node->op_type);
}

const char *node_place(const struct import *import, const char *where,
                       const struct resolved_node *node)
{
    struct text text = {0};

    text_add(&text, "%s", where);
    node_title(&text, node);
    text_add(&text, " at byte %zu", node->node->at);
    return text_keep(&text, import->builder.context->arena);
}

const char *places_within(const struct import *import, const char *place)
{
    bool deep = strlen(place) > WHERE_MAX;

    return text_format(import->builder.context->arena, "%s, ", deep ? "..." : place);
}

static const struct call_site *site_of(const struct import *import, const struct body *body,
                                       const struct resolved_node *node)
{
    if (node->site && !*body->where)
        return node->site;
    struct call_site *site = arena_new_of(import->builder.context->arena, struct call_site);

    site->file = import->options->file;
    site->fragment = node_place(import, body->where, node);
    return site;
}

bool is_standard_domain(const char *domain)
{
    return !*domain || strcmp(domain, NAME_ONNX) == 0;
}

static bool is_same_domain(const char *a, const char *b)
{
    return (is_standard_domain(a) && is_standard_domain(b)) || strcmp(a, b) == 0;
}

/* 0 if the opset of a domain is not imported. */
static int64_t version_of(const struct onnx_opset *opsets, const char *domain)
{
    for (const struct onnx_opset *o = opsets; o; o = o->next)
        if (is_same_domain(o->domain, domain))
            return o->version;
    return 0;
}

/* Is that an input of the function which the call leaves out? */
static bool is_left_out(const struct onnx_call *call, const char *name)
{
    for (int i = 0; call && i < call->function->input.count; i++)
        if (strcmp(call->function->input.item[i], name) == 0)
            return i >= call->node->input.count || !*call->node->input.item[i];
    return false;
}

/*
 * False if an input is missing or faulty, or if their number is not one of the operator.  The first
 * inputs of an operator must be there, others may be left out.
 */
static bool gather_inputs(struct translation *t)
{
    const struct import_row *row = t->row;
    bool ok = true;

    for (int i = 0; i < t->nin; i++) {
        const char *name = t->node->input.item[i];
        struct imported *imported = *name ? import_find(t->scope, name) : NULL;
        if (*name && !imported && !is_left_out(t->caller, name))
            ok = import_error(t, DIAG_ONNX_GRAPH,
                              "reads '%s', which is neither an input nor made by a node before",
                              name);
        ok &= imported != &t->import->faulty;
        if (row && imported && imported->list && !takes_sequence(row, i))
            ok = import_error(t, DIAG_ONNX_GRAPH,
                              "input %d, '%s', is a sequence, expected a tensor", i, name);
        t->in[i] = imported;
    }
    if (!ok || !row)
        return ok;
    for (int i = 0; i < row->min && i < t->nin; i++)
        if (!t->in[i])
            return import_error(t, DIAG_ONNX_GRAPH, "input %d is left out, expected a tensor", i);
    if (t->nin >= row->min && (row->max < 0 || t->nin <= row->max))
        return true;
    return import_error(t, DIAG_ONNX_GRAPH, "has %d inputs, expected %d%s%.0d", t->nin, row->min,
                        row->max < 0           ? " or more"
                        : row->max == row->min ? ""
                                               : " to ",
                        row->max < 0 || row->max == row->min ? 0 : row->max);
}

/* Bind the name of an output in the scope, to a copy of the tensor that has this name. */
static void put_output(struct translation *t, int index)
{
    const char *name = t->node->output.item[index];
    struct imported *imported = t->failed || !t->out[index] ? &t->import->faulty : t->out[index];

    if (!*name)
        return;
    if (imported != &t->import->faulty) {
        struct imported *named = import_alloc(t, 1, sizeof *named);
        *named = *imported;
        named->name = name;
        named->input = named->made = named->view = false;
        named->views = NULL;
        imported_name(t->builder, named, name, t->import->depth > 0);
        imported = import_fits(t, t->scope, named, NULL) ? named : &t->import->faulty;
    } else if (!t->failed) {
        import_unsupported(t, "output %d, '%s', is not supported", index, name);
    }
    import_bind(t->scope, name, imported);
}

static bool import_call(struct translation *t, const struct onnx_function *function);

/* False if anything was reported; outputs are bound in any case. */
static bool import_node(struct import *import, struct scope *scope, const struct body *body,
                        const struct resolved_node *resolved)
{
    const struct onnx_node *node = resolved->node;
    struct context *context = import->builder.context;
    struct translation t = {.builder = &import->builder,
                            .import = import,
                            .node = node,
                            .row = resolved->row,
                            .caller = body->caller,
                            .site = site_of(import, body, resolved),
                            .scope = scope,
                            .opsets = body->opsets,
                            .nin = node->input.count,
                            .nout = node->output.count,
                            .opset = version_of(body->opsets, node->domain)};
    struct place place = {context->diag, t.site, {0}};
    struct imported *first = NULL;
    int errors = diag_error_count(context->diag);

    /* Loops, and functions that call functions, may make far more of a file than it has bytes. */
    import->ended = true;
    if (!place_grows(&place, context, NODE_ROOM))
        return false;
    import->ended = import->work++ >= context->limits.work;
    if (import->ended) {
        import_error(&t, DIAG_EXPANSION_SIZE, "more than %" PRId64 " nodes are read",
                     context->limits.work);
        return diag_help(context->diag, "raise the limit with --limit=steps=N.");
    }
    t.in = import_alloc(&t, (int64_t)t.nin + t.nout, sizeof *t.in);
    t.out = t.in + t.nin;
    if (is_missing(resolved))
        missing_report(import);
    if (!gather_inputs(&t) || is_missing(resolved))
        t.failed = true;
    else if (resolved->function)
        t.failed |= !import_call(&t, resolved->function);
    else
        first = t.row->import(&t);
    if (t.nout > 0 && !t.out[0])
        t.out[0] = first;
    t.failed |= diag_error_count(context->diag) > errors;
    for (int i = 0; i < t.nout; i++)
        put_output(&t, i);
    return !t.failed;
}

/* --- versions of operators -------------------------------------------------------- */

/*
 * Check the version of each domain whose operators are used, once.  Files of IR version 1 and 2
 * import no domain, which stands for the first version.
 */
static bool check_versions(struct import *import, const struct body *body)
{
    bool implied = !body->opsets && import->model->ir_version < 3, ok = true;
    bool seen[IMPORT_DOMAINS] = {false};

    for (int i = 0; i < body->order->count && !implied; i++) {
        const struct resolved_node *node = &body->order->nodes[i];
        if (node->function || !node->row || seen[node->row->domain])
            continue;
        seen[node->row->domain] = true;
        const struct domain_info *domain = &import_domains[node->row->domain];
        int64_t version = version_of(body->opsets, node->node->domain);
        if (version > 0 && version <= domain->newest)
            continue;
        const char *where = node_place(import, body->where, node);
        if (version > domain->newest)
            ok = import_fault(import, DIAG_NOT_IN_NNEF,
                              "%s: version %" PRId64 " of the operators of '%s' is not known, "
                              "expected up to %d",
                              where, version, domain->name, domain->newest);
        else
            ok = import_fault(import, DIAG_ONNX_GRAPH,
                              "%s: the model does not import the operators of '%s' in any version",
                              where, domain->name);
    }
    return ok;
}

bool import_node_at(struct import *import, struct scope *scope, const struct body *body, int index)
{
    return import_node(import, scope, body, &body->order->nodes[index]);
}

/* The nodes of a body in their order, from `first` to `end`. */
static bool import_nodes(struct import *import, struct scope *scope, const struct body *body,
                         int first, int end)
{
    bool ok = true;

    const struct diag *diag = import->builder.context->diag;
    bool full = diag_full(diag); /* of reports that were there before */

    for (int i = first; i < end && (full || !diag_full(diag)); i++) {
        import->at = import->depth == 0 ? i : import->at;
        bool made = import_node_at(import, scope, body, i);
        if (import->cut) /* what is before the node is a graph */
            return import->depth == 0 && ok;
        ok &= made;
        if (import->ended)
            return false;
    }
    return ok;
}

static bool import_body(struct import *import, struct scope *scope, const struct body *body)
{
    return check_versions(import, body) && import_nodes(import, scope, body, 0, body->order->count);
}

/* --- functions, and graphs in attributes -------------------------------------------------- */

/* Go down into a function or graph; false, after a report, if that is too deep. */
static bool enter(struct translation *t)
{
    assert(t->import->depth >= 0);
    if (t->import->depth++ < ONNX_DEPTH_MAX)
        return true;
    t->import->depth--;
    return import_error(t, DIAG_EXPANSION_DEPTH,
                        "functions and graphs are nested more than %d deep", ONNX_DEPTH_MAX);
}

/* The nodes of a function, in a scope that has its inputs only. */
static bool import_call(struct translation *t, const struct onnx_function *function)
{
    struct scope scope = {0};
    const struct onnx_call call = {t->node, function, t->caller};
    const struct body body = {.order = map_get(&t->import->orders, function),
                              .opsets = function->opset_import.first,
                              .caller = &call,
                              .where = places_within(t->import, t->site->fragment)};

    if (!enter(t))
        return false;
    for (int i = 0; i < function->input.count; i++)
        if (has_input(t, i))
            import_bind(&scope, function->input.item[i], t->in[i]);
    import_declare(t->import, &scope, &function->value_info, false);
    bool ok = import_body(t->import, &scope, &body);
    for (int i = 0; ok && i < function->output.count && i < t->nout; i++) {
        t->out[i] = import_find(&scope, function->output.item[i]);
        if (!t->out[i])
            ok = import_error(t, DIAG_ONNX_GRAPH, "function '%s' does not make its output '%s'",
                              function->name, function->output.item[i]);
    }
    t->import->depth--;
    map_free(&scope.entries);
    map_free(&scope.declared);
    return ok;
}

struct translation import_place(struct import *import, const char *what)
{
    struct call_site *site = arena_new_of(import->builder.context->arena, struct call_site);

    site->file = import->options->file;
    site->fragment = what;
    return (struct translation){.builder = &import->builder, .import = import, .site = site};
}

/* `imported` is NULL if the initializer has a fault. */
static bool bind_initializer(struct translation *t, struct scope *scope, const char *name,
                             struct imported *imported)
{
    struct import *import = t->import;
    bool is_new = !import_has(scope, name) ||
                  import_fault(import, DIAG_ONNX_GRAPH, "initializer '%s' is there twice", name);
    bool fits = imported && import_fits(t, scope, imported, "initializer");

    import_bind(scope, name, fits ? imported : &import->faulty);
    return is_new && fits;
}

/* `kept` has it if it was read before; NULL: nothing keeps it. */
static struct imported *initializer(struct import *import, const struct onnx_tensor *tensor,
                                    const struct tensor **kept)
{
    if (kept && *kept)
        return imported_known(&import->builder, tensor->name, tensor->data_type, *kept);
    struct imported *imported = import_initializer(import, tensor);
    if (kept && imported && shared_hold(import->options->initial.holder, imported->known))
        *kept = imported->known;
    return imported;
}

bool import_initializers(struct import *import, struct scope *scope, const struct onnx_graph *graph)
{
    const struct onnx_initial *initial = &import->options->initial;
    const struct tensor **kept = graph == import->model->graph ? initial->tensor : NULL;
    struct translation t = import_place(import, NULL);
    bool ok = true;

    for (const struct onnx_tensor *i = graph->initializer.first; i; i = i->next)
        ok &= bind_initializer(&t, scope, i->name, initializer(import, i, kept ? kept++ : NULL));
    for (const struct onnx_sparse_tensor *i = graph->sparse_initializer.first; i; i = i->next)
        ok &=
            bind_initializer(&t, scope, i->values ? i->values->name : "", import_sparse(import, i));
    return ok;
}

bool import_subgraph(struct translation *t, const struct onnx_graph *graph,
                     struct imported *const *in, struct imported **out)
{
    struct scope scope = {.outer = t->scope};
    const struct body body = {.order = map_get(&t->import->orders, graph),
                              .opsets = t->opsets,
                              .caller = t->caller,
                              .where = places_within(t->import, t->site->fragment)};
    int index = 0;

    if (!enter(t))
        return false;
    for (const struct onnx_value_info *i = graph->input.first; i && in; i = i->next)
        import_bind(&scope, i->name, *in++);
    import_declare(t->import, &scope, &graph->value_info, false);
    import_declare(t->import, &scope, &graph->output, false);
    bool ok =
        import_initializers(t->import, &scope, graph) && import_body(t->import, &scope, &body);
    for (const struct onnx_value_info *o = graph->output.first; o && ok; o = o->next) {
        struct imported *imported = import_find(&scope, o->name);
        if (!imported)
            ok = import_error(t, DIAG_ONNX_GRAPH, "graph '%s' does not make its output '%s'",
                              graph->name, o->name);
        out[index++] = imported;
    }
    t->failed |= !ok;
    t->import->depth--;
    map_free(&scope.entries);
    map_free(&scope.declared);
    return ok;
}

/* --- the whole --------------------------------------------------------------------------- */

/* Tensors of nested graphs must not take the names of the model's own. */
static void reserve_names(const struct context *context, const struct onnx_graph *graph,
                          struct reserved_names *to)
{
    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        reserved_add(context, to, i->name);
    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        reserved_add(context, to, t->name);
    for (const struct onnx_sparse_tensor *t = graph->sparse_initializer.first; t; t = t->next)
        reserved_add(context, to, t->values ? t->values->name : "");
    for (const struct onnx_node *n = graph->node.first; n; n = n->next)
        for (int i = 0; i < n->output.count; i++)
            reserved_add(context, to, n->output.item[i]);
}

/* What the import has besides the graph; the order may be the caller's. */
static void end_import(struct import *import, struct scope *scope)
{
    assert(import->depth == 0);
    map_free(&scope->entries);
    map_free(&scope->declared);
    map_free(&import->digests);
    if (import->options->order)
        return;
    map_free(&import->orders);
    map_free(&import->others);
    map_free(&import->missing.by_type);
}

/* Look up and sort all nodes, unless that was done; false after a report. */
static bool begin_order(struct import *import)
{
    const struct onnx_order *order = import->options->order;

    if (!order)
        return import_order(import);
    import->orders = order->orders;
    import->others = order->others;
    import->missing = order->missing;
    if (order->composed) /* their texts stand on it */
        import->builder.standard = library_load(import->builder.context, DIALECT_1_0);
    return !order->composed || import->builder.standard;
}

/* The first part of the model is all of it, unless a node cuts. */
static bool part_is_first(const struct import *import)
{
    const struct onnx_part *part = import->options->part;

    return part->graph == import->model->graph && part->first == 0 && !part->single;
}

/* What a part makes of the model: its nodes up to the one that cuts. */
static bool import_part(struct import *import, struct scope *scope, struct onnx_part *part)
{
    const struct body body = import_part_body(import, part->graph);

    part->end = part->single ? part->first + 1 : body.order->count;
    int end = part->end; /* unless a node cuts */
    return import_part_inputs(import, scope) && check_versions(import, &body) &&
           import_nodes(import, scope, &body, part->first, end) &&
           import_part_outputs(import, scope, &body);
}

/* The graph is complete, or there are reports: initializers and inputs are checked before nodes. */
struct graph *onnx_import(struct context *context, const struct onnx_model *model,
                          const struct onnx_import_options *options, struct import_memory **memory)
{
    const struct onnx_graph *graph = model->graph;
    struct scope scope = {0};
    struct onnx_import_options whole = *options;
    struct import import = {.model = model, .options = &whole};
    struct body body = {.opsets = model->opset_import.first, .where = ""};

    builder_begin(&import.builder, context, *graph->name ? graph->name : "graph");
    if (!options->order)
        reserve_names(context, graph, &import.builder.own);
    builder_take_reserved(&import.builder,
                          options->order ? &options->order->reserved : &import.builder.own);
    import.builder.trust_shapes = options->trust_shapes;
    if (!options->part || part_is_first(&import)) {
        map_reserve(&scope.entries, (size_t)import.builder.reserved->count);
        map_reserve(&import.builder.names, (size_t)import.builder.reserved->count);
        map_reserve(&import.builder.labels.taken, (size_t)graph->initializer.count);
    }
    if (options->part && !part_is_first(&import)) {
        import_declare(&import, &scope, &options->part->graph->value_info, false);
        import_declare(&import, &scope, &options->part->graph->output,
                       options->part->graph == graph);
        bool made = begin_order(&import) && import_part(&import, &scope, options->part);
        end_import(&import, &scope);
        return builder_end(&import.builder, made, memory);
    }
    import_declare(&import, &scope, &graph->input, true);
    import_declare(&import, &scope, &graph->value_info, false);
    import_declare(&import, &scope, &graph->output, true);
    bool sorted = begin_order(&import);
    bool ok = import_initializers(&import, &scope, graph);
    bool fed = import_fed(&import, &scope, &whole);
    /* What ends the import anyway does not hide the operators that are missing. */
    if (import.missing.in_graph || !fed || import_is_open(&import, &scope))
        ok &= missing_report(&import);
    ok = fed && import_inputs(&import, &scope) && ok;
    body.order = map_get(&import.orders, graph);
    if (options->part)
        options->part->end = body.order->count;
    ok = fed && sorted && import_body(&import, &scope, &body) && ok;
    ok = ok && (import.cut ? import_part_outputs(&import, &scope, &body)
                           : import_outputs(&import, &scope));
    end_import(&import, &scope);
    return builder_end(&import.builder, ok, memory);
}

/* The names that its body reads, and graphs that are defaults of its attributes. */
static void find_function_reads(struct context *context, struct onnx_order *order,
                                const struct onnx_function *function)
{
    import_find_reads(context, order, onnx_function_graph(context, function));
    for (const struct onnx_attribute *a = function->attribute_proto.first; a; a = a->next)
        if (a->g)
            import_find_reads(context, order, a->g);
}

/* Initializers are not read: it is enough that inputs with one are no parameters. */
struct graph *onnx_interface(struct context *context, const struct onnx_model *model,
                             const struct onnx_import_options *options, struct open_input **inputs,
                             struct onnx_order **order)
{
    const struct onnx_graph *graph = model->graph;
    struct scope scope = {0};
    struct import import = {.model = model, .options = options, .open = true};
    struct body body = {.opsets = model->opset_import.first, .where = ""};
    struct import_memory *memory;
    int count = 0;

    builder_begin(&import.builder, context, *graph->name ? graph->name : "graph");
    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        import_bind(&scope, t->name, &import.faulty);
    for (const struct onnx_sparse_tensor *t = graph->sparse_initializer.first; t; t = t->next)
        import_bind(&scope, t->values ? t->values->name : "", &import.faulty);
    bool ok = import_order(&import);
    if (import.missing.in_graph) /* others may never be read */
        ok &= missing_report(&import);
    body.order = map_get(&import.orders, graph);
    ok = ok && check_versions(&import, &body);
    ok &= import_inputs(&import, &scope);
    ok &= import_declared_outputs(&import);
    *inputs = arena_array_of(context->arena, struct open_input, graph->input.count + 1);
    for (const struct onnx_value_info *i = graph->input.first; ok && i; i = i->next)
        if (count < import.builder.graph->ninput &&
            strcmp(import.builder.graph->inputs[count].name, i->name) == 0)
            (*inputs)[count++] = import_describe(i);
    if (ok) {
        *order = heap_array(1, sizeof **order);
        **order = (struct onnx_order){.orders = import.orders,
                                      .others = import.others,
                                      .missing = import.missing,
                                      .composed = import.builder.standard};
        reserve_names(context, graph, &(*order)->reserved);
        import_find_reads(context, *order, graph);
        for (const struct onnx_function *f = model->functions.first; f; f = f->next)
            if (map_get(&import.orders, f))
                find_function_reads(context, *order, f);
        ok = import_check_reads(&import, *order);
        for (int i = 0; i < body.order->count; i++)
            body.order->nodes[i].site = site_of(&import, &body, &body.order->nodes[i]);
        import.orders = import.others = (struct map){0};
        import.missing.by_type = (struct map){0};
    }
    end_import(&import, &scope);
    return builder_end(&import.builder, ok, &memory);
}

void onnx_initial_begin(struct onnx_initial *initial, const struct onnx_model *model,
                        struct shared *shared)
{
    if (initial->tensor)
        return;
    if (!initial->holder)
        initial->holder = shared_join(shared);
    const size_t count = (size_t)model->graph->initializer.count;
    initial->tensor = heap_array(count, sizeof *initial->tensor);
}

void onnx_initial_free(struct onnx_initial *initial)
{
    shared_leave(initial->holder);
    free((void *)initial->tensor);
    *initial = (struct onnx_initial){0};
}

void onnx_order_free(struct onnx_order *order)
{
    if (!order)
        return;
    map_free(&order->orders);
    map_free(&order->reads);
    map_free(&order->others);
    map_free(&order->missing.by_type);
    map_free(&order->reserved.known);
    free(order);
}
