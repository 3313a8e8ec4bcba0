/*
 * info.c - nnefc info: the format, the interface, the operators and the costs of a model
 *
 * Lines of text begin with a word that a script can look for; JSON has the same in camel case.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>

/* A parameter or result.  If the model cannot be loaded, the file's declaration is printed. */
#define PORT_LAYOUT "    {name} {declared?{declared}}{declared!{type}{shape:shape}}\n"

static const struct view info_view = {
    .text = "format {format}\n"
            "{version?version {version}{.provisional? provisional}\n}"
            "{extensions*extension {}\n}"
            "{irVersion?ir_version {irVersion}\n}"
            "{producer?producer {producer}{producerVersion? {producerVersion}}\n}"
            "{opsets*opset {domain} {version}\n}"
            "{operands?operators {.operators}\noperands {operands}\nattributes {attributes}\n}"
            "{.loaded?graph {graph}\n}"
            "{open*open {input}{axis?:{axis}}{name? {name}}{decides? decides}\n}" CUTS_LAYOUT
            "inputs {inputs:#}\n{inputs*" PORT_LAYOUT "}"
            "outputs {outputs:#}\n{outputs*" PORT_LAYOUT "}"
            "{.nodes?nodes {.nodes}\n{nodes*    {operation} {count}\n}}"
            "{.made?operations {operations}\n{operators*    {operation} {count}\n}"
            "{parameters*parameters {tensors}\n"
            "parameter_items {items:amount}\nparameter_bytes {bytes:bytes}\n}"
            "macs {macs:amount}\npeak_bytes {peakBytes:bytes}\n"
            "{packed*packed_parameters {tensors}\npacked_bytes {bytes:bytes}\n"
            "packed_for {kernels}{fits! (not used here)}\n}}",
    .json = JSON_LINES,
};

/* --- the file ---------------------------------------------------------------------- */

/* Operators of the file or of the graph, with their counts; returns the sum of these. */
static int64_t add_kinds(struct record *to, const char *key,
                         const struct nnefc_operator_list *kinds)
{
    struct record *list = record_list(to, key);
    int64_t sum = 0;

    for (int i = 0; i < kinds->count; i++) {
        struct record *item = record_object(list, NULL);
        record_text(item, "operation", kinds->at[i]->operation);
        record_integer(item, "count", kinds->at[i]->count);
        sum += kinds->at[i]->count;
    }
    return sum;
}

/* The version of the format, who wrote the file, and the operators as the file names them. */
static void add_identity(struct record *to, struct nnefc_model *model)
{
    const struct nnefc_identity *identity = nnefc_model_identity(model);
    bool provisional = identity->dialect == NNEFC_DIALECT_PROVISIONAL;

    record_text(to, "format", nnefc_format_name(identity->format));
    if (identity->format == NNEFC_FORMAT_NNEF) {
        record_text(to, "version", identity->version);
        record_text(to, "dialect", provisional ? "provisional" : "1.0");
        record_bool(to, ".provisional", provisional);
        struct record *extensions = record_list(to, "extensions");
        for (int i = 0; i < nnefc_model_extensions(model)->count; i++)
            record_text(extensions, NULL, nnefc_model_extensions(model)->at[i]->name);
    } else if (identity->format == NNEFC_FORMAT_ONNX) {
        record_integer(to, "irVersion", identity->ir_version);
        record_text(to, "producer", identity->producer);
        record_text(to, "producerVersion", identity->producer_version);
        struct record *opsets = record_list(to, "opsets");
        for (int i = 0; i < nnefc_model_opsets(model)->count; i++) {
            const struct nnefc_opset *opset = nnefc_model_opsets(model)->at[i];
            struct record *item = record_object(opsets, NULL);
            record_text(item, "domain", opset->domain);
            record_integer(item, "version", opset->version);
        }
    } else if (identity->format == NNEFC_FORMAT_PNNX) {
        /* The member "operators" of the graph replaces this one if the model can be computed. */
        record_integer(to, "operators", identity->operators);
        record_integer(to, ".operators", identity->operators);
        record_integer(to, "operands", identity->operands);
        record_integer(to, "attributes", identity->attributes);
    }
    if (identity->format == NNEFC_FORMAT_ONNX || identity->format == NNEFC_FORMAT_PNNX)
        record_integer(to, ".nodes", add_kinds(to, "nodes", nnefc_model_node_types(model)));
}

/* --- the graph --------------------------------------------------- */

/* Inputs or outputs, with their types. */
static void add_ports(struct record *to, const char *key, const struct nnefc_port_list *ports)
{
    struct record *list = record_list(to, key);

    for (int i = 0; i < ports->count; i++) {
        struct record *item = record_object(list, NULL);
        record_text(item, "name", ports->at[i]->name);
        record_type(item, &ports->at[i]->type);
    }
}

