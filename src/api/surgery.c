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

/* Report that no variable has that label.  Returns false. */
static bool no_label(const struct nnefc_model *model, const char *label)
{
    return diag_file_error(model->context->diag, NULL, DIAG_EDIT, "no variable has the label '%s'",
                           label);
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

/* --- shapes and items of what no operation makes ---------------------------------------------- */

/* All that is altered at once. */
struct alterations {
    struct alteration *attributes;
    struct reshaping *shapes;
    int attribute_count, shape_count;
};

static bool share_label(const struct nnefc_model *model, const struct source *a,
                        const struct source *b)
{
    return label_key(model->context, a->label, false) == label_key(model->context, b->label, false);
}

/* May items of the variable be others?  Then it has all of them.  False after a report. */
static bool take_items(const struct nnefc_model *model, struct source *variable)
{
    if (variable->quant)
        return diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                               "variable '%s' is quantized, so that its shape and items stay",
                               variable->label);
    assert(variable->tensor);
    return source_fill(model->context, variable);
}

/* Variables only get smaller: there are no more items. */
static bool add_reshaping(const struct nnefc_model *model, struct value *value,
                          const struct shape *shape, struct alterations *to)
{
    bool fits = shape->rank == value->shape->rank;

    for (int i = 0; i < to->shape_count; i++)
        if (to->shapes[i].value == value)
            return diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                                   "the shape of '%s' is given twice", VALUE_TEXT(value));
    for (int i = 0; i < shape->rank && fits; i++)
        fits = shape->extent[i] <= value->shape->extent[i];
    if (value->kind == VALUE_VARIABLE && !fits)
        return diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                               "variable '%s' has items for the shape %s, which %s is not within",
                               VALUE_TEXT(value), SHAPE_TEXT(value->shape), SHAPE_TEXT(shape));
    if (value->kind == VALUE_VARIABLE && !take_items(model, value->source))
        return false;
    to->shapes[to->shape_count++] = (struct reshaping){value, shape};
    return true;
}

static bool find_reshaping(const struct nnefc_model *model, const struct nnefc_shape_edit *edit,
                           struct alterations *to)
{
    const struct context *context = model->context;
    struct value *value = edited_value(model, edit->tensor);
    struct shape shape = {.rank = edit->rank};
    int64_t volume;

    if (!value)
        return false;
    for (int i = 0; i < edit->rank; i++)
        shape.extent[i] = edit->extent[i];
    if (value->kind != VALUE_EXTERNAL && value->kind != VALUE_VARIABLE)
        return diag_file_error(context->diag, NULL, DIAG_EDIT,
                               "'%s' is neither an input nor a variable, so that its shape follows "
                               "from theirs",
                               edit->tensor);
    if (!shape_volume_checked(&shape, context->limits.volume, &volume))
        return diag_file_error(context->diag, NULL, DIAG_VOLUME_LIMIT,
                               "the shape %s of '%s' has more items than the limit",
                               SHAPE_TEXT(&shape), edit->tensor);
    const struct shape *shared = graph_shape(model->graph, &shape);
    if (value->kind == VALUE_EXTERNAL)
        return add_reshaping(model, value, shared, to);
    bool ok = true;
    for (struct source *s = model->graph->variables.first; s && ok; s = s->next)
        ok = !share_label(model, s, value->source) || add_reshaping(model, s->value, shared, to);
    return ok;
}

/* Keep the items at the beginning along each axis.  False after a report. */
static bool cut_items(const struct nnefc_model *model, struct source *variable)
{
    const struct tensor *from = variable->tensor;
    const size_t size = dtype_size(from->dtype);
    struct tensor *to = source_room(model->context, variable, from->dtype);
    int64_t stride[MAX_RANK];

    if (!to)
        return false;
    shape_strides(&from->shape, stride);
    for (int64_t i = 0; i < shape_volume(&to->shape); i++)
        memcpy((unsigned char *)to->data + (size_t)i * size,
               (const unsigned char *)from->data +
                   (size_t)shape_offset(&to->shape, stride, i) * size,
               size);
    to->is_unsigned = from->is_unsigned;
    variable->tensor = to;
    variable->made = true;
    return true;
}

/* The item that takes the place of another one. */
static int new_item(enum nnefc_items items, double old)
{
    switch (items) {
    case NNEFC_ITEMS_ZEROS:
        break;
    case NNEFC_ITEMS_ONES:
        return 1;
    case NNEFC_ITEMS_SIGNS:
        return (old > 0) - (old < 0);
    }
    return 0;
}

static bool replace_items(const struct nnefc_model *model, struct source *variable,
                          enum nnefc_items items)
{
    const struct tensor *from = variable->tensor;
    const enum dtype dtype = from->dtype;
    struct tensor *to = source_room(model->context, variable, dtype);

    for (int64_t i = 0; to && i < shape_volume(&to->shape); i++) {
        const int item = new_item(items, tensor_item(from, i));
        if (dtype == DTYPE_SCALAR)
            ((float *)to->data)[i] = (float)item;
        else if (dtype == DTYPE_INTEGER)
            ((int64_t *)to->data)[i] = item;
        else
            ((unsigned char *)to->data)[i] = item != 0;
    }
    if (to)
        variable->tensor = to;
    variable->made = true;
    return to;
}

