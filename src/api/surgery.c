/* surgery.c - parts of models, and changes of their graphs (surgery.h) */
#include "api/weights.h"
#include "base/intern.h"
#include "base/text.h"
#include "file/label.h"
#include "ir/graph.h"
#include "op/op.h"
#include "parser/parser.h"
#include "pass/alter.h"
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

/* The name of a value in messages and lists, unless that is a literal. */
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

/* Report that no tensor has that name.  Returns false. */
static bool no_tensor(const struct graph *graph, struct value *const *values, enum diag_code code,
                      const char *name)
{
    struct diag *diag = graph->context->diag;

    diag_file_error(diag, NULL, code, "graph '%s' has no tensor '%s'", graph->name, name);
    if (diag_wants_help(diag))
        diag_help_names(diag, name, value_name_at, named_values(graph->context->arena, values));
    return false;
}

/* A name that is not in use; the function frees the text. */
static const char *new_name(const struct graph *graph, struct value *const *values,
                            struct text *name)
{
    while (find_value(graph, values, name->data))
        text_add(name, "_");
    return intern_text(graph->context->names, name);
}

/* The name of a port: the name of its value, or "relu_7" if that has none. */
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
            ok = no_tensor(graph, values, DIAG_CUT_NAME, names[i]);
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

/* A result that the part does not compute has a name already, which ONNX allows only once. */
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

/* Lists of the graph are out of date now. */
static void forget_graph(struct nnefc_model *model)
{
    model->computed = NULL;
    model->ncomputed = 0;
    lists_forget(model->lists);
    model->is_part = true;
}

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
    forget_graph(model);
    return true;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The value that is named; NULL after a report. */
static struct value *edited_value(const struct nnefc_model *model, const char *name)
{
    struct value *const *values = graph_values(model->graph);
    struct value *value = find_value(model->graph, values, name);

    if (!value)
        no_tensor(model->graph, values, DIAG_EDIT, name);
    return value;
}

/* The node that makes it; NULL after a report. */
static struct node *edited_node(const struct nnefc_model *model, const char *name)
{
    const struct value *value = edited_value(model, name);

    if (value && value->kind == VALUE_RESULT)
        return value->producer;
    if (value)
        diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                        "'%s' is not the result of an operation", name);
    return NULL;
}

static const struct library *library_of(const struct nnefc_model *model)
{
    return model->checked ? model->checked->library : library_load(model->context, DIALECT_1_0);
}

/* Names of attributes; NULL behind the last. */
static const char *attribute_at(int index, const void *data)
{
    const struct op_attr *attrs = data;

    return attrs[index].name;
}

/* The parameter that an attribute of the node comes from; NULL after a report. */
static const struct sig_param *find_parameter(const struct nnefc_model *model,
                                              const struct node *node, const char *name)
{
    static const struct op_attr none = {0};
    struct diag *diag = model->context->diag;
    const struct signature *s = lower_signature(model->graph, library_of(model), node->op);

    for (int i = 0; s && i < s->nparam; i++)
        if (s->params[i].attr && strcmp(s->params[i].name, name) == 0)
            return &s->params[i];
    diag_file_error(diag, NULL, DIAG_EDIT,
                    s ? "operation '%s' has no attribute '%s'"
                      : "operation '%s' is custom, so that its attribute '%s' stays as it is",
                    node->op->name, name);
    if (s && diag_wants_help(diag))
        diag_help_names(diag, name, attribute_at, node->op->attrs ? node->op->attrs : &none);
    return NULL;
}

/* The argument that a text gives a parameter: `"conv1": conv(stride = [2,2]);` is an entry of a
 * quantization file.  False after a report. */
