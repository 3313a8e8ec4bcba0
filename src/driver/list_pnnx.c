/* list_pnnx.c - nnefc list of a model of PNNX: the operators and operands of its text */
#include "driver/list.h"

#include <math.h>

static const struct view pnnx_view = {.text = "{type} {name}\n", .json = JSON_DOUBLES};

/* --- values ----------------------------------------------------------------------------------- */

/* Lists are not nested.  JSON has no number that is infinite or none. */
static void add_value(struct record *to, const char *key, const struct nnefc_pnnx_value *value)
{
    struct record *part;

    switch (nnefc_pnnx_value_kind(value)) {
    case NNEFC_PNNX_LOGICAL:
        record_bool(to, key, nnefc_pnnx_value_integer(value));
        return;
    case NNEFC_PNNX_INTEGER:
        record_integer(to, key, nnefc_pnnx_value_integer(value));
        return;
    case NNEFC_PNNX_REAL:
        if (isfinite(nnefc_pnnx_value_real(value)))
            record_real(to, key, nnefc_pnnx_value_real(value));
        else
            record_text(to, key, nnefc_pnnx_value_text(value));
        return;
    case NNEFC_PNNX_COMPLEX:
        part = record_object(to, key);
        record_real(part, "real", nnefc_pnnx_value_real(value));
        record_real(part, "imaginary", nnefc_pnnx_value_imaginary(value));
        return;
    case NNEFC_PNNX_TEXT:
        record_text(to, key, nnefc_pnnx_value_text(value));
        return;
    case NNEFC_PNNX_LIST:
        part = record_list(to, key);
        for (const struct nnefc_pnnx_value *v = nnefc_pnnx_value_first(value); v;
             v = nnefc_pnnx_value_next(v))
            add_value(part, NULL, v);
        return;
    case NNEFC_PNNX_NONE:
        break;
    }
    record_null(to, key);
}

/* Extents are 3, "?" or "%height". */
static void add_shape(struct record *to, const struct nnefc_pnnx_shape *shape)
{
    int rank = nnefc_pnnx_shape_rank(shape);
    struct record *extents = rank == NNEFC_UNKNOWN ? NULL : record_list(to, "shape");

    if (rank == NNEFC_UNKNOWN)
        record_null(to, "shape");
    for (int i = 0; i < rank; i++) {
        struct nnefc_pnnx_extent extent = nnefc_pnnx_shape_extent(shape, i);
        if (extent.extent != NNEFC_UNKNOWN)
            record_integer(extents, NULL, extent.extent);
        else if (extent.symbol)
            record_print_to(extents, NULL, "%%%s", extent.symbol);
        else
            record_text(extents, NULL, "?");
    }
    record_text(to, "type", nnefc_pnnx_shape_type(shape));
}

/* --- operators and operands ------------------------------------------------------------------- */

static struct record *operator_record(struct nnefc_model *model, int index)
{
    struct nnefc_pnnx_operator op = nnefc_pnnx_operator(model, index);
    struct record *record = record_new_object();

    record_text(record, "type", op.type);
    record_text(record, "name", op.name);
    record_integer(record, "line", op.line);
    struct record *inputs = record_list(record, "inputs");
    struct record *arguments = record_list(record, "arguments");
    struct record *outputs = record_list(record, "outputs");
    for (int i = 0; i < op.input_count; i++) {
        struct nnefc_pnnx_port input = nnefc_pnnx_input(model, index, i);
        record_text(inputs, NULL, nnefc_pnnx_operand(model, input.operand).name);
        record_text(arguments, NULL, input.argument);
    }
    for (int i = 0; i < op.output_count; i++) {
        struct nnefc_pnnx_port output = nnefc_pnnx_output(model, index, i);
        record_text(outputs, NULL, nnefc_pnnx_operand(model, output.operand).name);
    }
    struct record *params = record_object(record, "params");
    for (int i = 0; i < op.parameter_count; i++) {
        struct nnefc_pnnx_parameter parameter = nnefc_pnnx_parameter(model, index, i);
        add_value(params, parameter.key, parameter.value);
    }
    struct record *attributes = record_object(record, "attributes");
    for (int i = 0; i < op.attribute_count; i++) {
        struct nnefc_pnnx_attribute attribute = nnefc_pnnx_attribute(model, index, i);
        add_shape(record_object(attributes, attribute.name), attribute.shape);
    }
    return record;
}

static struct record *operand_record(struct nnefc_model *model, int index)
{
    struct nnefc_pnnx_operand operand = nnefc_pnnx_operand(model, index);
    struct record *record = record_new_object();

    record_text(record, "name", operand.name);
    record_integer(record, "producer", operand.producer);
    record_integer(record, "port", operand.port);
    struct record *uses = record_list(record, "uses");
    for (int i = 0; i < operand.use_count; i++) {
        struct nnefc_pnnx_use use = nnefc_pnnx_use(model, index, i);
        struct record *item = record_object(uses, NULL);
        record_integer(item, "op", use.reader);
        record_integer(item, "input", use.input);
    }
    add_shape(record, operand.shape);
    return record;
}

bool list_pnnx(struct nnefc_model *model, enum form form)
{
    struct record_stream stream = {.form = form, .view = &pnnx_view};

    stream_begin(&stream, "ops");
    for (int i = 0; i < nnefc_pnnx_operator_count(model); i++)
        stream_add(&stream, operator_record(model, i));
    stream_end(&stream);
    if (form == FORM_JSON) {
        stream_begin(&stream, "values");
        for (int i = 0; i < nnefc_pnnx_operand_count(model); i++)
            stream_add(&stream, operand_record(model, i));
        stream_end(&stream);
    }
    return stream_close(&stream);
}
