/* list_pnnx.c - nnefc list of a model of PNNX: the operators and operands of its text */
#include "driver/list.h"
#include "driver/report.h"

#include <math.h>

static const struct view pnnx_view = {.text = "{type} {name}\n", .json = JSON_DOUBLES};

/* --- values ----------------------------------------------------------------------------------- */

/* Lists are not nested.  JSON has no number that is infinite or none. */
static void add_value(struct record *to, const char *key, const struct nnefc_pnnx_value *value)
{
    struct record *part;

    switch (value->kind) {
    case NNEFC_PNNX_LOGICAL:
        record_bool(to, key, value->integer);
        return;
    case NNEFC_PNNX_INTEGER:
        record_integer(to, key, value->integer);
        return;
    case NNEFC_PNNX_REAL:
        if (isfinite(value->real))
            record_real(to, key, value->real);
        else
            record_text(to, key, value->text);
        return;
    case NNEFC_PNNX_COMPLEX:
        part = record_object(to, key);
        record_real(part, "real", value->real);
        record_real(part, "imaginary", value->imaginary);
        return;
    case NNEFC_PNNX_TEXT:
        record_text(to, key, value->text);
        return;
    case NNEFC_PNNX_LIST:
        part = record_list(to, key);
        for (int i = 0; i < value->items->count; i++)
            add_value(part, NULL, value->items->at[i]);
        return;
    case NNEFC_PNNX_NONE:
        break;
    }
    record_null(to, key);
}

/* Extents are 3, "?" or "%height". */
static void add_shape(struct record *to, const struct nnefc_pnnx_shape *shape)
{
    struct record *extents = shape ? record_list(to, "shape") : NULL;

    if (!shape)
        record_null(to, "shape");
    for (int i = 0; shape && i < shape->extents->count; i++) {
        const struct nnefc_pnnx_extent *extent = shape->extents->at[i];
        if (extent->extent != NNEFC_UNKNOWN)
            record_integer(extents, NULL, extent->extent);
        else if (extent->symbol)
            record_print_to(extents, NULL, "%%%s", extent->symbol);
        else
            record_text(extents, NULL, "?");
    }
    record_text(to, "type", shape ? shape->type : NULL);
}

/* --- operators and operands ------------------------------------------------------------------- */

/* Layouts use type and name only; the others are for programs. */
static struct record *operator_record(const struct nnefc_pnnx_operator *op,
                                      const struct nnefc_pnnx_operand_list *operands)
{
    struct record *record = record_new_object();

    record_text(record, "type", op->type);
    record_text(record, "name", op->name);
    record_integer(record, "line", op->line);
    struct record *inputs = record_list(record, "inputs");
    struct record *arguments = record_list(record, "arguments");
    struct record *outputs = record_list(record, "outputs");
    for (int i = 0; i < op->inputs->count; i++) {
        const struct nnefc_pnnx_port *input = op->inputs->at[i];
        record_text(inputs, NULL, operands->at[input->operand]->name);
        record_text(arguments, NULL, input->argument);
    }
    for (int i = 0; i < op->outputs->count; i++)
        record_text(outputs, NULL, operands->at[op->outputs->at[i]->operand]->name);
    struct record *params = record_object(record, "params");
    for (int i = 0; i < op->parameters->count; i++)
        add_value(params, op->parameters->at[i]->key, op->parameters->at[i]->value);
    struct record *attributes = record_object(record, "attributes");
    for (int i = 0; i < op->attributes->count; i++) {
        const struct nnefc_pnnx_attribute *attribute = op->attributes->at[i];
        add_shape(record_object(attributes, attribute->name), attribute->shape);
    }
    return record;
}

/* The producer and the readers are operators, by their numbers. */
static struct record *operand_record(const struct nnefc_pnnx_operand *operand)
{
    struct record *record = record_new_object();

    record_text(record, "name", operand->name);
    record_integer(record, "producer", operand->producer);
    record_integer(record, "port", operand->port);
    struct record *uses = record_list(record, "uses");
    for (int i = 0; i < operand->uses->count; i++) {
        struct record *item = record_object(uses, NULL);
        record_integer(item, "op", operand->uses->at[i]->reader);
        record_integer(item, "input", operand->uses->at[i]->input);
    }
    add_shape(record, operand->shape);
    return record;
}

bool list_pnnx(struct nnefc_model *model, enum form form)
{
    const struct nnefc_pnnx_operator_list *operators = nnefc_pnnx_operators(model);
    const struct nnefc_pnnx_operand_list *operands = nnefc_pnnx_operands(model);
    struct record_stream stream = {.form = form, .view = &pnnx_view};

    check_memory(model);
    stream_begin(&stream, "ops");
    for (int i = 0; i < operators->count; i++)
        stream_add(&stream, operator_record(operators->at[i], operands));
    stream_end(&stream);
    if (form == FORM_JSON) {
        stream_begin(&stream, "values");
        for (int i = 0; i < operands->count; i++)
            stream_add(&stream, operand_record(operands->at[i]));
        stream_end(&stream);
    }
    return stream_close(&stream);
}
