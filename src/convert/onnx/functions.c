/*
 * functions.c - fragments of a document as local functions of its ONNX model
 *
 * The nodes of a model are steps.  Fragments are folded from the innermost on: steps in a row that
 * one expansion made become a function, and a call takes their place, which belongs to the
 * expansion around it.
 */
#include "convert/onnx/export_out.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/proto/onnx_write.h"
#include "diag/context.h"
#include "file/out.h"

#include <assert.h>
#include <string.h>

/* A node, or a call in the place of several. */
struct function_step {
    struct onnx_node *node;
    const struct call_site *site; /* innermost expansion around it; NULL: the graph */
};

struct name_tally {
    int count;
};

/* The model while its nodes become functions. */
struct function_folder {
    struct onnx_out *out;
    struct onnx_model *model;
    struct function_step *step;
    int count;
    struct map uses;    /* tally of the operands that are a tensor, by its name */
    struct map bodies;  /* name of the function, by all that is in it */
    struct map numbers; /* tally of functions, by the fragment's name */
};

/* The tally of a key, which is 0 at first. */
static struct name_tally *tally_of(const struct function_folder *f, struct map *map,
                                   const void *key)
{
    struct name_tally *tally = map_get(map, key);

    if (!tally) {
        tally = arena_new_of(f->out->context->arena, struct name_tally);
        map_set(map, key, tally);
    }
    return tally;
}

/* The tensors that a node reads are in use; with sign -1 no longer. */
static void count_uses(struct function_folder *f, const struct onnx_node *node, int sign)
{
    for (int i = 0; i < node->input.count; i++)
        tally_of(f, &f->uses, onnx_out_key(f->out, node->input.item[i]))->count += sign;
}

/* --- one function -------------------------------------------------------------------------- */

/* A function that is being made of steps in a row that come from one expansion. */
struct function_fold {
    struct function_folder *f;
    struct map local; /* name in the function, by that outside */
    struct onnx_function *function;
    struct onnx_node *call;
};

/* NULL if it has no name in the function yet. */
static const char *renamed(const struct function_fold *fold, const char *name)
{
    return *name ? map_get(&fold->local, onnx_out_key(fold->f->out, name)) : name;
}

/* Tensors that a node outside reads are outputs of the function. */
static void take_results(struct function_fold *fold, const struct onnx_node *node, int *inner)
{
    struct arena *arena = fold->f->out->context->arena;

    for (int i = 0; i < node->output.count; i++) {
        const char *name = node->output.item[i], *local;
        bool shown = tally_of(fold->f, &fold->f->uses, onnx_out_key(fold->f->out, name))->count > 0;
        if (*name == '\0')
            continue;
        local = onnx_out_text(fold->f->out, shown ? "out_%d" : "inner_%d",
                              shown ? fold->function->output.count + 1 : ++*inner);
        map_set(&fold->local, onnx_out_key(fold->f->out, name), local);
        if (!shown)
            continue;
        onnx_text_add(arena, &fold->function->output, local);
        onnx_text_add(arena, &fold->call->output, name);
    }
}

/* Tensors that no step before made are inputs of the function. */
static void take_operands(struct function_fold *fold, const struct onnx_node *node)
{
    struct arena *arena = fold->f->out->context->arena;

    for (int i = 0; i < node->input.count; i++) {
        const char *name = node->input.item[i], *local;
        if (renamed(fold, name))
            continue;
        local = onnx_out_text(fold->f->out, "in_%d", fold->function->input.count + 1);
        map_set(&fold->local, onnx_out_key(fold->f->out, name), local);
        onnx_text_add(arena, &fold->function->input, local);
        onnx_text_add(arena, &fold->call->input, name);
    }
}