static bool read_argument(const struct nnefc_model *model, const struct node *node,
                          const struct sig_param *param, const char *value, struct op_argument *to)
{
    struct context *context = model->context;
    const int before = diag_error_count(context->diag);
    struct text text = {0};
    struct span at = {0};

    text_add_quoted(&text, VALUE_TEXT(&node->out[0]));
    text_add(&text, ": %s(%s = %s);", node->op->name, param->name, value);
    const size_t size = text.size;
    const char *kept = text_keep(&text, context->arena);
    if (!text_allowed(model, param->name, size) || !enter_text(model, param->name, kept, size, &at))
        return false;
    struct quant_entry_list entries = parse_quant(context, at.begin, kept, size, DIALECT_1_0);
    if (diag_error_count(context->diag) != before)
        return false;
    const struct expr *arg = entries.count == 1 ? entries.first->call->call.args : NULL;
    if (!arg || arg->next || arg->kind != EXPR_NAMED)
        return diag_file_error(context->diag, NULL, DIAG_EDIT, "'%s' is no value of '%s'", value,
                               param->name);
    to->span = arg->named.value->span;
    return sema_argument(context, library_of(model), param, arg->named.value, &to->value);
}

static bool find_alteration(const struct nnefc_model *model,
                            const struct nnefc_attribute_edit *edit, struct alteration *to)
{
    struct node *node = edited_node(model, edit->tensor);
    const struct sig_param *param = node ? find_parameter(model, node, edit->attribute) : NULL;

    if (!param)
        return false;
    *to = (struct alteration){node, {.attr = param->attr, .value = param->value}};
    if (edit->value)
        return read_argument(model, node, param, edit->value, &to->argument);
    return param->has_default || diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                                                 "attribute '%s' of '%s' has no default",
                                                 edit->attribute, node->op->name);
}

/* All of them at once; false, with no graph left if it was changed, after reports. */
static bool edit_attributes(struct nnefc_model *model, const struct nnefc_edit *how)
{
    struct alteration *list =
        arena_array_of(model->context->arena, struct alteration, how->attribute_count);
    bool ok = true;

    for (int i = 0; i < how->attribute_count; i++) {
        ok &= find_alteration(model, &how->attributes[i], &list[i]);
        for (int k = 0; ok && k < i; k++)
            if (list[k].node == list[i].node && list[k].argument.attr == list[i].argument.attr)
                ok = diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                                     "attribute '%s' of '%s' is given twice",
                                     how->attributes[i].attribute, how->attributes[i].tensor);
    }
    if (ok && how->attribute_count > 0 && !graph_alter(model->graph, list, how->attribute_count)) {
        model->graph = NULL;
        ok = false;
    }
    return ok;
}

/* --- what is left out ------------------------------------------------------------------------- */

/* Keep what the outputs need. */
static bool drop_unneeded(const struct nnefc_model *model)
{
    struct graph *graph = model->graph;
    struct cut_port *to = arena_array_of(model->context->arena, struct cut_port, graph->noutput);
    int count = 0;

    for (int i = 0; i < graph->noutput; i++)
        to[count++] = (struct cut_port){graph->outputs[i].value, graph->outputs[i].name};
    return graph_cut(graph, &(struct cut){.to = to, .nto = count, .inputs = true});
}

static bool bridge(const struct nnefc_model *model, const char *name)
{
    struct graph *graph = model->graph;
    struct node *node = edited_node(model, name);
    const struct value *operand = node ? bridge_of(node) : NULL;

    if (!node)
        return false;
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value == &node->out[0])
            return diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                                   "'%s' is an output, so that its operation cannot be left out",
                                   name);
    if (!operand || node->op->traits & OP_EFFECT)
        return diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                               "no operand of '%s' has the type and shape of '%s', so that it "
                               "cannot be left out",
                               node->op->name, name);
    graph_bridge(graph, node);
    return true;
}

/* --- names ------------------------------------------------------------------------------------ */

static void rename_ports(struct port *ports, int count, const struct value *value, const char *from,
                         const char *to)
{
    for (int i = 0; i < count; i++)
        if (ports[i].value == value && strcmp(ports[i].name, from) == 0)
            ports[i].name = to;
}

