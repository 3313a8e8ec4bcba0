/*
 * edit.c - nnefc edit: changes of an NNEF text (edit_text.c), or of the graph of another format
 *          (nnefc/surgery.h)
 */
#include "driver/edit.h"

#include "driver/names.h"
#include "driver/path.h"
#include "driver/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- graphs ----------------------------------------------------------------------------------- */

/* Pairs of names, to be freed. */
static struct nnefc_rename *renames_of(const struct option_list *list)
{
    const struct named_file *item = list->item;
    struct nnefc_rename *renames = zeroed_items((size_t)list->count + 1, sizeof *renames);

    for (int i = 0; i < list->count; i++)
        renames[i] = (struct nnefc_rename){item[i].name, item[i].file};
    return renames;
}

/* Importers take shapes while they read a model, but a graph file is read as it is. */
static bool takes_shapes(const struct nnefc_model *model)
{
    return nnefc_model_identity(model)->format == NNEFC_FORMAT_GRAPH;
}

/* Shapes that inputs are to get now, to be freed. */
static struct nnefc_shape_edit *new_shapes(const struct edit_settings *s,
                                           const struct nnefc_model *model, int *count)
{
    const struct named_shape *shape = s->loading.shapes.item;
    struct nnefc_shape_edit *shapes =
        zeroed_items((size_t)s->loading.shapes.count + 1, sizeof *shapes);

    *count = takes_shapes(model) ? s->loading.shapes.count : 0;
    for (int i = 0; i < *count; i++) {
        shapes[i] = (struct nnefc_shape_edit){.tensor = shape[i].name, .rank = shape[i].rank};
        memcpy(shapes[i].extent, shape[i].extent, sizeof shapes[i].extent);
    }
    return shapes;
}

/* Only inputs get them: what a variable holds is not cut by the way. */
static enum nnefc_status check_shapes(const struct edit_settings *s, struct nnefc_model *model,
                                      int count)
{
    const struct named_shape *shape = s->loading.shapes.item;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < count; i++)
        if (nnefc_model_find_input(model, shape[i].name) < 0)
            status = NNEFC_USAGE;
    return status;
}

/* Shapes and attributes are set at once.  They and outputs go by the names before they are changed.
 */
static enum nnefc_status make_graph_edits(struct edit_settings *s, struct nnefc_model *model,
                                          const struct nnefc_attribute_edit *attributes)
{
    struct nnefc_rename *tensors = renames_of(&s->renames), *labels = renames_of(&s->labels);
    int shape_count = 0;
    struct nnefc_shape_edit *shapes = new_shapes(s, model, &shape_count);
    const struct nnefc_edit first = {.size = sizeof first,
                                     .attributes = attributes,
                                     .attribute_count = s->values.count,
                                     .shapes = shapes,
                                     .shape_count = shape_count};
    const struct nnefc_edit last = {.size = sizeof last,
                                    .tensors = tensors,
                                    .tensor_count = s->renames.count,
                                    .labels = labels,
                                    .label_count = s->labels.count};
    struct names outputs = {0};
    char *list = s->outputs ? must_have(strdup(s->outputs)) : NULL, *rest = list;
    enum nnefc_status status = check_shapes(s, model, shape_count);

    if (status == NNEFC_OK)
        status = nnefc_model_edit(model, &first);
    for (const char *name; list && (name = next_listed(&rest));)
        add_name(&outputs, name);
    if (status == NNEFC_OK && list)
        status = extract_between(model, NULL, &outputs);
    if (status == NNEFC_OK)
        status = nnefc_model_edit(model, &last);
    free(outputs.at);
    free(list);
    free(tensors);
    free(labels);
    free(shapes);
    return status;
}

static enum nnefc_status edit_graph(struct edit_settings *s, struct nnefc_model *model)
{
    const struct named_file *values = s->values.item;
    const struct target_form form = {s->command.operand[1], s->format, NNEFC_PROFILE_COMPOUND, NULL,
                                     NULL};
    const int count = s->values.count;
    struct nnefc_attribute_edit *attributes = zeroed_items((size_t)count + 1, sizeof *attributes);
    char **tensors = zeroed_items((size_t)count + 1, sizeof *tensors);
    enum nnefc_status status = NNEFC_OK;

    if (s->apply)
        status = usage_error(&s->command,
                             "'%s' is no NNEF text, so that --apply finds no statements in it",
                             s->command.operand[0]);
    for (int i = 0; i < count; i++) {
        tensors[i] = tensor_of(&s->command, values[i].name, &attributes[i].attribute);
        attributes[i].tensor = tensors[i];
        attributes[i].value = values[i].file;
        status = tensors[i] ? status : NNEFC_USAGE;
    }
    if (status == NNEFC_OK)
        status = make_graph_edits(s, model, attributes);
    if (status == NNEFC_OK)
        status = target_write(&form, model);
    report_model(&s->command, model);
    for (int i = 0; i < count; i++)
        free(tensors[i]);
    free(tensors);
    free(attributes);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

/* An NNEF text is edited as a text, also in an archive; anything else as a graph. */
static enum nnefc_status edit_model(struct edit_settings *s, struct nnefc_model *model)
{
    const struct command *command = &s->command;
    struct loading text_loading = s->loading;

