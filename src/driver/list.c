/*
 * list.c - nnefc list: the operations of a model, one a line
 *
 * The library says of each operand what made it. Readers of a result are what JSON has besides,
 * for which all operands are visited once before anything is printed.
 */
#include "driver/list.h"
#include "driver/load.h"
#include "driver/report.h"
#include "driver/verbs.h"

#include <assert.h>
#include <stdlib.h>

/* One line: "concat y scalar[2,4] ([a, b]) from node 3". */
static const struct view list_view = {
    .text = "{operation}{results* {name:word} {type}{shape:shape}}"
            " ({operands*{.further?, }{.opens?[}{name:word}{.closes?]}}){node? from {node}}\n",
    .json = JSON_LINES,
};

static const char *const value_kinds[] = {[NNEFC_VALUE_RESULT] = "result",
                                          [NNEFC_VALUE_EXTERNAL] = "external",
                                          [NNEFC_VALUE_VARIABLE] = "variable",
                                          [NNEFC_VALUE_CONSTANT] = "constant"};

/* --- uses of results -------------------------------------------------------------------------- */

/* Which operands read each result: results are numbered through, and so are their uses. */
struct uses {
    struct list_use {
        int operation, operand;
    } * use;
    int *first_result; /* of each operation; one more than there are */
    int *first_use;    /* of each result; likewise */
};

/* One pass counts the uses of each result, at first_use[result + 2]; after they are added up the
 * next one notes each, at first_use[result + 1], which thereby becomes the end of the uses. */
static void visit_uses(const struct nnefc_operation_list *operations, struct uses *uses)
{
    for (int i = 0; i < operations->count; i++) {
        const struct nnefc_value_list *operands = operations->at[i]->operands;
        for (int k = 0; k < operands->count; k++) {
            const struct nnefc_value *value = operands->at[k];
            if (value->producer < 0)
                continue;
            int result = uses->first_result[value->producer] + value->port;
            if (uses->use)
                uses->use[uses->first_use[result + 1]++] = (struct list_use){i, k};
            else
                uses->first_use[result + 2]++;
        }
    }
}

/* False if memory ran out; the caller frees what is there in any case. */
static bool find_uses(const struct nnefc_operation_list *operations, struct uses *uses)
{
    int count = operations->count, results = 0;

    assert(!uses->use);
    uses->first_result = calloc((size_t)count + 1, sizeof *uses->first_result);
    for (int i = 0; uses->first_result && i < count; i++) {
        uses->first_result[i] = results;
        results += operations->at[i]->results->count;
    }
    uses->first_use = calloc((size_t)results + 2, sizeof *uses->first_use);
    if (!uses->first_result || !uses->first_use)
        return false;
    visit_uses(operations, uses);
    for (int i = 1; i < results + 2; i++)
        uses->first_use[i] += uses->first_use[i - 1];
    uses->use = calloc((size_t)uses->first_use[results + 1] + 1, sizeof *uses->use);
    if (uses->use)
        visit_uses(operations, uses);
    return uses->use;
}

/* --- one operation ---------------------------------------------------------------------------- */

/* Uses are listed if they were looked for. */
static void add_results(struct record *to, const struct nnefc_value_list *values, int index,
                        const struct uses *uses)
{
    struct record *results = record_list(to, "results");

    for (int i = 0; i < values->count; i++) {
        struct record *result = record_object(results, NULL);
        record_text(result, "name", values->at[i]->name);
        record_type(result, &values->at[i]->type);
        if (!uses->use)
            continue;
        struct record *list = record_list(result, "uses");
        int number = uses->first_result[index] + i;
        for (int k = uses->first_use[number]; k < uses->first_use[number + 1]; k++) {
            struct record *use = record_object(list, NULL);
            record_integer(use, "operation", uses->use[k].operation);
            record_integer(use, "operand", uses->use[k].operand);
        }
    }
}

/* Those of an array-valued parameter stand in brackets. */
static void add_operands(struct record *to, const struct nnefc_value_list *values)
{
    struct record *operands = record_list(to, "operands");

    for (int i = 0, array = 0; i < values->count; i++) {
        const struct nnefc_value *value = values->at[i], *next = values->at[i + 1];
        assert(value); /* a NULL is behind the last */
        struct record *operand = record_object(operands, NULL);
        record_text(operand, "name", value->name);
        record_type(operand, &value->type);
        record_text(operand, "kind", value_kinds[value->kind]);
        record_position(operand, "array", value->array);
        record_known(operand, "producer", value->producer >= 0 ? value->producer : NNEFC_UNKNOWN);
        record_bool(operand, ".further", i > 0);
        record_bool(operand, ".opens", value->array && value->array != array);
        record_bool(operand, ".closes", value->array && (!next || next->array != value->array));
        array = value->array;
    }
}

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