/* The node with the names that its tensors have in the function. */
static void add_copy(const struct function_fold *fold, struct onnx_graph *to,
                     const struct onnx_node *node)
{
    struct arena *arena = fold->f->out->context->arena;
    struct onnx_node *copy = onnx_node_new(arena, to, node->op_type);

    copy->domain = node->domain;
    copy->attribute = node->attribute;
    if (node->doc_string != onnx_absent) {
        /* "graph.nnef:5 in 'block' from graph.nnef:12": the beginning holds for all expansions. */
        const char *end = strstr(node->doc_string, " in '");
        size_t size = end ? (size_t)(end - node->doc_string) : strlen(node->doc_string);
        copy->doc_string = intern(fold->f->out->context->names, node->doc_string, size);
    }
    for (int i = 0; i < node->input.count; i++)
        onnx_text_add(arena, &copy->input, renamed(fold, node->input.item[i]));
    for (int i = 0; i < node->output.count; i++)
        onnx_text_add(arena, &copy->output, renamed(fold, node->output.item[i]));
    assert(copy->output.count > 0);
    copy->name = copy->output.item[0];
}

/* --- functions that are the same ----------------------------------------------------------- */

static void put_text(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

/* All that is in the only function of a model, interned; NULL after a report. */
static const char *body_key(const struct function_folder *f, const struct onnx_model *model)
{
    struct text bytes = {0};
    const struct sink sink = {"function", put_text, &bytes};
    const char *key = NULL;

    if (onnx_model_put(f->out->context->diag, &sink, model))
        key = intern(f->out->context->names, bytes.data, bytes.size);
    text_free(&bytes);
    return key;
}

/* Adds the function to the model unless the same is there; returns the name that it has there. */
static const char *add_function(struct function_folder *f, const struct onnx_function *function,
                                const char *key, const char *fragment)
{
    struct onnx_function *known = map_get(&f->bodies, key), *added;
    const char *name = fragment;

    if (known)
        return known->name;
    int number = ++tally_of(f, &f->numbers, onnx_out_key(f->out, fragment))->count;
    if (number > 1)
        name = onnx_out_text(f->out, "%s_%d", fragment, number);
    added = onnx_function_new(f->out->context->arena, f->model, name, ONNX_FRAGMENTS);
    added->input = function->input;
    added->output = function->output;
    added->node = function->node;
    map_set(&f->bodies, key, added);
    return added->name;
}

/* --- all of them --------------------------------------------------------------------------- */

/* The innermost fragment of the document, as fragments of the standard do not become functions. */
static const struct call_site *own_site(const struct call_site *site)
{
    while (site && site->standard)
        site = site->caller;
    return site;
}

/* The call that stands for `count` steps; NULL after a report. */
static struct onnx_node *fold_steps(struct function_folder *f, const struct function_step *step,
                                    int count)
{
    struct arena *arena = f->out->context->arena;
    const struct call_site *site = step->site;
    struct onnx_model *alone = onnx_model_new(arena, ONNX_FUNCTIONS_IR, "");
    struct onnx_graph *aside = onnx_graph_new(arena, ""), *body = onnx_graph_new(arena, "");
    struct function_fold fold = {.f = f};
    int inner = 0;

    assert(count > 0 && site);
    fold.function = onnx_function_new(arena, alone, "", ONNX_FRAGMENTS);
    fold.call = onnx_node_new(arena, aside, "");
    for (int i = 0; i < count; i++)
        count_uses(f, step[i].node, -1);
    for (int i = 0; i < count; i++) {
        take_operands(&fold, step[i].node);
        take_results(&fold, step[i].node, &inner);
        add_copy(&fold, body, step[i].node);
    }
    fold.function->node = body->node;
    map_free(&fold.local);
    const char *key = body_key(f, alone);
    if (!key)
        return NULL;
    fold.call->op_type = add_function(f, fold.function, key, site->fragment);
    fold.call->domain = ONNX_FRAGMENTS;
    fold.call->name = fold.call->output.item[0];
    fold.call->doc_string = onnx_out_place(f->out, site->invocation, site->caller);
    count_uses(f, fold.call, 1);
    return fold.call;
}

/* How many steps from `begin` on come from the same expansion. */
static int run_length(const struct function_folder *f, int begin)
{
    int end = begin + 1;

    while (end < f->count && f->step[end].site == f->step[begin].site)
        end++;
    return end - begin;
}

/*
 * Puts what expansions of this depth made into functions; false after a report. An expansion whose
 * steps stand in several places stays as it is.
 */
static bool fold_depth(struct function_folder *f, int depth)
{
    struct map runs = {0}; /* in how many places there are steps of each expansion */
    int kept = 0, length;
    bool ok = true;

    for (int i = 0; i < f->count; i += run_length(f, i))
        if (f->step[i].site)
            tally_of(f, &runs, f->step[i].site)->count++;
    for (int i = 0; ok && i < f->count; i += length) {
        const struct call_site *site = f->step[i].site, *caller;
        length = run_length(f, i);
        if (!site || site->depth != depth) {
            memmove(&f->step[kept], &f->step[i], (size_t)length * sizeof *f->step);
            kept += length;
            continue;
        }
        caller = own_site(site->caller);
        bool whole = tally_of(f, &runs, site)->count == 1;
        struct onnx_node *call = whole ? fold_steps(f, &f->step[i], length) : NULL;
        ok = call || !whole;
        for (int k = 0; k < (whole ? 1 : length); k++)
            f->step[kept++] = (struct function_step){whole ? call : f->step[i + k].node, caller};
    }
    f->count = kept;
    map_free(&runs);
    return ok;
}

/* The nodes of the model, and the tensors that they and the outputs of the model read. */
static void take_steps(struct function_folder *f)
{
    const struct onnx_node_list *list = &f->model->graph->node;

    f->step = arena_array_of(f->out->context->arena, struct function_step, list->count);
    for (struct onnx_node *n = list->first; n; n = n->next) {
        const struct node *origin = map_get(&f->out->origin, n);
        f->step[f->count++] = (struct function_step){n, origin ? own_site(origin->site) : NULL};
        count_uses(f, n, 1);
    }
    for (const struct onnx_value_info *v = f->model->graph->output.first; v; v = v->next)
        tally_of(f, &f->uses, onnx_out_key(f->out, v->name))->count++;
}

/* Shapes of tensors that the graph still has. */
static void put_shapes(struct function_folder *f)
{
    struct onnx_value_info_list kept = {0};
    struct onnx_value_info *next;
    struct map made = {0};

    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < f->step[i].node->output.count; k++)
            map_set(&made, onnx_out_key(f->out, f->step[i].node->output.item[k]), f);
    for (struct onnx_value_info *v = f->model->graph->value_info.first; v; v = next) {
        next = v->next;
        v->next = NULL;
        if (map_get(&made, onnx_out_key(f->out, v->name)))
            kept = onnx_value_info_append(kept, v);
    }
    f->model->graph->value_info = kept;
    map_free(&made);
}