    text_loading.shapes.count = 0; /* they go into the text */
    if (nnefc_model_places(model)->count > 0) {
        if (nnefc_model_text(model, NNEFC_PART_DOCUMENT).path || !is_standard(command->operand[0]))
            return edit_text(s, model, &text_loading);
        return usage_error(command, "a text in an archive on standard input cannot be edited");
    }
    enum nnefc_status status = loaded_status(command, model);
    if (status == NNEFC_OK)
        return edit_graph(s, model);
    report_model(command, model);
    return status;
}

/* The importer of a graph file takes no shapes, which are set later. */
static struct nnefc_model *load_edited_model(const struct edit_settings *s)
{
    const char *path = s->command.operand[0];
    struct loading plain = s->loading;

    plain.shapes.count = 0;
    if (s->loading.shapes.count == 0 || is_standard(path))
        return load_model(&s->loading, path);
    struct nnefc_model *model = load_model(&plain, path);
    if (takes_shapes(model))
        return model;
    nnefc_model_free(model);
    return load_model(&s->loading, path);
}

static enum nnefc_status edit_run(const void *settings)
{
    struct edit_settings s = *(const struct edit_settings *)settings;
    const struct command *command = &s.command;
    const char *target = command->operand[1];

    if (!loading_agrees(command, &s.loading))
        return NNEFC_USAGE;
    if (s.format == TARGET_BY_NAME && path_is_stream(target))
        s.format = TARGET_NNEF;
    if (s.format == TARGET_BY_NAME && !target_find(command, target, &s.format))
        return NNEFC_USAGE;
    if (s.format == TARGET_PNNX)
        return usage_error(command, "an edited model cannot be written as PNNX");
    if (options_fit(command, (enum nnefc_format)s.format, target, true) != NNEFC_OK)
        return NNEFC_USAGE;
    if (!path_is_folder(target) && !path_is_writable(target, false))
        return file_error(command, target, strerror(errno));
    if (s.format == TARGET_ONNX)
        s.loading.keep = NNEFC_KEEP_ONNX;
    struct nnefc_model *model = load_edited_model(&s);
    enum nnefc_status status = edit_model(&s, model);
    nnefc_model_free(model);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

#define FIELD(name) .field = offsetof(struct edit_settings, name)
#define PAIRS(name) .set = set_binding, FIELD(name), .item_size = sizeof(struct named_file)

static const struct option edit_options[] = {
    {"--rename", NULL, "OLD=NEW", "rename a tensor of the graph, or a fragment",
     .expects = "two names", PAIRS(renames)},
    {"--rename-label", NULL, "OLD=NEW", "rename a label; its data goes with it into a folder",
     .expects = "two labels", PAIRS(labels), .writes = FOR_NNEF | FOR_GRAPH},
    {"--set", NULL, "TENSOR.ATTRIBUTE=VALUE",
     "set an attribute of the operation that makes the tensor; VALUE as in an NNEF text",
     .expects = "an attribute and its value", PAIRS(values)},
    {"--outputs", NULL, "NAME[,NAME...]", "make these tensors the results", .set = set_text,
     FIELD(outputs)},
    {"--apply", NULL, "FILE", "replace statements by those in FILE that assign the same tensors",
     .set = set_text, FIELD(apply)},
    {"--to", NULL, "nnef|onnx|graph", "format of OUT (by its name)", .first_word = TARGET_NNEF,
     FIELD(format)},
    DATA_OPTION(offsetof(struct edit_settings, loading)),
    FORCE_OPTION(offsetof(struct edit_settings, loading)),
    {0},
};

const struct verb edit_verb = {
    .name = "edit",
    .purpose = "change parts of an NNEF text and keep the rest; or the graph of another format",
    .examples =
        "  nnefc edit model/ out/ --rename x=photo --outputs=scores\n"
        "  nnefc edit model/ out.nnef --set conv1.border=\"'replicate'\"   the text alone\n"
        "  nnefc edit model/ out.onnx --shape x=2,1,8,8\n"
        "  nnefc edit model.onnx out.onnx --rename x=photo --set pool2.border=\"'constant'\"\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(edit, {.loading = LOADING_DEFAULTS}),
    .groups = {{edit_options, 0, NULL}, MODEL_GROUPS(edit)},
    .run = edit_run,
};
