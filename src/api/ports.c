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

static bool is_index(int index, int count)
{
    return index >= 0 && index < count;
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

int nnefc_model_input_count(const struct nnefc_model *model)
{
    return model && model->graph ? model->graph->ninput : 0;
}

const char *nnefc_model_input_name(const struct nnefc_model *model, int index)
{
    return is_index(index, nnefc_model_input_count(model)) ? model->graph->inputs[index].name
                                                           : NULL;
}

struct nnefc_type nnefc_model_input_type(const struct nnefc_model *model, int index)
{
    if (!is_index(index, nnefc_model_input_count(model)))
        return unknown_type();
    return value_type(model->graph->inputs[index].value);
}

int nnefc_model_output_count(const struct nnefc_model *model)
{
    return model && model->graph ? model->graph->noutput : 0;
}

const char *nnefc_model_output_name(const struct nnefc_model *model, int index)
{
    return is_index(index, nnefc_model_output_count(model)) ? model->graph->outputs[index].name
                                                            : NULL;
}

struct nnefc_type nnefc_model_output_type(const struct nnefc_model *model, int index)
{
    if (!is_index(index, nnefc_model_output_count(model)))
        return unknown_type();
    return value_type(model->graph->outputs[index].value);
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

int nnefc_model_find_input(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    struct ports ports = {model->graph->inputs, model->graph->ninput, "parameter"};
    const char *input = pnnx_input_of_operand(model, name);

    return find_port(model, &ports, input && !has_port(&ports, name) ? input : name);
}

int nnefc_model_find_output(struct nnefc_model *model, const char *name)
{
    if (!can_find(model, name))
        return -1;
    struct ports ports = {model->graph->outputs, model->graph->noutput, "result"};

    return find_port(model, &ports, name);
}

/* --- variables --------------------------------------------------------------------------- */

int nnefc_model_variable_count(const struct nnefc_model *model)
{
    return model && model->graph ? model->graph->variables.count : 0;
}

const struct source *variable_at(const struct nnefc_model *model, int index)
{
    if (!is_index(index, nnefc_model_variable_count(model)))
        return NULL;
    const struct source *variable = model->graph->variables.first;

    while (index-- > 0)
        variable = variable->next;
    return variable;
}

const char *nnefc_model_variable_label(const struct nnefc_model *model, int index)
{
    const struct source *variable = variable_at(model, index);

    return variable ? variable->label : NULL;
}

struct nnefc_type nnefc_model_variable_type(const struct nnefc_model *model, int index)
{
    const struct source *variable = variable_at(model, index);

    return variable ? value_type(variable->value) : unknown_type();
}

/* Two variables of one label are one. */
static bool same_variable(const struct nnefc_model *model, const struct source *a,
                          const struct source *b)
{
    return label_compare(a->label, b->label, model->graph->provisional) == 0;
}

bool nnefc_model_variable_is_updated(const struct nnefc_model *model, int index)
{
    const struct source *variable = variable_at(model, index);

    for (const struct node *n = variable ? model->graph->first : NULL; n; n = n->next)
        if ((n->op->traits & OP_EFFECT) && same_variable(model, n->in[0].value->source, variable))
            return true;
    return false;
}