/* From the innermost expansions to the outermost, so that functions call functions. */
bool onnx_make_functions(struct onnx_out *out, struct onnx_model *model)
{
    struct function_folder f = {.out = out, .model = model};
    struct onnx_node_list list = {0};
    int depth = 0;
    bool ok = true;

    take_steps(&f);
    for (int i = 0; i < f.count; i++)
        if (f.step[i].site && f.step[i].site->depth > depth)
            depth = f.step[i].site->depth;
    for (; ok && depth >= 0; depth--)
        ok = fold_depth(&f, depth);

    /* The steps that are left become the graph. */
    for (int i = 0; ok && i < f.count; i++) {
        f.step[i].node->next = NULL;
        list = onnx_node_append(list, f.step[i].node);
    }
    if (ok) {
        model->graph->node = list;
        put_shapes(&f);
    }
    if (ok && model->functions.count > 0) {
        if (model->ir_version < ONNX_FUNCTIONS_IR)
            model->ir_version = ONNX_FUNCTIONS_IR;
        onnx_opset_add(out->context->arena, &model->opset_import, ONNX_FRAGMENTS,
                       ONNX_FRAGMENTS_VERSION);
        for (struct onnx_function *g = model->functions.first; g; g = g->next)
            for (const struct onnx_opset *o = model->opset_import.first; o; o = o->next)
                onnx_opset_add(out->context->arena, &g->opset_import, o->domain, o->version);
    }
    map_free(&f.uses);
    map_free(&f.bodies);
    map_free(&f.numbers);
    return ok;
}
