/* list_pnnx.c - nnefc list of a model of PNNX: the operators of the file, and its operands */
#include "driver/list_pnnx.h"

#include "driver/json_build.h"
#include "driver/report.h"

#include <math.h>
#include <stdio.h>

void list_pnnx_text(struct nnefc_model *model)
{
    for (int i = 0; i < nnefc_pnnx_operator_count(model); i++) {
        struct nnefc_pnnx_operator op = nnefc_pnnx_operator(model, i);
        printf("%s %s\n", op.type, op.name);
    }
}

/* --- JSON: one object is made, printed and dropped after the other -------------------------- */

/* As many as any number that a file of PNNX has. */
enum { REAL_DIGITS = 15 };

static json_t *value_json(const struct nnefc_pnnx_value *value);

static json_t *items_json(const struct nnefc_pnnx_value *list)
{
    json_t *items = json_array();

    for (const struct nnefc_pnnx_value *v = nnefc_pnnx_value_first(list); v;
         v = nnefc_pnnx_value_next(v))
        json_add(&items, value_json(v));
    return items;
}

/* JSON has no number that is infinite or none. */
static json_t *real_json(const struct nnefc_pnnx_value *value)
{
    double real = nnefc_pnnx_value_real(value);

    return isfinite(real) ? json_real(real) : json_text(nnefc_pnnx_value_text(value));
}

/* Lists are not nested. */
static json_t *value_json(const struct nnefc_pnnx_value *value)
{
    switch (nnefc_pnnx_value_kind(value)) {
    case NNEFC_PNNX_LOGICAL:
        return json_boolean(nnefc_pnnx_value_integer(value));
    case NNEFC_PNNX_INTEGER:
        return json_integer(nnefc_pnnx_value_integer(value));
    case NNEFC_PNNX_REAL:
        return real_json(value);
    case NNEFC_PNNX_COMPLEX:
        return json_pack("{s:o, s:o}", "real", json_number(nnefc_pnnx_value_real(value)),
                         "imaginary", json_number(nnefc_pnnx_value_imaginary(value)));
    case NNEFC_PNNX_TEXT:
        return json_text(nnefc_pnnx_value_text(value));
    case NNEFC_PNNX_LIST:
        return items_json(value);
    case NNEFC_PNNX_NONE:
        break;
    }
    return json_null();
}

/* 3, "?", "%height" */
static json_t *extent_json(struct nnefc_pnnx_extent extent)
{
    if (extent.extent != NNEFC_UNKNOWN)
        return json_integer(extent.extent);
    if (!extent.symbol)
        return json_string("?");
    json_t *symbol = json_text(extent.symbol);
    json_t *text = symbol ? json_sprintf("%%%s", json_string_value(symbol)) : NULL;
    json_decref(symbol);
    return text;
}

/* Under a key from the file, which may have bytes that are no UTF-8. */
static void set_named(json_t **object, const char *name, json_t *item)
{
    json_t *key = json_text(name);

    json_set(object, json_string_value(key), item);
    json_decref(key);
}

static void set_shape(json_t **object, const struct nnefc_pnnx_shape *shape)
{
    int rank = nnefc_pnnx_shape_rank(shape);
    json_t *extents = rank == NNEFC_UNKNOWN ? json_null() : json_array();

    for (int i = 0; i < rank; i++)
        json_add(&extents, extent_json(nnefc_pnnx_shape_extent(shape, i)));
    json_set(object, "shape", extents);
    json_set(object, "type", json_text(nnefc_pnnx_shape_type(shape)));
}

static void set_ports(json_t **object, struct nnefc_model *model, int index)
{
    struct nnefc_pnnx_operator op = nnefc_pnnx_operator(model, index);
    json_t *inputs = json_array(), *arguments = json_array(), *outputs = json_array();

    for (int i = 0; i < op.input_count; i++) {
        struct nnefc_pnnx_port input = nnefc_pnnx_input(model, index, i);
        json_add(&inputs, json_text(nnefc_pnnx_operand(model, input.operand).name));
        json_add(&arguments, json_text(input.argument));
    }
    for (int i = 0; i < op.output_count; i++) {
        struct nnefc_pnnx_port output = nnefc_pnnx_output(model, index, i);
        json_add(&outputs, json_text(nnefc_pnnx_operand(model, output.operand).name));
    }
    json_set(object, "inputs", inputs);
    json_set(object, "arguments", arguments);
    json_set(object, "outputs", outputs);
}

static json_t *params_json(struct nnefc_model *model, int index, int count)
{
    json_t *object = json_object();

    for (int i = 0; i < count; i++) {
        struct nnefc_pnnx_parameter parameter = nnefc_pnnx_parameter(model, index, i);
        set_named(&object, parameter.key, value_json(parameter.value));
    }
    return object;
}

static json_t *attributes_json(struct nnefc_model *model, int index, int count)
{
    json_t *object = json_object();

    for (int i = 0; i < count; i++) {
        struct nnefc_pnnx_attribute attribute = nnefc_pnnx_attribute(model, index, i);
        json_t *type = json_object();
        set_shape(&type, attribute.shape);
        set_named(&object, attribute.name, type);
    }
    return object;
}

static json_t *operator_json(struct nnefc_model *model, int index)
{
    struct nnefc_pnnx_operator op = nnefc_pnnx_operator(model, index);
    json_t *object = json_pack("{s:o, s:o, s:i}", "type", json_text(op.type), "name",
                               json_text(op.name), "line", op.line);

    set_ports(&object, model, index);
    json_set(&object, "params", params_json(model, index, op.parameter_count));
    json_set(&object, "attributes", attributes_json(model, index, op.attribute_count));
    return object;
}

static json_t *operand_json(struct nnefc_model *model, int index)
{
    struct nnefc_pnnx_operand operand = nnefc_pnnx_operand(model, index);
    json_t *object = json_pack("{s:o, s:i, s:i}", "name", json_text(operand.name), "producer",
                               operand.producer, "port", operand.port);
    json_t *uses = json_array();

    for (int i = 0; i < operand.use_count; i++) {
        struct nnefc_pnnx_use use = nnefc_pnnx_use(model, index, i);
        json_add(&uses, json_pack("{s:i, s:i}", "op", use.reader, "input", use.input));
    }
    json_set(&object, "uses", uses);
    set_shape(&object, operand.shape);
    return object;
}

/* An array, an item a line. */
static bool print_array(const char *key, struct nnefc_model *model, int count,
                        json_t *(*item)(struct nnefc_model *model, int index))
{
    bool ok = true;

    printf("  \"%s\": [", key);
    for (int i = 0; i < count && ok; i++) {
        json_t *object = item(model, i);
        fputs(i ? ",\n    " : "\n    ", stdout);
        ok = object && json_dumpf(object, stdout, JSON_REAL_PRECISION(REAL_DIGITS)) == 0;
        json_decref(object);
    }
    fputs("\n  ]", stdout);
    return ok;
}

bool list_pnnx_json(struct nnefc_model *model)
{
    puts("{");
    bool ok = print_array("ops", model, nnefc_pnnx_operator_count(model), operator_json);
    puts(",");
    ok = ok && print_array("values", model, nnefc_pnnx_operand_count(model), operand_json);
    puts("\n}");
    return ok;
}
