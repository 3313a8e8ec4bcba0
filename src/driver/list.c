/* list.c - nnefc list: the operations of a model, one a line */
#include "driver/json_build.h"
#include "driver/list_pnnx.h"
#include "driver/load.h"
#include "driver/message.h"
#include "driver/report.h"
#include "driver/typed.h"
#include "driver/verb.h"

#include <stdio.h>
#include <stdlib.h>

/* --- text --------------------------------------------------------------------------------------- */

static void print_results(struct nnefc_model *model, int index, int count)
{
    for (int i = 0; i < count; i++) {
        struct nnefc_value value = nnefc_model_result(model, index, i);
        putchar(' ');
        print_word(value.name);
        putchar(' ');
        print_type(&value.type);
    }
}

/* (x, [a, b], 0.5) */
static void print_operands(struct nnefc_model *model, int index, int count)
{
    int array = 0;

    fputs(" (", stdout);
    for (int i = 0; i < count; i++) {
        struct nnefc_value value = nnefc_model_operand(model, index, i);
        printf("%s%s%s", array && value.array != array ? "]" : "", i ? ", " : "",
               value.array && value.array != array ? "[" : "");
        print_word(value.name);
        array = value.array;
    }
    printf("%s)", array ? "]" : "");
}

static void print_operation(struct nnefc_model *model, int index)
{
    struct nnefc_operation operation = nnefc_model_operation(model, index);

    fputs(operation.operation, stdout);
    print_results(model, index, operation.result_count);
    print_operands(model, index, operation.operand_count);
    if (operation.node)
        printf(" from %s", operation.node);
    putchar('\n');
}

static void print_text(struct nnefc_model *model)
{
    for (int i = 0; i < nnefc_model_operation_count(model); i++)
        print_operation(model, i);
}

/* --- JSON --------------------------------------------------------------------------------------- */

static const char *kind_name(enum nnefc_value_kind kind)
{
    switch (kind) {
    case NNEFC_VALUE_RESULT:
        return "result";
    case NNEFC_VALUE_EXTERNAL:
        return "external";
    case NNEFC_VALUE_VARIABLE:
        return "variable";
    case NNEFC_VALUE_CONSTANT:
        return "constant";
    }
    return NULL;
}

static json_t *index_or_null(int index)
{
    return index >= 0 ? json_integer(index) : json_null();
}

/* Which operands read each result: results are numbered through, and so are their uses. */
struct uses {
    struct use {
        int operation, operand;
    } * use;
    int *first_result; /* of each operation; one more than there are */
    int *first_use;    /* of each result; likewise */
};

static int result_of(const struct uses *uses, const struct nnefc_value *value)
{
    return uses->first_result[value->producer] + value->port;
}

typedef void (*visit_use)(struct uses *uses, int result, struct use use);

static void for_uses(struct nnefc_model *model, struct uses *uses, visit_use visit)
{
    for (int i = 0; i < nnefc_model_operation_count(model); i++) {
        int count = nnefc_model_operation(model, i).operand_count;
        for (int k = 0; k < count; k++) {
            struct nnefc_value value = nnefc_model_operand(model, i, k);
            if (value.producer >= 0)
                visit(uses, result_of(uses, &value), (struct use){i, k});
        }
    }
}

static void count_use(struct uses *uses, int result, struct use use)
{
    (void)use;
    uses->first_use[result + 2]++;
}

/* first_use[result + 1] is where the next one goes, and at last where they end. */
static void note_use(struct uses *uses, int result, struct use use)
{
    uses->use[uses->first_use[result + 1]++] = use;
}

static bool find_uses(struct nnefc_model *model, struct uses *uses)
{
    int count = nnefc_model_operation_count(model), results = 0;

    uses->first_result = calloc((size_t)count + 1, sizeof *uses->first_result);
    for (int i = 0; uses->first_result && i < count; i++) {
        uses->first_result[i] = results;
        results += nnefc_model_operation(model, i).result_count;
    }
    uses->first_use = calloc((size_t)results + 2, sizeof *uses->first_use);
    if (!uses->first_result || !uses->first_use)
        return false;
    for_uses(model, uses, count_use);
    for (int i = 1; i < results + 2; i++)
        uses->first_use[i] += uses->first_use[i - 1];
    uses->use = calloc((size_t)uses->first_use[results + 1] + 1, sizeof *uses->use);
    if (uses->use)
        for_uses(model, uses, note_use);
    return uses->use;
}

static void uses_free(struct uses *uses)
{
    free(uses->first_result);
    free(uses->first_use);
    free(uses->use);
}

static json_t *uses_json(const struct uses *uses, int result)
{
    json_t *list = json_array();

    for (int i = uses->first_use[result]; i < uses->first_use[result + 1]; i++)
        json_add(&list, json_pack("{s:i, s:i}", "operation", uses->use[i].operation, "operand",
                                  uses->use[i].operand));
    return list;
}

static json_t *operand_json(const struct nnefc_value *value)
{
    json_t *object = json_typed(value->name, &value->type);

    json_set(&object, "kind", json_string(kind_name(value->kind)));
    json_set(&object, "array", value->array ? json_integer(value->array) : json_null());
    json_set(&object, "producer", index_or_null(value->producer));
    return object;
}

static json_t *results_json(struct nnefc_model *model, int index, int count,
                            const struct uses *uses)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        struct nnefc_value value = nnefc_model_result(model, index, i);
        json_t *object = json_typed(value.name, &value.type);
        json_set(&object, "uses", uses_json(uses, uses->first_result[index] + i));
        json_add(&list, object);
    }
    return list;
}