static bool edit_items(const struct nnefc_model *model, const struct nnefc_items_edit *edit)
{
    bool ok = true, found = false;

    for (struct source *s = model->graph->variables.first; s && ok; s = s->next)
        if (label_equal(s->label, edit->label)) {
            ok = take_items(model, s) && replace_items(model, s, edit->items);
            found = true;
        }
    return found ? ok : no_label(model, edit->label);
}

/* --- what is altered -------------------------------------------------------------------------- */

static bool find_alterations(const struct nnefc_model *model, const struct nnefc_edit *how,
                             struct alterations *to)
{
    struct arena *arena = model->context->arena;
    const int shapes = how->shape_count + model->graph->variables.count;
    bool ok = true;

    to->attributes = arena_array_of(arena, struct alteration, how->attribute_count);
    to->shapes = arena_array_of(arena, struct reshaping, shapes);
    to->attribute_count = how->attribute_count;
    for (int i = 0; i < how->attribute_count; i++) {
        struct alteration *list = to->attributes;
        ok &= find_alteration(model, &how->attributes[i], &list[i]);
        for (int k = 0; ok && k < i; k++)
            if (list[k].node == list[i].node && list[k].argument.attr == list[i].argument.attr)
                ok = diag_file_error(model->context->diag, NULL, DIAG_EDIT,
                                     "attribute '%s' of '%s' is given twice",
                                     how->attributes[i].attribute, how->attributes[i].tensor);
    }
    for (int i = 0; i < how->shape_count; i++)
        ok &= find_reshaping(model, &how->shapes[i], to);
    return ok;
}

/* All of them at once; false, with no graph left if it was changed, after reports. */
static bool edit_alterations(struct nnefc_model *model, const struct nnefc_edit *how)
{
    struct alterations to = {0};
    bool ok = find_alterations(model, how, &to);

    if (!ok)
        return false;
    if (to.attribute_count + to.shape_count > 0)
        ok =
            graph_alter(model->graph, to.attributes, to.attribute_count, to.shapes, to.shape_count);
    for (int i = 0; i < to.shape_count && ok; i++)
        if (to.shapes[i].value->kind == VALUE_VARIABLE)
            ok = cut_items(model, to.shapes[i].value->source);
    if (!ok)
        model->graph = NULL;
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
    bool found = false;

    if (!label_valid(to, &why))
        return diag_file_error(context->diag, NULL, DIAG_EDIT, "label '%s' has %s", to, why);
    for (const struct source *s = model->graph->variables.first; s; s = s->next) {
        found |= label_equal(s->label, rename->from);
        if (label_key(context, s->label, false) == label_key(context, to, false))
            return diag_file_error(context->diag, NULL, DIAG_EDIT, "the label '%s' is taken", to);
    }
    for (struct source *s = model->graph->variables.first; s; s = s->next)
        if (label_equal(s->label, rename->from))
            s->label = to;
    return found || no_label(model, rename->from);
}

/* --- edits ------------------------------------------------------------------------------------ */

static bool is_shape(const struct nnefc_shape_edit *edit)
{
    bool ok = edit->tensor && edit->rank >= 0 && edit->rank <= NNEFC_MAX_RANK;

    for (int i = 0; ok && i < edit->rank; i++)
        ok = edit->extent[i] >= 0;
    return ok;
}

static bool is_complete(const struct nnefc_edit *how)
{
    bool ok = how->attribute_count >= 0 && how->tensor_count >= 0 && how->label_count >= 0 &&
              how->shape_count >= 0 && how->items_count >= 0 &&
              are_names(how->bridges, how->bridge_count);

    for (int i = 0; ok && i < how->attribute_count; i++)
        ok = how->attributes && how->attributes[i].tensor && how->attributes[i].attribute;
    for (int i = 0; ok && i < how->tensor_count; i++)
        ok = how->tensors && how->tensors[i].from && how->tensors[i].to;
    for (int i = 0; ok && i < how->label_count; i++)
        ok = how->labels && how->labels[i].from && how->labels[i].to;
    for (int i = 0; ok && i < how->shape_count; i++)
        ok = how->shapes && is_shape(&how->shapes[i]);
    for (int i = 0; ok && i < how->items_count; i++)
        ok = how->items && how->items[i].label && how->items[i].items >= NNEFC_ITEMS_ZEROS &&
             how->items[i].items <= NNEFC_ITEMS_SIGNS;
    return ok;
}

/* Data is read under its old label, and before items are others. */
static bool needs_data(const struct nnefc_model *model, const struct nnefc_edit *how)
{
    struct value *const *values = graph_values(model->graph);
    bool needed = how->label_count + how->items_count > 0;

    for (int i = 0; i < how->shape_count && !needed; i++) {
        const struct value *value = find_value(model->graph, values, how->shapes[i].tensor);
        needed = value && value->kind == VALUE_VARIABLE;
    }
    return needed;
}

/* What comes behind attributes and shapes.  False after a report. */
static bool edit_rest(const struct nnefc_model *model, const struct nnefc_edit *how)
{
    bool ok = true;

    for (int i = 0; i < how->items_count && ok; i++)
        ok = edit_items(model, &how->items[i]);
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
    if (needs_data(model, &taken) && !weights_load(model))
        return false;
    graph_note_names(model->graph);
    bool ok = edit_alterations(model, &taken);
    if (ok && !edit_rest(model, &taken)) {
        model->graph = NULL;
        ok = false;
    }
    if (taken.shape_count + taken.items_count > 0)
        model->graph_file.packed = NULL; /* of other items */
    forget_graph(model);
    return ok;
}
