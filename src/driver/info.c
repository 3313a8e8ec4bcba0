/* info.c - nnefc info: what a model is, what it consists of and what it costs */
#include "driver/info.h"

#include "driver/amount.h"
#include "driver/load.h"
#include "driver/typed.h"
#include "driver/verb.h"

#include <inttypes.h>
#include <stdio.h>

bool info_is_provisional(const struct nnefc_identity *identity)
{
    return identity->dialect == NNEFC_DIALECT_PROVISIONAL;
}

/* Those that are made of a model of NNEF have none. */
static bool info_has_nodes(const struct nnefc_model *model)
{
    enum nnefc_format format = nnefc_model_identity(model).format;

    return format == NNEFC_FORMAT_ONNX || format == NNEFC_FORMAT_PNNX;
}

/* --- where it comes from --------------------------------------------------------------- */

static void print_nnef(struct nnefc_model *model, const struct nnefc_identity *identity)
{
    printf("version %s%s\n", identity->version,
           info_is_provisional(identity) ? " provisional" : "");
    for (int i = 0; i < nnefc_model_extension_count(model); i++)
        printf("extension %s\n", nnefc_model_extension(model, i));
}

static void print_onnx(struct nnefc_model *model, const struct nnefc_identity *identity)
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

static void print_pnnx(struct nnefc_model *model, const struct nnefc_identity *identity)
{
    (void)model;
    printf("operators %d\noperands %d\nattributes %d\n", identity->operators, identity->operands,
           identity->attributes);
}

static void print_identity(struct nnefc_model *model)
{
    struct nnefc_identity identity = nnefc_model_identity(model);

    printf("format %s\n", nnefc_format_name(identity.format));
    if (identity.format == NNEFC_FORMAT_ONNX)
        print_onnx(model, &identity);
    else if (identity.format == NNEFC_FORMAT_PNNX)
        print_pnnx(model, &identity);
    else if (identity.format == NNEFC_FORMAT_NNEF)
        print_nnef(model, &identity);
}

/* --- what it consists of ---------------------------------------------------------------- */

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

/* `what` and the number of all, then of each kind. */
static void print_kinds(struct nnefc_model *model, const char *what, int count, kind_at at)
{
    int64_t sum = 0;

    for (int i = 0; i < count; i++)
        sum += at(model, i).count;
    printf("%s %" PRId64 "\n", what, sum);
    for (int i = 0; i < count; i++) {
        struct nnefc_operator kind = at(model, i);
        printf("    %s %d\n", kind.operation, kind.count);
    }
}

/* --- what it costs ----------------------------------------------------------------------- */

static void print_cost(struct nnefc_model *model)
{
    struct nnefc_cost cost = nnefc_model_cost(model);

    amount_print("parameters", cost.parameters, AMOUNT_TENSORS);
    amount_print("parameter_items", cost.parameter_items, AMOUNT_COUNT);
    amount_print("parameter_bytes", cost.parameter_bytes, AMOUNT_BYTES);
    amount_print("macs", cost.macs, AMOUNT_COUNT);
    amount_print("peak_bytes", cost.peak_bytes, AMOUNT_BYTES);
}

static void print_packed(const struct nnefc_model *model)
{
    struct nnefc_packed packed = nnefc_model_packed(model);

    if (packed.count == 0)
        return;
    amount_print("packed_parameters", packed.count, AMOUNT_TENSORS);
    amount_print("packed_bytes", packed.bytes, AMOUNT_BYTES);
    printf("packed_for %s%s\n", packed.kernels, packed.fits ? "" : " (not used here)");
}

static void print_text(struct nnefc_model *model)
{
    print_identity(model);
    if (nnefc_model_name(model))
        print_interface(model);
    else
        print_declared(model);
    if (info_has_nodes(model))
        print_kinds(model, "nodes", nnefc_model_node_type_count(model), nnefc_model_node_type);
    if (!nnefc_model_name(model))
        return;
    print_kinds(model, "operations", nnefc_model_operator_count(model), nnefc_model_operator);
    print_cost(model);
    print_packed(model);
}

/* --- the command -------------------------------------------------------------------------------- */

/* Whether there is anything to say: of a text with errors only these matter. */
static bool can_tell(const struct nnefc_model *model)
{
    return nnefc_model_name(model) || info_has_nodes(model);
}

enum nnefc_status info_run(const struct settings *settings)
{
    struct nnefc_model *model = prepare_model(settings);

    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_INFORM);
    load_prepared(settings, model);
    enum nnefc_status status = nnefc_model_status(model);
    bool ok = true;

    print_diagnostics(settings, model);
    if (can_tell(model) && settings->json)
        ok = info_print_json(model);
    else if (can_tell(model))
        print_text(model);
    close_model(settings, model);
    return ok ? status : NNEFC_INTERNAL;
}
