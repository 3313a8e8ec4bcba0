/*
 * open.c - what a model leaves open (nnefc/open.h): extents of parameters, and which parameters
 * decide by their items
 */
#include "api/open.h"

#include "convert/onnx/fed.h"
#include "convert/pnnx/import.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- options ------------------------------------------------------------------------------- */

bool api_model_set_open(struct nnefc_model *model, const char *parameter, int axis,
                        const char *name)
{
    struct loaded_open *open = &model->open;

    if (!parameter || axis < 0 || axis >= NNEFC_MAX_RANK)
        return misuse(model, "an extent that is open has a parameter, and an axis from 0 to %d",
                      NNEFC_MAX_RANK - 1);
    open->opened = heap_list(open->opened, open->nopened, sizeof *open->opened);
    open->opened[open->nopened++] = (struct opened){
        .parameter = keep_text(model, parameter), .name = keep_text(model, name), .axis = axis};
    return true;
}

bool api_model_keep_open(struct nnefc_model *model)
{
    model->open.allowed = true;
    return true;
}

/* --- the interface -------------------------------------------------------------------------- */

bool has_open_extents(const struct graph *interface)
{
    for (int i = 0; i < interface->ninput; i++)
        if (!shape_known(interface->inputs[i].value->shape))
            return true;
    return false;
}

/* The parameters and results of a graph as those of another without nodes.  If the client opens
 * extents, nobody knows what results depend on them. */
static struct graph *interface_of(struct nnefc_model *model, const struct graph *graph)
{
    bool known = model->open.nopened == 0;
    struct graph *to = graph_new(model->context, graph->name);
    struct arena *arena = model->context->arena;

    to->provisional = graph->provisional;
    to->inputs = arena_array_of(arena, struct port, graph->ninput + 1);
    to->outputs = arena_array_of(arena, struct port, graph->noutput + 1);
    for (int i = 0; i < graph->ninput + graph->noutput; i++) {
        bool is_input = i < graph->ninput;
        const struct port *from = is_input ? &graph->inputs[i] : &graph->outputs[i - graph->ninput];
        struct shape shape = {.rank = RANK_UNKNOWN};
        struct value *value = graph_add_source(to, VALUE_EXTERNAL, from->value->dtype,
                                               is_input || known ? from->value->shape : &shape,
                                               value_span(from->value));
        value->name = from->value->name;
        struct port *port = is_input ? &to->inputs[to->ninput++] : &to->outputs[to->noutput++];
        *port = *from;
        port->value = value;
    }
    return to;
}

static struct open_input describe(const struct port *port)
{
    const struct shape *shape = port->value->shape;
    struct open_input input = {.name = port->name, .rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        input.dim[i].extent = shape->extent[i];
    return input;
}

static struct open_input *describe_all(const struct nnefc_model *model, const struct graph *graph)
{
    struct open_input *inputs =
        arena_array_of(model->context->arena, struct open_input, graph->ninput + 1);