/* Inputs or outputs of a model that cannot be loaded, as the file declares them. */
static void add_declared(struct record *to, const char *key,
                         const struct nnefc_declared_list *ports)
{
    struct record *list = record_list(to, key);

    for (int i = 0; i < ports->count; i++) {
        struct record *item = record_object(list, NULL);
        record_text(item, "name", ports->at[i]->name);
        record_text(item, "declared", ports->at[i]->type);
    }
}

/* The graph that a model becomes, and what a run of it costs. */
static void add_graph(struct record *to, struct nnefc_model *model)
{
    const struct nnefc_cost *cost = nnefc_model_cost(model);
    const struct nnefc_packed *packed = nnefc_model_packed(model);

    assert(packed->count >= 0);
    record_bool(to, ".loaded", true);
    record_text(to, "graph", nnefc_model_name(model));
    add_ports(to, "inputs", nnefc_model_inputs(model));
    add_ports(to, "outputs", nnefc_model_outputs(model));
    int operations = nnefc_model_operations(model)->count;
    record_bool(to, ".made", operations > 0);
    if (operations == 0) /* an open model has none until there are inputs */
        return;
    record_integer(to, "operations", operations);
    add_kinds(to, "operators", nnefc_model_operators(model));
    struct record *parameters = record_object(to, "parameters");
    record_integer(parameters, "tensors", cost->parameters);
    record_integer(parameters, "items", cost->parameter_items);
    record_integer(parameters, "bytes", cost->parameter_bytes);
    record_known(to, "macs", cost->macs);
    if (packed->count > 0) {
        struct record *item = record_object(to, "packed");
        record_integer(item, "tensors", packed->count);
        record_integer(item, "bytes", packed->bytes);
        record_text(item, "kernels", packed->kernels);
        record_bool(item, "fits", packed->fits);
    }
    record_known(to, "peakBytes", cost->peak_bytes);
}

/* What a model leaves open: each shape of its inputs makes a graph of its own.  Where it is cut. */
static void add_open(struct record *to, struct nnefc_model *model)
{
    const struct nnefc_open_list *open = nnefc_model_open(model);
    struct record *list = open->count > 0 ? record_list(to, "open") : NULL;

    for (int i = 0; i < open->count; i++) {
        const struct nnefc_open *o = open->at[i];
        struct record *item = record_object(list, NULL);
        record_text(item, "input", nnefc_model_inputs(model)->at[o->input]->name);
        if (o->axis != NNEFC_UNKNOWN)
            record_integer(item, "axis", o->axis);
        if (o->name)
            record_text(item, "name", o->name);
        record_bool(item, "decides", o->decides);
    }
    record_cuts(to, model);
}

/* --- the command ------------------------------------------------------------------------------ */

struct info_settings {
    struct command command;
    struct loading loading;
};

static enum nnefc_status info_run(const void *settings)
{
    const struct info_settings *s = settings;

    if (!loading_agrees(&s->command, &s->loading))
        return NNEFC_USAGE;
    struct loading loading = s->loading;
    loading.keeps_open = true;
    struct nnefc_model *model = prepare_model(&loading);
    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_INFORM);
    load_prepared(&loading, model, s->command.operand[0]);
    enum nnefc_status status = loaded_status(&s->command, model);
    enum nnefc_format format = nnefc_model_identity(model)->format;
    bool loaded = nnefc_model_name(model);

    report_model(&s->command, model);
    /* A text of NNEF with errors has diagnostics only; other formats have declarations at least. */
    if (status != NNEFC_USAGE &&
        (loaded || format == NNEFC_FORMAT_ONNX || format == NNEFC_FORMAT_PNNX)) {
        struct record *record = record_new_object();
        add_identity(record, model);
        if (loaded)
            add_open(record, model);
        /* A model of ONNX or PNNX has no graph while it is open. */
        if (loaded && (format == NNEFC_FORMAT_NNEF || nnefc_model_open(model)->count == 0)) {
            add_graph(record, model);
        } else {
            add_declared(record, "inputs", nnefc_model_declared_inputs(model));
            add_declared(record, "outputs", nnefc_model_declared_outputs(model));
        }
        record_print(record, s->command.form, &info_view);
    }
    close_model(&s->command, model);
    return status;
}

static const struct option info_options[] = {
    FORM_OPTION("--json", FORM_JSON, "print it as JSON"),
    {0},
};

const struct verb info_verb = {
    .name = "info",
    .purpose = "print the format of a model, its parts and its costs",
    .examples = "  nnefc info model.onnx                       format, interface, operators, "
                "parameters, MACs\n"
                "  nnefc info model/ --json                    the same for programs\n"
                "  nnefc info model.onnx | grep '^opset'       versions of the operator sets that "
                "it uses\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(info, {.loading = LOADING_DEFAULTS}),
    .groups = {{info_options, 0, NULL}, MODEL_GROUPS(info)},
    .run = info_run,
};
