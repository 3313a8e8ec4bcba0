/* info.c - nnefc info: what a model is, what it consists of and what it costs */
#include "driver/json_build.h"
#include "driver/load.h"
#include "driver/report.h"
#include "driver/typed.h"
#include "driver/verb.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct nnefc_type (*type_at)(const struct nnefc_model *model, int index);
typedef const char *(*name_at)(const struct nnefc_model *model, int index);

static bool is_provisional(const struct nnefc_identity *identity)
{
    return identity->dialect == NNEFC_DIALECT_PROVISIONAL;
}

/* --- text: where it comes from --------------------------------------------------------------- */

static void print_nnef(const struct nnefc_model *model, const struct nnefc_identity *identity)
{
    printf("version %s%s\n", identity->version, is_provisional(identity) ? " provisional" : "");
    for (int i = 0; i < nnefc_model_extension_count(model); i++)
        printf("extension %s\n", nnefc_model_extension(model, i));
}

static void print_onnx(const struct nnefc_model *model, const struct nnefc_identity *identity)
{
    printf("ir_version %" PRId64 "\n", identity->ir_version);
    if (*identity->producer)
        printf("producer %s%s%s\n", identity->producer, *identity->producer_version ? " " : "",
               identity->producer_version);
    for (int i = 0; i < nnefc_model_opset_count(model); i++) {
        struct nnefc_opset opset = nnefc_model_opset(model, i);
        printf("opset %s %" PRId64 "\n", opset.domain, opset.version);
    }
}

static void print_identity(const struct nnefc_model *model)
{
    struct nnefc_identity identity = nnefc_model_identity(model);

    printf("format %s\n", nnefc_format_name(identity.format));
    if (identity.format == NNEFC_FORMAT_ONNX)
        print_onnx(model, &identity);
    else
        print_nnef(model, &identity);
}

/* --- text: what it consists of ---------------------------------------------------------------- */

static void print_ports(const struct nnefc_model *model, int count, name_at name, type_at type)
{
    for (int i = 0; i < count; i++) {
        struct nnefc_type of_port = type(model, i);
        printf("    %s ", name(model, i));
        print_type(&of_port);
        putchar('\n');
    }
}

static void print_interface(const struct nnefc_model *model)
{
    int inputs = nnefc_model_input_count(model), outputs = nnefc_model_output_count(model);

    printf("graph %s\ninputs %d\n", nnefc_model_name(model), inputs);
    print_ports(model, inputs, nnefc_model_input_name, nnefc_model_input_type);
    printf("outputs %d\n", outputs);
    print_ports(model, outputs, nnefc_model_output_name, nnefc_model_output_type);
}

/* What can be told of a model that cannot be loaded. */
static void print_declared(struct nnefc_model *model)
{
    int inputs = nnefc_model_declared_input_count(model);
    int outputs = nnefc_model_declared_output_count(model);

    printf("inputs %d\n", inputs);
    for (int i = 0; i < inputs; i++) {
        struct nnefc_declared port = nnefc_model_declared_input(model, i);
        printf("    %s %s\n", port.name, port.type);
    }
    printf("outputs %d\n", outputs);
    for (int i = 0; i < outputs; i++) {
        struct nnefc_declared port = nnefc_model_declared_output(model, i);
        printf("    %s %s\n", port.name, port.type);
    }
}

static void print_operators(struct nnefc_model *model)
{
    printf("operations %d\n", nnefc_model_operation_count(model));
    for (int i = 0; i < nnefc_model_operator_count(model); i++) {
        struct nnefc_operator kind = nnefc_model_operator(model, i);
        printf("    %s %d\n", kind.operation, kind.count);
    }
}

/* --- text: what it costs ----------------------------------------------------------------------- */

struct unit {
    double size;
    const char *name;
};

/* "12345678 (12.3 M)" */
static void print_amount(const char *what, int64_t amount, const struct unit *units)
{
    printf("%s ", what);
    if (amount == NNEFC_UNKNOWN) {
        puts("unknown");
        return;
    }
    printf("%" PRId64, amount);
    while (units->name && (double)amount < units->size)
        units++;
    if (units->name)
        printf(" (%.1f %s)", (double)amount / units->size, units->name);
    putchar('\n');
}

