/* info_json.c - what a model is, consists of and costs, for programs */
#include "driver/info.h"
#include "driver/json_build.h"
#include "driver/report.h"
#include "driver/typed.h"

/* --- where it comes from --------------------------------------------------------------------- */

static json_t *amount_json(int64_t amount)
{
    return amount == NNEFC_UNKNOWN ? json_null() : json_integer(amount);
}

static json_t *kinds_json(struct nnefc_model *model, int count, kind_at at)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        struct nnefc_operator kind = at(model, i);
        json_add(&list, json_pack("{s:o, s:i}", "operation", json_text(kind.operation), "count",
                                  kind.count));
    }
    return list;
}

static void set_nnef(json_t **object, struct nnefc_model *model,
                     const struct nnefc_identity *identity)
{
    json_t *extensions = json_array();

    for (int i = 0; i < nnefc_model_extension_count(model); i++)
        json_add(&extensions, json_text(nnefc_model_extension(model, i)));
    json_set(object, "version", json_string(identity->version));
    json_set(object, "dialect", json_string(info_is_provisional(identity) ? "provisional" : "1.0"));
    json_set(object, "extensions", extensions);
}

static void set_onnx(json_t **object, struct nnefc_model *model,
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
    json_set(object, "nodes",
             kinds_json(model, nnefc_model_node_type_count(model), nnefc_model_node_type));
}

static void set_pnnx(json_t **object, struct nnefc_model *model,
                     const struct nnefc_identity *identity)
{
    json_set(object, "operators", json_integer(identity->operators));
    json_set(object, "operands", json_integer(identity->operands));
    json_set(object, "attributes", json_integer(identity->attributes));
    json_set(object, "nodes",
             kinds_json(model, nnefc_model_node_type_count(model), nnefc_model_node_type));
}

/* --- what it consists of, and what it costs ----------------------------------------------------- */

static json_t *ports_json(const struct nnefc_model *model, int count, name_at name, type_at type)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        struct nnefc_type of_port = type(model, i);
        json_add(&list, json_typed(name(model, i), &of_port));
    }
    return list;
}

static void set_packed(json_t **object, const struct nnefc_model *model)
{
    struct nnefc_packed packed = nnefc_model_packed(model);

    if (packed.count > 0)
        json_set(object, "packed",
                 json_pack("{s:i, s:I, s:o, s:b}", "tensors", packed.count, "bytes",
                           (json_int_t)packed.bytes, "kernels", json_text(packed.kernels), "fits",
                           packed.fits));
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
    json_set(object, "operators",
             kinds_json(model, nnefc_model_operator_count(model), nnefc_model_operator));
    json_set(object, "parameters",
             json_pack("{s:I, s:I, s:I}", "tensors", (json_int_t)cost.parameters, "items",
                       (json_int_t)cost.parameter_items, "bytes",
                       (json_int_t)cost.parameter_bytes));
    json_set(object, "macs", amount_json(cost.macs));
    set_packed(object, model);
    json_set(object, "peakBytes", amount_json(cost.peak_bytes));
}

/* --- what can be told of a model that cannot be loaded ------------------------------------------- */

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

/* --- the object ---------------------------------------------------------------------------------- */

bool info_print_json(struct nnefc_model *model)
{
    struct nnefc_identity identity = nnefc_model_identity(model);
    json_t *object = json_pack("{s:s}", "format", nnefc_format_name(identity.format));

    if (identity.format == NNEFC_FORMAT_ONNX)
        set_onnx(&object, model, &identity);
    else if (identity.format == NNEFC_FORMAT_PNNX)
        set_pnnx(&object, model, &identity);
    else if (identity.format == NNEFC_FORMAT_NNEF)
        set_nnef(&object, model, &identity);
    if (nnefc_model_name(model))
        set_graph(&object, model);
    else
        set_declared(&object, model);
    return json_print(object, JSON_INDENT(2));
}