/* `index` is its place in the list of all. */
static struct record *operation_record(const struct nnefc_operation *o, int index,
                                       const struct uses *uses)
{
    struct record *record = record_new_object();

    assert(o->results->count > 0);
    record_text(record, "operation", o->operation);
    record_text(record, "name", o->results->at[0]->name);
    add_results(record, o->results, index, uses);
    add_operands(record, o->operands);
    struct record *attributes = record_object(record, "attributes");
    for (int i = 0; i < o->attributes->count; i++)
        add_datum(attributes, o->attributes->at[i]->name, o->attributes->at[i]->value);
    record_known(record, "macs", o->macs);
    record_text(record, "node", o->node);
    record_text(record, "fragment", o->fragment);
    record_text(record, "file", o->file);
    record_position(record, "line", o->line);
    record_position(record, "column", o->column);
    return record;
}

/* One record at a time: a graph may have millions of operations. */
static bool list_operations(struct nnefc_model *model, enum form form)
{
    struct record_stream stream = {.form = form, .view = &list_view};
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);
    struct uses uses = {0};
    bool ok = form == FORM_TEXT || find_uses(operations, &uses);

    if (ok)
        stream_begin(&stream, NULL);
    for (int i = 0; ok && i < operations->count; i++)
        stream_add(&stream, operation_record(operations->at[i], i, &uses));
    if (ok)
        stream_end(&stream);
    free(uses.first_result);
    free(uses.first_use);
    free(uses.use);
    return ok && stream_close(&stream);
}

/* --- the command ------------------------------------------------------------------------------ */

/* A model of PNNX that was read, but not made a graph. */
static bool is_text_of_pnnx(struct nnefc_model *model)
{
    return !nnefc_model_name(model) && nnefc_pnnx_operators(model)->count > 0;
}

struct list_settings {
    struct command command;
    struct loading loading;
    enum form form;
    bool graph; /* of a model of PNNX, too */
};

/* Options for inputs and weights would be to no purpose. */
static enum nnefc_status check_options(const struct list_settings *s, struct nnefc_model *model)
{
    const struct loading *l = &s->loading;
    const char *option = l->shapes.count ? "--shape" : l->extents.count ? "--dim" : "--bin";

    if (s->graph || !is_text_of_pnnx(model) || !(l->shapes.count || l->extents.count || l->bin))
        return NNEFC_OK;
    return usage_error(
        &s->command, "%s is for the graph that a model of PNNX becomes: --graph lists it", option);
}

static enum nnefc_status list_run(const void *settings)
{
    const struct list_settings *s = settings;
    bool ok = true;

    if (!loading_agrees(&s->command, &s->loading))
        return NNEFC_USAGE;
    struct nnefc_model *model = prepare_model(&s->loading);
    if (!s->graph)
        nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    load_prepared(&s->loading, model, s->command.operand[0]);
    enum nnefc_status status = nnefc_model_status(model);
    report_model(&s->command, model);
    enum nnefc_status misused = check_options(s, model);
    if (misused == NNEFC_OK && !s->graph && is_text_of_pnnx(model))
        ok = list_pnnx(model, s->form);
    else if (misused == NNEFC_OK && nnefc_model_name(model))
        ok = list_operations(model, s->form);
    status = status == NNEFC_OK ? misused : status;
    close_model(&s->command, model);
    return ok ? status : NNEFC_INTERNAL;
}

static const struct option list_options[] = {
    {"--json", NULL, NULL, "print it as JSON", .set = set_json,
     .field = offsetof(struct list_settings, form)},
    {"--graph", NULL, NULL, "PNNX: list the operations that the model becomes, not its operators",
     .field = offsetof(struct list_settings, graph)},
    {0},
};

const struct verb list_verb = {
    .name = "list",
    .purpose = "list the operations of a model in their order",
    .examples = "  nnefc list model/                           operator, results, operands: one a "
                "line\n"
                "  nnefc list model.onnx | cut -d' ' -f1,2     operator and name only\n"
                "  nnefc list model/ --json                    with types, producers, uses and "
                "places\n"
                "  nnefc list net.pnnx.param                   operators of the file: type and "
                "name\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(list, {.loading = LOADING_DEFAULTS}),
    .groups = {{list_options, 0, NULL}, MODEL_GROUPS(list)},
    .run = list_run,
};