static bool rename_tensor(const struct nnefc_model *model, const struct nnefc_rename *rename)
{
    struct graph *graph = model->graph;
    struct value *value = edited_value(model, rename->from);

    if (!value)
        return false;
    if (!is_identifier(rename->to))
        return diag_file_error(model->context->diag, NULL, DIAG_EDIT, "'%s' is no identifier",
                               rename->to);
    if (find_value(graph, graph_values(graph), rename->to))
        return diag_file_error(model->context->diag, NULL, DIAG_EDIT, "the name '%s' is taken",
                               rename->to);
    const char *to = intern(model->context->names, rename->to, strlen(rename->to));
    const char *from = arena_strndup(model->context->arena, rename->from, strlen(rename->from));
    rename_ports(graph->inputs, graph->ninput, value, from, to);
    rename_ports(graph->outputs, graph->noutput, value, from, to);
    if (!value->name || strcmp(value->name, from) == 0)
        value->name = to;
    return true;
}

static bool rename_label(const struct nnefc_model *model, const struct nnefc_rename *rename)
{
    const struct context *context = model->context;
    const char *to = arena_strndup(context->arena, rename->to, strlen(rename->to)), *why = "";
    int found = 0;

    if (!label_valid(to, &why))
        return diag_file_error(context->diag, NULL, DIAG_EDIT, "label '%s' has %s", to, why);
    for (const struct source *s = model->graph->variables.first; s; s = s->next) {
        found += strcmp(s->label, rename->from) == 0;
        if (label_key(context, s->label, false) == label_key(context, to, false))
            return diag_file_error(context->diag, NULL, DIAG_EDIT, "the label '%s' is taken", to);
    }
    for (struct source *s = model->graph->variables.first; s; s = s->next)
        if (strcmp(s->label, rename->from) == 0)
            s->label = to;
    return found > 0 || diag_file_error(context->diag, NULL, DIAG_EDIT,
                                        "no variable has the label '%s'", rename->from);
}

/* --- edits ------------------------------------------------------------------------------------ */

static bool is_complete(const struct nnefc_edit *how)
{
    bool ok = how->attribute_count >= 0 && how->tensor_count >= 0 && how->label_count >= 0 &&
              are_names(how->bridges, how->bridge_count);

    for (int i = 0; ok && i < how->attribute_count; i++)
        ok = how->attributes && how->attributes[i].tensor && how->attributes[i].attribute;
    for (int i = 0; ok && i < how->tensor_count; i++)
        ok = how->tensors && how->tensors[i].from && how->tensors[i].to;
    for (int i = 0; ok && i < how->label_count; i++)
        ok = how->labels && how->labels[i].from && how->labels[i].to;
    return ok;
}

/* The edits that follow attributes.  False after a report. */
static bool edit_rest(const struct nnefc_model *model, const struct nnefc_edit *how)
{
    bool ok = true;

    for (int i = 0; i < how->bridge_count && ok; i++)
        ok = bridge(model, how->bridges[i]);
    ok = ok && (how->bridge_count == 0 || drop_unneeded(model));
    for (int i = 0; i < how->tensor_count && ok; i++)
        ok = rename_tensor(model, &how->tensors[i]);
    for (int i = 0; i < how->label_count && ok; i++)
        ok = rename_label(model, &how->labels[i]);
    return ok;
}

bool api_model_edit(struct nnefc_model *model, const struct nnefc_edit *how)
{
    struct nnefc_edit taken;

    if (!graph_is_there(model, "edited"))
        return false;
    if (!how || !settings_take(model, how, &taken, sizeof taken))
        return how ? false : misuse(model, "there is nothing that says what to edit");
    if (!is_complete(&taken))
        return misuse(model, "there is not as much to edit as the counts say");
    if (model->runs)
        return misuse(model, "a model cannot be edited while there are runs of it");
    if (taken.label_count > 0 && !weights_load(model))
        return false;
    graph_note_names(model->graph);
    bool ok = edit_attributes(model, &taken);
    if (ok && !edit_rest(model, &taken)) {
        model->graph = NULL;
        ok = false;
    }
    forget_graph(model);
    return ok;
}