static json_t *operands_json(struct nnefc_model *model, int index, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        struct nnefc_value value = nnefc_model_operand(model, index, i);
        json_add(&list, operand_json(&value));
    }
    return list;
}

static json_t *datum_json(const struct nnefc_datum *datum);

static json_t *items_json(const struct nnefc_datum *datum)
{
    json_t *list = json_array();

    for (int i = 0; i < nnefc_datum_count(datum); i++)
        json_add(&list, datum_json(nnefc_datum_item(datum, i)));
    return list;
}

/* Nested no deeper than a text may be. */
static json_t *datum_json(const struct nnefc_datum *datum)
{
    switch (nnefc_datum_kind(datum)) {
    case NNEFC_DATUM_INTEGER:
        return json_integer(nnefc_datum_integer(datum));
    case NNEFC_DATUM_SCALAR:
        return json_number(nnefc_datum_scalar(datum));
    case NNEFC_DATUM_LOGICAL:
        return json_boolean(nnefc_datum_logical(datum));
    case NNEFC_DATUM_STRING:
        return json_text(nnefc_datum_string(datum));
    case NNEFC_DATUM_ARRAY:
    case NNEFC_DATUM_TUPLE:
        return items_json(datum);
    case NNEFC_DATUM_NONE:
        break;
    }
    return json_null();
}

static json_t *attributes_json(struct nnefc_model *model, int index, int count)
{
    json_t *object = json_object();

    for (int i = 0; i < count; i++) {
        struct nnefc_attribute attribute = nnefc_model_attribute(model, index, i);
        json_set(&object, attribute.name, datum_json(attribute.value));
    }
    return object;
}

static void set_place(json_t **object, const struct nnefc_operation *o)
{
    json_set(object, "node", json_text(o->node));
    json_set(object, "fragment", json_text(o->fragment));
    json_set(object, "file", json_text(o->file));
    json_set(object, "line", o->line > 0 ? json_integer(o->line) : json_null());
    json_set(object, "column", o->column > 0 ? json_integer(o->column) : json_null());
}

static json_t *operation_json(struct nnefc_model *model, int index, const struct uses *uses)
{
    struct nnefc_operation o = nnefc_model_operation(model, index);
    json_t *object = json_pack("{s:s, s:o}", "operation", o.operation, "name",
                               json_text(nnefc_model_result(model, index, 0).name));

    json_set(&object, "results", results_json(model, index, o.result_count, uses));
    json_set(&object, "operands", operands_json(model, index, o.operand_count));
    json_set(&object, "attributes", attributes_json(model, index, o.attribute_count));
    json_set(&object, "macs", o.macs == NNEFC_UNKNOWN ? json_null() : json_integer(o.macs));
    set_place(&object, &o);
    return object;
}

/* Lines are indented as in an array. */
static int print_indented(const char *text, size_t size, void *data)
{
    (void)data;
    for (size_t i = 0; i < size; i++) {
        putchar(text[i]);
        if (text[i] == '\n')
            fputs("  ", stdout);
    }
    return 0;
}

/* One object is made, printed and dropped after the other. */
static bool print_operations(struct nnefc_model *model, const struct uses *uses)
{
    int count = nnefc_model_operation_count(model);
    bool ok = true;

    putchar('[');
    for (int i = 0; i < count && ok; i++) {
        json_t *object = operation_json(model, i, uses);
        fputs(i ? ",\n  " : "\n  ", stdout);
        ok = object && json_dump_callback(object, print_indented, NULL, JSON_INDENT(2)) == 0;
        json_decref(object);
    }
    puts(count ? "\n]" : "]");
    return ok;
}

static bool print_json(struct nnefc_model *model)
{
    struct uses uses = {0};
    bool ok = find_uses(model, &uses) && print_operations(model, &uses);

    uses_free(&uses);
    return ok;
}

/* --- the command -------------------------------------------------------------------------------- */

static bool is_text_of_pnnx(struct nnefc_model *model)
{
    return !nnefc_model_name(model) && nnefc_pnnx_operator_count(model) > 0;
}

static bool print(const struct settings *settings, struct nnefc_model *model)
{
    bool text = !settings->graph && is_text_of_pnnx(model);

    if (text && settings->json)
        return list_pnnx_json(model);
    if (nnefc_model_name(model) && settings->json)
        return print_json(model);
    if (text)
        list_pnnx_text(model);
    else
        print_text(model);
    return true;
}

/* Options for inputs and weights would be to no purpose. */
static enum nnefc_status check_options(const struct settings *settings, struct nnefc_model *model)
{
    const char *option = settings->nshape ? "--shape" : settings->nextent ? "--dim" : "--bin";

    if (settings->graph || !is_text_of_pnnx(model) ||
        !(settings->nshape || settings->nextent || settings->bin))
        return NNEFC_OK;
    return usage_error(
        settings, "%s is for the graph that a model of PNNX becomes: --graph lists it", option);
}

enum nnefc_status list_run(const struct settings *settings)
{
    struct nnefc_model *model = prepare_model(settings);
    bool ok = true;

    if (!settings->graph)
        nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    load_prepared(settings, model);
    enum nnefc_status status = nnefc_model_status(model);
    print_diagnostics(settings, model);
    enum nnefc_status misused = check_options(settings, model);
    if (misused == NNEFC_OK)
        ok = print(settings, model);
    status = status == NNEFC_OK ? misused : status;
    close_model(settings, model);
    return ok ? status : NNEFC_INTERNAL;
}