    for (int i = 0; i < graph->ninput; i++)
        inputs[i] = describe(&graph->inputs[i]);
    return inputs;
}

/* The provisional dialect has extents that are open by themselves. */
bool open_text(struct nnefc_model *model)
{
    struct loaded_open *open = &model->open;

    if (open->nopened == 0 && !(open->allowed && has_open_extents(model->graph)))
        return true;
    struct graph *to = interface_of(model, model->graph);
    struct open_input *inputs = describe_all(model, to);
    struct diag *diag = model->context->diag;
    bool ok = true;

    for (int i = 0; i < open->nopened; i++) {
        const struct opened *o = &open->opened[i];
        int k = 0;
        while (k < to->ninput && strcmp(to->inputs[k].name, o->parameter) != 0)
            k++;
        if (k == to->ninput || o->axis >= to->inputs[k].value->shape->rank) {
            ok = diag_file_error(diag, NULL, DIAG_INPUT_UNKNOWN,
                                 k == to->ninput ? "graph '%s' has no parameter '%s' to open"
                                                 : "graph '%s' has a parameter '%s', but that "
                                                   "has no axis %d to open",
                                 to->name, o->parameter, o->axis);
            continue;
        }
        struct shape shape = *to->inputs[k].value->shape;
        shape.extent[o->axis] = EXTENT_UNKNOWN;
        to->inputs[k].value->shape = graph_shape(to, &shape);
        inputs[k].dim[o->axis] = (struct open_dim){o->name, EXTENT_UNKNOWN};
    }
    open->interface = to;
    open->inputs = inputs;
    return ok;
}

bool open_onnx(struct nnefc_model *model)
{
    struct loaded_open *open = &model->open;

    if (!open->allowed)
        return true;
    const struct graph *interface = onnx_interface(
        model->context, model->onnx.file, &model->onnx.options, &open->inputs, &open->order);
    open->interface = interface;
    return interface;
}

bool open_pnnx(struct nnefc_model *model, const struct onnx_import_options *options)
{
    struct loaded_open *open = &model->open;
    struct open_input *inputs = NULL;
    const struct graph *interface =
        open->allowed ? pnnx_interface(model->context, model->pnnx.document, options, &inputs)
                      : NULL;

    if (!interface || !has_open_extents(interface))
        return false;
    open->interface = interface;
    open->inputs = inputs;
    return true;
}

/* --- what is open --------------------------------------------------------------------------- */

bool deciding_has(const struct onnx_deciding *deciding, const char *name)
{
    for (int i = 0; i < deciding->count; i++)
        if (strcmp(deciding->input[i], name) == 0)
            return true;
    return false;
}

void list_open(const struct nnefc_model *model, struct list *list)
{
    const struct loaded_open *open = &model->open;
    int inputs = open->interface ? open->interface->ninput : 0;

    for (int i = 0; i < inputs; i++) {
        const struct shape *shape = open->interface->inputs[i].value->shape;
        for (int k = 0; k < shape->rank; k++)
            if (shape->extent[k] == EXTENT_UNKNOWN)
                LIST_ADD(list, (struct nnefc_open){
                                   .input = i, .axis = k, .name = open->inputs[i].dim[k].name});
        if (shape->rank == RANK_UNKNOWN)
            LIST_ADD(list, (struct nnefc_open){.input = i, .axis = NNEFC_UNKNOWN});
        if (deciding_has(&open->deciding, open->interface->inputs[i].name))
            LIST_ADD(list, (struct nnefc_open){.input = i, .axis = NNEFC_UNKNOWN, .decides = true});
    }
}

void list_cuts(const struct nnefc_model *model, struct list *list)
{
    for (int i = 0; i < model->open.ncut; i++)
        LIST_ADD(list, model->open.cuts[i]);
}

void report_unknown_items(const struct nnefc_model *model, const char *what)
{
    const struct loaded_open *open = &model->open;
    const char *file = model->onnx.options.file;
    struct diag *diag = model->context->diag;

    if (open->ncut > 0)
        diag_file_error(diag, file, DIAG_ONNX_UNKNOWN,
                        "the model is no single graph, and cannot be %s: %s: %s", what,
                        open->cuts[0].place, open->cuts[0].why);
    for (int i = 0; i < open->interface->ninput; i++) {
        const char *name = open->interface->inputs[i].name;
        if (!deciding_has(&open->deciding, name))
            continue;
        diag_file_error(diag, file, DIAG_ONNX_UNKNOWN,
                        "input '%s' decides what the graph is, and its items are not known", name);
        diag_help(diag, "give them with --bind '%s=FILE'.", name);
    }
}

bool graph_is_there(const struct nnefc_model *model, const char *what)
{
    const struct loaded_open *open = &model->open;

    if (model->graph)
        return true;
    if (!open->interface)
        return misuse(model, "a model that is not loaded cannot be %s", what);
    report_unknown_items(model, what);
    for (int i = 0; i < open->interface->ninput; i++) {
        const struct shape *shape = open->interface->inputs[i].value->shape;
        if (!shape_known(shape))
            open_report(model->context, model->onnx.options.file, &open->inputs[i], shape);
    }
    return false;
}

/* The extent of that name in an input that has one; EXTENT_UNKNOWN: nobody tells. */
static int64_t extent_by_name(const struct nnefc_run *run, const char *name)
{
    const struct loaded_open *open = &run->model->open;

    for (int i = 0; name && i < open->interface->ninput; i++) {
        const struct shape *fed =
            run_has_input(run->run, i) ? &run_input(run->run, i)->shape : NULL;
        for (int k = 0; fed && k < open->inputs[i].rank && k < fed->rank; k++)
            if (open->inputs[i].dim[k].name && strcmp(open->inputs[i].dim[k].name, name) == 0)
                return fed->extent[k];
    }
    return EXTENT_UNKNOWN;
}

void open_extents(const struct nnefc_run *run, int index, struct shape *shape)
{
    const struct nnefc_model *model = run->model;

    *shape = *model_interface(model)->inputs[index].value->shape;
    for (int k = 0; k < shape->rank && model->open.interface; k++)
        if (shape->extent[k] == EXTENT_UNKNOWN)
            shape->extent[k] = extent_by_name(run, model->open.inputs[index].dim[k].name);
}

bool open_shape(const struct nnefc_run *run, int index, struct shape *shape)
{
    const struct loaded_open *open = &run->model->open;

    open_extents(run, index, shape);
    if (shape_known(shape))
        return true;
    const struct open_input input =
        open->interface ? open->inputs[index] : describe(&run->model->graph->inputs[index]);
    return open_report(run->model->context, NULL, &input, shape);
}

/* An extent that was fed and has a name. */
struct named_extent {
    const char *name, *input;
    int64_t extent;
};

/* All of them, in order; the caller frees them. */
static struct named_extent *named_extents(const struct nnefc_run *run, int *count)
{
    const struct loaded_open *open = &run->model->open;
    struct named_extent *found = NULL;

    *count = 0;
    for (int i = 0; i < open->interface->ninput; i++)
        for (int k = 0; run_has_input(run->run, i) && k < open->inputs[i].rank; k++)
            if (open->inputs[i].dim[k].name) {
                found = heap_list(found, *count, sizeof *found);
                found[(*count)++] =
                    (struct named_extent){open->inputs[i].dim[k].name, open->inputs[i].name,
                                          shape_extent(&run_input(run->run, i)->shape, k)};
            }
    return found;
}

bool open_names_agree(const struct nnefc_run *run)
{
    int count, first;
    struct named_extent *named = named_extents(run, &count);
    bool ok = true;

    for (int i = 0; i < count; i++) {
        for (first = 0; strcmp(named[first].name, named[i].name) != 0;)
            first++;
        if (named[first].extent != named[i].extent)
            ok = diag_file_error(run->model->context->diag, NULL, DIAG_DATA_SHAPE,
                                 "extent '%s' is %" PRId64 " in '%s', but %" PRId64 " in '%s'",
                                 named[i].name, named[first].extent, named[first].input,
                                 named[i].extent, named[i].input);
    }
    free(named);
    return ok;
}

void open_free(struct nnefc_model *model)
{
    remade_free(model);
    specials_free(model);
    free(model->open.opened);
    free(model->open.deciding.input);
    for (const struct part_info *p = model->open.parts; p; p = p->next)
        free(p->deciding->input);
    onnx_order_free(model->open.order);
    text_free(&model->open.key);
}