static void print_cost(struct nnefc_model *model)
{
    static const struct unit counts[] = {
        {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {0, NULL}};
    static const struct unit bytes[] = {{1099511627776.0, "TiB"},
                                        {1073741824.0, "GiB"},
                                        {1048576.0, "MiB"},
                                        {1024.0, "KiB"},
                                        {0, NULL}};
    struct nnefc_cost cost = nnefc_model_cost(model);

    print_amount("parameters", cost.parameters, &counts[4]);
    print_amount("parameter_items", cost.parameter_items, counts);
    print_amount("parameter_bytes", cost.parameter_bytes, bytes);
    print_amount("macs", cost.macs, counts);
    print_amount("peak_bytes", cost.peak_bytes, bytes);
}

static void print_text(struct nnefc_model *model)
{
    print_identity(model);
    if (!nnefc_model_name(model)) {
        print_declared(model);
        return;
    }
    print_interface(model);
    print_operators(model);
    print_cost(model);
}

/* --- JSON --------------------------------------------------------------------------------------- */

static json_t *amount_json(int64_t amount)
{
    return amount == NNEFC_UNKNOWN ? json_null() : json_integer(amount);
}

static void set_nnef(json_t **object, const struct nnefc_model *model,
                     const struct nnefc_identity *identity)
{
    json_t *extensions = json_array();

    for (int i = 0; i < nnefc_model_extension_count(model); i++)
        json_add(&extensions, json_text(nnefc_model_extension(model, i)));
    json_set(object, "version", json_string(identity->version));
    json_set(object, "dialect", json_string(is_provisional(identity) ? "provisional" : "1.0"));
    json_set(object, "extensions", extensions);
}

static void set_onnx(json_t **object, const struct nnefc_model *model,
                     const struct nnefc_identity *identity)
{
    json_t *opsets = json_array();

    for (int i = 0; i < nnefc_model_opset_count(model); i++) {
        struct nnefc_opset opset = nnefc_model_opset(model, i);
        json_add(&opsets, json_pack("{s:o, s:I}", "domain", json_text(opset.domain), "version",
                                    (json_int_t)opset.version));
    }
    json_set(object, "irVersion", json_integer(identity->ir_version));
    json_set(object, "producer", json_text(identity->producer));
    json_set(object, "producerVersion", json_text(identity->producer_version));
    json_set(object, "opsets", opsets);
}

static json_t *ports_json(const struct nnefc_model *model, int count, name_at name, type_at type)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        struct nnefc_type of_port = type(model, i);
        json_add(&list, json_typed(name(model, i), &of_port));
    }
    return list;
}

static json_t *operators_json(struct nnefc_model *model)
{
    json_t *list = json_array();

    for (int i = 0; i < nnefc_model_operator_count(model); i++) {
        struct nnefc_operator kind = nnefc_model_operator(model, i);
        json_add(&list, json_pack("{s:s, s:i}", "operation", kind.operation, "count", kind.count));
    }
    return list;
}

static void set_graph(json_t **object, struct nnefc_model *model)
{
    struct nnefc_cost cost = nnefc_model_cost(model);

    json_set(object, "graph", json_text(nnefc_model_name(model)));
    json_set(object, "inputs",
             ports_json(model, nnefc_model_input_count(model), nnefc_model_input_name,
                        nnefc_model_input_type));
    json_set(object, "outputs",
             ports_json(model, nnefc_model_output_count(model), nnefc_model_output_name,
                        nnefc_model_output_type));
    json_set(object, "operations", json_integer(nnefc_model_operation_count(model)));
    json_set(object, "operators", operators_json(model));
    json_set(object, "parameters",
             json_pack("{s:I, s:I, s:I}", "tensors", (json_int_t)cost.parameters, "items",
                       (json_int_t)cost.parameter_items, "bytes",
                       (json_int_t)cost.parameter_bytes));
    json_set(object, "macs", amount_json(cost.macs));
    json_set(object, "peakBytes", amount_json(cost.peak_bytes));
}

static json_t *declared_json(const struct nnefc_declared *port)
{
    return json_pack("{s:o, s:o}", "name", json_text(port->name), "declared",
                     json_text(port->type));
}

static void set_declared(json_t **object, struct nnefc_model *model)
{
    json_t *inputs = json_array(), *outputs = json_array();

    for (int i = 0; i < nnefc_model_declared_input_count(model); i++) {
        struct nnefc_declared port = nnefc_model_declared_input(model, i);
        json_add(&inputs, declared_json(&port));
    }
    for (int i = 0; i < nnefc_model_declared_output_count(model); i++) {
        struct nnefc_declared port = nnefc_model_declared_output(model, i);
        json_add(&outputs, declared_json(&port));
    }
    json_set(object, "inputs", inputs);
    json_set(object, "outputs", outputs);
}

static bool print_json(struct nnefc_model *model)
{
    struct nnefc_identity identity = nnefc_model_identity(model);
    json_t *object = json_pack("{s:s}", "format", nnefc_format_name(identity.format));

    if (identity.format == NNEFC_FORMAT_ONNX)
        set_onnx(&object, model, &identity);
    else
        set_nnef(&object, model, &identity);
    if (nnefc_model_name(model))
        set_graph(&object, model);
    else
        set_declared(&object, model);
    return json_print(object, JSON_INDENT(2));
}

/* --- the command -------------------------------------------------------------------------------- */

/* Whether there is anything to say: of a text with errors only these matter. */
static bool can_tell(const struct nnefc_model *model)
{
    return nnefc_model_name(model) || nnefc_model_identity(model).format == NNEFC_FORMAT_ONNX;
}

enum nnefc_status info_run(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);
    bool ok = true;

    print_diagnostics(settings, model);
    if (can_tell(model) && settings->json)
        ok = print_json(model);
    else if (can_tell(model))
        print_text(model);
    close_model(settings, model);
    return ok ? status : NNEFC_INTERNAL;
}
