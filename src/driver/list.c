/*
 * list.c - nnefc list: the operations of a model, one a line, or the text of a model of PNNX
 *
 * JSON has one a line, too.  It leaves out members that say nothing: what is unknown, the type of
 * scalars, type and shape of operands that are results, and that what has a label is a variable.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* One line: "concat y scalar[2,4] ([a, b]) from node 3". */
static const struct view list_view = {
    .text = "{operation}{results* {name:word} {.type}{shape:shape}}"
            " ({operands*{.further?, "
            "}{.opens?[}{name!{.name:word}}{name?{name:word}}{.closes?]}}){node? from {node}}\n",
    .json = JSON_DENSE,
};

/* The text of a model of PNNX; JSON has all digits of doubles. */
static const struct view pnnx_view = {.text = "{type} {name}\n", .json = JSON_DOUBLES};

static const char *const value_kinds[] = {[NNEFC_VALUE_RESULT] = "result",
                                          [NNEFC_VALUE_EXTERNAL] = "external",
                                          [NNEFC_VALUE_VARIABLE] = "variable",
                                          [NNEFC_VALUE_CONSTANT] = "constant"};

/* --- one operation ---------------------------------------------------------------------------- */

/* Nested no deeper than a text may be. */
static void add_datum(struct record *to, const char *key, const struct nnefc_datum *datum)
{
    switch (nnefc_datum_kind(datum)) {
    case NNEFC_DATUM_INTEGER:
        record_integer(to, key, nnefc_datum_integer(datum));
        return;
    case NNEFC_DATUM_SCALAR:
        record_real(to, key, nnefc_datum_scalar(datum));
        return;
    case NNEFC_DATUM_LOGICAL:
        record_bool(to, key, nnefc_datum_logical(datum));
        return;
    case NNEFC_DATUM_STRING:
        record_text(to, key, nnefc_datum_string(datum));
        return;
    case NNEFC_DATUM_ARRAY:
    case NNEFC_DATUM_TUPLE:
        to = record_list(to, key);
        for (int i = 0; i < nnefc_datum_count(datum); i++)
            add_datum(to, NULL, nnefc_datum_item(datum, i));
        return;
    case NNEFC_DATUM_NONE:
        break;
    }
    record_null(to, key);
}

/* The type of what is no scalar, and the shape. */
static void add_type(struct record *to, const struct nnefc_type *type)
{
    record_text(to, ".type", nnefc_dtype_name(type->dtype));
    if (type->dtype != NNEFC_SCALAR)
        record_text(to, "type", nnefc_dtype_name(type->dtype));
    record_shape(to, type);
}

/* A variable is told by its label, and by its identifier if it has another one. */
static void add_operand(struct record *to, const struct nnefc_value *value)
{
    bool told = value->label && (value->name[0] == '%' || strcmp(value->label, value->name) == 0);

    record_text(to, told ? ".name" : "name", value->name);
    if (value->producer >= 0) {
        record_integer(to, "producer", value->producer);
        if (value->port > 0)
            record_integer(to, "port", value->port);
    } else {
        add_type(to, &value->type);
        record_text(to, value->label ? "label" : "kind",
                    value->label ? value->label : value_kinds[value->kind]);
    }
    if (value->array)
        record_integer(to, "array", value->array);
}

/* Fragments of the model around an operation, if there are any: the outermost first. */
static void add_fragments(struct record *to, const struct nnefc_expansion *innermost)
{
    enum { MOST = 32 };
    const char *name[MOST];
    int count = 0;

    for (const struct nnefc_expansion *e = innermost; e; e = e->caller)
        if (!e->standard)
            name[count++ % MOST] = e->fragment;
    struct record *list = count ? record_list(to, "fragments") : NULL;
    for (int i = count; i > 0 && i > count - MOST; i--)
        record_text(list, NULL, name[(i - 1) % MOST]);
}

static struct record *operation_record(const struct nnefc_operation *o)
{
    struct record *record = record_new_object();

    assert(o->results->count > 0);
    record_text(record, "operation", o->operation);
    struct record *results = record_list(record, "results");
    for (int i = 0; i < o->results->count; i++) {
        struct record *result = record_object(results, NULL);
        record_text(result, "name", o->results->at[i]->name);
        add_type(result, &o->results->at[i]->type);
    }
    struct record *operands = record_list(record, "operands");
    for (int i = 0, array = 0; i < o->operands->count; i++) {
        const struct nnefc_value *value = o->operands->at[i], *next = o->operands->at[i + 1];
        assert(value); /* a NULL is behind the last */
        struct record *operand = record_object(operands, NULL);
        add_operand(operand, value);
        /* The operands of an array-valued parameter stand in brackets. */
        record_bool(operand, ".further", i > 0);
        record_bool(operand, ".opens", value->array && value->array != array);
        record_bool(operand, ".closes", value->array && (!next || next->array != value->array));
        array = value->array;
    }
    struct record *attributes = o->attributes->count ? record_object(record, "attributes") : NULL;
    for (int i = 0; i < o->attributes->count; i++)
        add_datum(attributes, o->attributes->at[i]->name, o->attributes->at[i]->value);
    if (o->macs != 0)
        record_known(record, "macs", o->macs);
    if (o->node)
        record_text(record, "node", o->node);
    add_fragments(record, o->expansion);
    if (o->line > 0) { /* of the document, which is the only text of operations */
        record_integer(record, "line", o->line);
        record_integer(record, "column", o->column);
    }
    return record;
}

