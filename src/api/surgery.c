/* surgery.c - parts of models (surgery.h) */
#include "api/api_priv.h"
#include "base/intern.h"
#include "base/text.h"
#include "ir/graph.h"
#include "op/op.h"
#include "pass/cut.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- tensors by their names ------------------------------------------------------------------- */

/* The names of values; NULL behind the last. */
static const char *value_name_at(int index, const void *data)
{
    const struct value *const *named = data;

    return named[index] ? named[index]->name : NULL;
}

/* The values that have names, NULL behind the last. */
static const struct value **named_values(struct arena *arena, struct value *const *values)
{
    int count = 0, kept = 0;

    while (values[count])
        count++;
    const struct value **named = arena_array_of(arena, const struct value *, count + 1);
    for (int i = 0; i < count; i++)
        if (values[i]->name)
            named[kept++] = values[i];
    return named;
}

/* What messages and lists call a value is a name of it, unless that is a literal. */
static bool has_name(const struct value *value, const char *name)
{
    if (value->name)
        return strcmp(value->name, name) == 0;
    return *name == '%' && !value_is_literal(value) && strcmp(VALUE_TEXT(value), name) == 0;
}

/* An input or output of that name, or else the value; NULL: there is none. */
static struct value *find_value(const struct graph *graph, struct value *const *values,
                                const char *name)
{
    for (int i = 0; i < graph->ninput; i++)
        if (strcmp(graph->inputs[i].name, name) == 0)
            return graph->inputs[i].value;
    for (int i = 0; i < graph->noutput; i++)
        if (strcmp(graph->outputs[i].name, name) == 0)
            return graph->outputs[i].value;
    for (; *values; values++)
        if (has_name(*values, name))
            return *values;
    return NULL;
}

/* A name that is none yet; takes the text. */
static const char *new_name(const struct graph *graph, struct value *const *values,
                            struct text *name)
{
    while (find_value(graph, values, name->data))
        text_add(name, "_");
    return intern_text(graph->context->names, name);
}

/* What a port is called: as the client calls the value, unless that has no name; then "relu_7". */
static const char *port_name(const struct graph *graph, struct value *const *values,
                             const struct value *value, const char *asked)
{
    struct text made = {0};

    if (value->name || *asked != '%')
        return intern(graph->context->names, asked, strlen(asked));
    text_add(&made, "%s_%" PRIu32,
             value->kind == VALUE_RESULT ? value->producer->op->name : "tensor", value->id);
    return new_name(graph, values, &made);
}

/* --- a list of names -------------------------------------------------------------------------- */

/* The ports that names ask for; NULL after reports. */
static struct cut_port *find_ports(const struct nnefc_model *model, const char *const *names,
                                   int count)
{
    const struct graph *graph = model->graph;
    struct arena *arena = model->context->arena;
    struct diag *diag = model->context->diag;
    struct value *const *values = graph_values(graph);
    struct cut_port *ports = arena_array_of(arena, struct cut_port, count);
    bool ok = true;

    assert(count == 0 || (count > 0 && names));
    for (int i = 0; i < count; i++) {
        struct value *value = find_value(graph, values, names[i]);
        ports[i] = (struct cut_port){.value = value};
        if (!value) {
            ok = diag_file_error(diag, NULL, DIAG_CUT_NAME, "graph '%s' has no tensor '%s'",
                                 graph->name, names[i]);
            if (diag_wants_help(diag))
                diag_help_names(diag, names[i], value_name_at, named_values(arena, values));
            continue;
        }
        ports[i].name = port_name(graph, values, value, names[i]);
        for (int k = 0; k < i; k++)
            if (ports[k].value == value)
                ok = diag_file_error(diag, NULL, DIAG_CUT_NAME, "tensor '%s' is named twice",
                                     names[i]);
    }
    return ok ? ports : NULL;
}

static bool are_names(const char *const *names, int count)
{
    bool ok = count >= 0 && (names || count == 0);

    for (int i = 0; i < count && ok; i++)
        ok = names[i];
    return ok;
}

/* What no operation of the part computes has a name already, which is no other tensor's in ONNX. */
static void rename_copies(const struct graph *graph, const struct cut *cut, struct cut_port *to)
{
    struct value *const *values = graph_values(graph);

    for (int i = 0; i < cut->nto; i++) {
        struct text name = {0};
        bool copied = to[i].value->kind != VALUE_RESULT;
        for (int k = 0; k < cut->nfrom && !copied; k++)
            copied = cut->from[k].value == to[i].value;
        if (!copied)
            continue;
        text_add(&name, "%s_out", to[i].name);
        to[i].name = new_name(graph, values, &name);
    }
}

/* --- the cut ---------------------------------------------------------------------------------- */

bool api_model_extract(struct nnefc_model *model, const struct nnefc_extract *how)
{
    struct nnefc_extract taken;

    if (!graph_is_there(model, "cut"))
        return false;
    if (!how || !settings_take(model, how, &taken, sizeof taken))
        return how ? false : misuse(model, "there is nothing that says what to extract");
    if (!are_names(taken.from, taken.from_count) || !are_names(taken.to, taken.to_count))
        return misuse(model, "there are not as many names as the counts say");
    if (taken.to_count == 0)
        return misuse(model, "there is no tensor to be computed");
    if (model->runs)
        return misuse(model, "a model cannot be cut while there are runs of it");
    struct cut cut = {.nfrom = taken.from_count, .nto = taken.to_count, .inputs = !taken.from};
    cut.from = find_ports(model, taken.from, taken.from_count);
    struct cut_port *to = find_ports(model, taken.to, taken.to_count);
    if (!cut.from || !to)
        return false;
    rename_copies(model->graph, &cut, to);
    cut.to = to;
    if (!graph_cut(model->graph, &cut))
        return false;
    /* Whatever was listed of the graph is old now. */
    model->computed = NULL;
    model->ncomputed = 0;
    lists_forget(model->lists);
    model->is_part = true;
    return true;
}
