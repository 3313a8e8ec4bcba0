/* ports.c - parameters, results and variables of a loaded model, in the order of the text
 * (nnefc.h) */
#include "api/formats.h"
#include "file/label.h"
#include "op/op.h"

#include <string.h>

/* Of a parameter, result or variable; after passes an output may be a constant, too. */
static struct nnefc_type value_type(const struct value *value)
{
    return type_of(value->dtype, value->shape);
}

/* That of the graph in its text, not of the file. */
const char *nnefc_model_name(const struct nnefc_model *model)
{
    return model && model_interface(model) ? model_interface(model)->name : NULL;
}

/* --- parameters and results -------------------------------------------------------------- */

/* Parameters or results of a graph. */
struct ports {
    const struct port *port;
    int count;
    const char *what; /* "parameter" or "result" */
};

/* Empty without a graph. */
static struct ports ports_of(const struct nnefc_model *model, bool inputs)
{
    const struct graph *graph = model_interface(model);

    if (!graph)
        return (struct ports){0};
    return inputs ? (struct ports){graph->inputs, graph->ninput, "parameter"}
                  : (struct ports){graph->outputs, graph->noutput, "result"};
}

/* The number of its value among those that operations are listed with: an open model has an
 * interface of its own beside the graph. */
static int value_id(const struct nnefc_model *model, const struct ports *ports, bool inputs,
                    int index)
{
    const struct graph *graph = model->graph;
    const struct port *port = ports->port;

    if (graph && ports->count == (inputs ? graph->ninput : graph->noutput))
        port = inputs ? graph->inputs : graph->outputs;
    return (int)port[index].value->id;
}

void list_ports(const struct nnefc_model *model, struct list *list)
{
    const bool inputs = list->kind == LIST_INPUTS;
    const struct ports ports = ports_of(model, inputs);

    for (int i = 0; i < ports.count; i++)
        LIST_ADD(list, (struct nnefc_port){ports.port[i].name, value_type(ports.port[i].value),
                                           value_id(model, &ports, inputs, i)});
}

/* A candidate for the name that is meant; NULL behind the last. */
static const char *port_name(int index, const void *data)
{
    const struct ports *ports = data;

    return index < ports->count ? ports->port[index].name : NULL;
}

/* -1 if there is none, without a report. */
static int port_index(const struct ports *ports, const char *name)
{
    for (int i = 0; i < ports->count; i++)
        if (strcmp(ports->port[i].name, name) == 0)
            return i;
    return -1;
}

/* The index of a name, -1 after a report that names the nearest, and all there are. */
static int find_port(struct nnefc_model *model, const struct ports *ports, const char *name)
{
    struct diag *diag = model->context->diag;
    int index = port_index(ports, name);

    if (index >= 0)
        return index;
    diag_file_error(diag, NULL, DIAG_INPUT_UNKNOWN, "graph '%s' has no %s '%s'",
                    model_interface(model)->name, ports->what, name);
    diag_help_names(diag, name, port_name, ports);
    return -1;
}

/* Are there names to look among?  False after a report, if there is a model. */
static bool can_find(const struct nnefc_model *model, const char *name)
{
    return (model && model_interface(model) && name) ||
           misuse(model,
                  name ? "a model that is not loaded has no '%s'" : "no name to find is given",
                  name);
}

int api_model_find_input(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    const struct ports ports = ports_of(model, true);
    /* An input of PNNX goes by the name of its operand, too, unless another has that name. */
    const char *input = pnnx_input_of_operand(model, name);

    return find_port(model, &ports, input && port_index(&ports, name) < 0 ? input : name);
}

/* Results go by the names of the document alone. */
int api_model_find_output(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    const struct ports ports = ports_of(model, false);

    return find_port(model, &ports, name);
}

/* --- variables --------------------------------------------------------------------------- */

/* Few clients ask for variables by number, so there is no table. */
const struct source *variable_at(const struct nnefc_model *model, int index)
{
    if (!model || !model->graph || index < 0 || index >= model->graph->variables.count)
        return NULL;
    const struct source *variable = model->graph->variables.first;

    while (index-- > 0)
        variable = variable->next;
    return variable;
}

/* A variable is updated if an update names it, or another of its label: they are one.  Few models
 * have updates; only then all variables are compared. */
void list_variables(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    const struct node *first = graph ? graph->first : NULL;

    while (first && !(first->op->traits & OP_EFFECT))
        first = first->next;
    for (const struct source *v = graph ? graph->variables.first : NULL; v; v = v->next) {
        bool updated = false;
        for (const struct node *n = first; n && !updated; n = n->next)
            updated =
                (n->op->traits & OP_EFFECT) &&
                label_compare(n->in[0].value->source->label, v->label, graph->provisional) == 0;
        LIST_ADD(list, (struct nnefc_variable){
                           .label = v->label, .type = value_type(v->value), .is_updated = updated});
    }
}