/* One record at a time is in memory: a graph may have millions of operations. */
static void list_operations(struct nnefc_model *model, enum form form)
{
    struct record_stream stream = {.form = form, .view = &list_view};
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);

    stream_begin(&stream, NULL);
    for (int i = 0; i < operations->count; i++)
        stream_add(&stream, operation_record(operations->at[i]));
    stream_close(&stream);
}

/* --- the text of a model of PNNX -------------------------------------------------------------- */

/* Lists are not nested.  JSON has no number that is infinite or none. */
static void add_pnnx_value(struct record *to, const char *key, const struct nnefc_pnnx_value *value)
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
            add_pnnx_value(part, NULL, value->items->at[i]);
        return;
    case NNEFC_PNNX_NONE:
        break;
    }
    record_null(to, key);
}

/* Extents are 3, "?" or "%height". */
static void add_pnnx_shape(struct record *to, const struct nnefc_pnnx_shape *shape)
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

/* Text has the type and the name only; the other members are for programs. */
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
        add_pnnx_value(params, op->parameters->at[i]->key, op->parameters->at[i]->value);
    struct record *attributes = record_object(record, "attributes");
    for (int i = 0; i < op->attributes->count; i++) {
        const struct nnefc_pnnx_attribute *attribute = op->attributes->at[i];
        add_pnnx_shape(record_object(attributes, attribute->name), attribute->shape);
    }
    return record;
}

/* As text the operators, as JSON the operands, too. */
static void list_pnnx(struct nnefc_model *model, enum form form)
{
    const struct nnefc_pnnx_operator_list *operators = nnefc_pnnx_operators(model);
    const struct nnefc_pnnx_operand_list *operands = nnefc_pnnx_operands(model);
    struct record_stream stream = {.form = form, .view = &pnnx_view};

    check_memory(model);
    stream_begin(&stream, "ops");
    for (int i = 0; i < operators->count; i++)
        stream_add(&stream, operator_record(operators->at[i], operands));
    if (form == FORM_JSON)
        stream_begin(&stream, "values");
    for (int i = 0; i < operands->count && form == FORM_JSON; i++) {
        const struct nnefc_pnnx_operand *operand = operands->at[i];
        struct record *record = record_new_object();
        record_text(record, "name", operand->name);
        record_integer(record, "producer", operand->producer); /* the number of an operator */
        record_integer(record, "port", operand->port);
        struct record *uses = record_list(record, "uses");
        for (int k = 0; k < operand->uses->count; k++) {
            struct record *item = record_object(uses, NULL);
            record_integer(item, "op", operand->uses->at[k]->reader);
            record_integer(item, "input", operand->uses->at[k]->input);
        }
        add_pnnx_shape(record, operand->shape);
        stream_add(&stream, record);
    }
    stream_close(&stream);
}

/* --- the command ------------------------------------------------------------------------------ */

struct list_settings {
    struct command command;
    struct loading loading;
    bool graph; /* of a model of PNNX, too */
};

static enum nnefc_status list_run(const void *settings)
{
    const struct list_settings *s = settings;
    const struct loading *l = &s->loading;
    const char *option = l->shapes.count    ? "--shape"
                         : l->extents.count ? "--dim"
                         : l->bin           ? "--bin"
                                            : NULL;

    if (!loading_agrees(&s->command, l))
        return NNEFC_USAGE;
    struct nnefc_model *model = prepare_model(l);
    if (!s->graph)
        nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    load_prepared(l, model, s->command.operand[0]);
    enum nnefc_status status = loaded_status(&s->command, model);
    report_model(&s->command, model);
    /* Without --graph, a model of PNNX is read, but does not become a graph. */
    bool graph = status != NNEFC_USAGE && nnefc_model_name(model);
    bool pnnx =
        status != NNEFC_USAGE && !s->graph && !graph && nnefc_pnnx_operators(model)->count > 0;
    if (pnnx && option) {
        usage_error(&s->command, "%s affects only the graph of a model of PNNX; --graph lists that",
                    option);
        status = status == NNEFC_OK ? NNEFC_USAGE : status;
    } else if (pnnx) {
        list_pnnx(model, s->command.form);
    } else if (graph) {
        list_operations(model, s->command.form);
    }
    close_model(&s->command, model);
    return status;
}

static const struct option list_options[] = {
    FORM_OPTION("--json", FORM_JSON, "print it as JSON"),
    {"--graph", NULL, NULL, "PNNX: list the operations that the model becomes, not its operators",
     .field = offsetof(struct list_settings, graph), .reads = FOR_PNNX},
    {0},
};

const struct verb list_verb = {
    .name = "list",
    .purpose = "list the operations of a model in their order",
    .examples =
        "  nnefc list model/                           operator, results, operands: one a "
        "line\n"
        "  nnefc list model.onnx | cut -d' ' -f1,2     operator and name only\n"
        "  nnefc list model/ --json                    with shapes, producers and places, one "
        "a line\n"
        "  nnefc list net.pnnx.param                   operators of the file: type and "
        "name\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(list, {.loading = LOADING_DEFAULTS}),
    .groups = {{list_options, 0, NULL}, MODEL_GROUPS(list)},
    .run = list_run,
};
