/* ports.c - parameters, results and variables of a loaded model */
#include "api/api_priv.h"
#include "base/num.h"
#include "base/text.h"
#include "file/label.h"
#include "op/op.h"

#include <string.h>

enum { NAMES_SHOWN = 12 };

static enum nnefc_dtype public_dtype(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_SCALAR:
        return NNEFC_SCALAR;
    case DTYPE_INTEGER:
        return NNEFC_INTEGER;
    case DTYPE_LOGICAL:
        return NNEFC_LOGICAL;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return NNEFC_DTYPE_UNKNOWN;
}

const char *nnefc_dtype_name(enum nnefc_dtype dtype)
{
    switch (dtype) {
    case NNEFC_SCALAR:
        return "scalar";
    case NNEFC_INTEGER:
        return "integer";
    case NNEFC_LOGICAL:
        return "logical";
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    return "?";
}

struct nnefc_type type_of(enum dtype dtype, const struct shape *shape)
{
    struct nnefc_type type = {.dtype = public_dtype(dtype), .rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        type.extent[i] = shape->extent[i];
    return type;
}

struct nnefc_type unknown_type(void)
{
    return (struct nnefc_type){.rank = NNEFC_UNKNOWN};
}

static struct nnefc_type value_type(const struct value *value)
{
    return type_of(value->dtype, value->shape);
}

const char *nnefc_model_name(const struct nnefc_model *model)
{
    return model && model->graph ? model->graph->name : NULL;
}

/* --- parameters and results -------------------------------------------------------------- */

static void list_ports(struct list *list, const struct port *port, int count)
{
    for (int i = 0; i < count; i++)
        LIST_ADD(list, (struct nnefc_port){port[i].name, value_type(port[i].value)});
}

static void list_inputs(const struct nnefc_model *model, struct list *list)
{
    if (model->graph)
        list_ports(list, model->graph->inputs, model->graph->ninput);
}

static void list_outputs(const struct nnefc_model *model, struct list *list)
{
    if (model->graph)
        list_ports(list, model->graph->outputs, model->graph->noutput);
}

const struct nnefc_port_list *nnefc_model_inputs(const struct nnefc_model *model)
{
    return model_list(model, LIST_INPUTS, list_inputs);
}

const struct nnefc_port_list *nnefc_model_outputs(const struct nnefc_model *model)
{
    return model_list(model, LIST_OUTPUTS, list_outputs);
}

struct ports {
    const struct port *port;
    int count;
    const char *what;
};

static const char *port_name(int index, const void *data)
{
    const struct ports *ports = data;

    return index < ports->count ? ports->port[index].name : NULL;
}

/* The nearest name, and all there are. */
static void suggest(struct diag *diag, const struct ports *ports, const char *name)
{
    const char *nearest = num_nearest(name, port_name, ports);
    struct text names = {0};

    for (int i = 0; i < ports->count && i < NAMES_SHOWN; i++)
        text_add(&names, "%s'%s'", i ? ", " : "", ports->port[i].name);
    text_add(&names, "%s", ports->count > NAMES_SHOWN ? ", ..." : "");
    if (nearest)
        diag_help(diag, "did you mean '%s'? it has %s.", nearest, names.data);
    else if (ports->count > 0)
        diag_help(diag, "it has %s.", names.data);
    text_free(&names);
}

static bool has_port(const struct ports *ports, const char *name)
{
    bool found = false;

    for (int i = 0; i < ports->count && !found; i++)
        found = strcmp(ports->port[i].name, name) == 0;
    return found;
}

static int find_port(struct nnefc_model *model, const struct ports *ports, const char *name)
{
    for (int i = 0; i < ports->count; i++)
        if (strcmp(ports->port[i].name, name) == 0)
            return i;
    diag_file_error(model->context->diag, NULL, DIAG_INPUT_UNKNOWN, "graph '%s' has no %s '%s'",
                    model->graph->name, ports->what, name);
    suggest(model->context->diag, ports, name);
    return -1;
}

/* Whether there are names to look among. */
static bool can_find(const struct nnefc_model *model, const char *name)
{
    if (model && model->graph && name)
        return true;
    misuse(model, name ? "a model that is not loaded has no '%s'" : "no name to find is given",
           name);
    return false;
}

int api_model_find_input(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    struct ports ports = {model->graph->inputs, model->graph->ninput, "parameter"};
    const char *input = pnnx_input_of_operand(model, name);

    return find_port(model, &ports, input && !has_port(&ports, name) ? input : name);
}

int api_model_find_output(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    struct ports ports = {model->graph->outputs, model->graph->noutput, "result"};

    return find_port(model, &ports, name);
}

/* --- variables --------------------------------------------------------------------------- */

const struct source *variable_at(const struct nnefc_model *model, int index)
{
    if (!model || !model->graph || index < 0 || index >= model->graph->variables.count)
        return NULL;
    const struct source *variable = model->graph->variables.first;

    while (index-- > 0)
        variable = variable->next;
    return variable;
}

/* Two variables of one label are one. */
static bool is_updated(const struct graph *graph, const struct source *variable)
{
    for (const struct node *n = graph->first; n; n = n->next)
        if ((n->op->traits & OP_EFFECT) &&
            label_compare(n->in[0].value->source->label, variable->label, graph->provisional) == 0)
            return true;
    return false;
}

static bool has_updates(const struct graph *graph)
{
    const struct node *n = graph->first;

    while (n && !(n->op->traits & OP_EFFECT))
        n = n->next;
    return n;
}

static void list_variables(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    bool any =
        graph && has_updates(graph); /* few models have any; then all variables are compared */

    for (const struct source *v = graph ? graph->variables.first : NULL; v; v = v->next)
        LIST_ADD(list, (struct nnefc_variable){.label = v->label,
                                               .type = value_type(v->value),
                                               .is_updated = any && is_updated(graph, v)});
}

const struct nnefc_variable_list *nnefc_model_variables(const struct nnefc_model *model)
{
    return model_list(model, LIST_VARIABLES, list_variables);
}
