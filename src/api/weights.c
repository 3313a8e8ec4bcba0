/*
 * weights.c - data of variables (section 5.1): read from the model's folder or archive, or made up
 *             and written there
 */
#include "api/weights.h"
#include "base/num.h"
#include "exec/init.h"
#include "exec/storage.h"
#include "file/dat.h"
#include "file/label.h"
#include "file/listing.h"
#include "file/npy.h"
#include "file/out.h"
#include "file/path.h"
#include "ir/graph.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading ----------------------------------------------------------------------------- */

/* The folder that the client named is opened once, and only when it is needed. */
struct store *data_store(struct nnefc_model *model)
{
    struct store *store = model->home && store_has_data(model->home) ? model->home : NULL;

    if (model->data_folder && !model->data)
        model->data =
            store_open_data(model->context->diag, &model->context->limits, model->data_folder);
    if (model->data_folder)
        store = model->data;
    if (store)
        store_set_aliases(store, model->aliases);
    return store;
}

/* The store of a model that has variables; NULL after a report. */
static struct store *need_store(struct nnefc_model *model)
{
    struct diag *diag = model->context->diag;
    const struct source *first = model->graph->variables.first;
    struct store *store = data_store(model);

    assert(first);
    if (!store && !model->data_folder) {
        diag_error(diag, first->span, DIAG_CANNOT_READ,
                   "variable '%s' has data, but the model has no folder to read it from",
                   VALUE_TEXT(first->value));
        diag_help(diag, "name the folder with --data.");
    }
    return store;
}

/* Once the graph is there, other graphs of the model are to be like it. */
bool weights_are_quantized(void *data, const char *label)
{
    struct nnefc_model *model = data;
    struct store *store = data_store(model);
    struct diag *aside = diag_new(NULL);
    struct path_fault fault = {0};
    struct found_file found;
    struct item_format format;
    bool quantized = false;

    if (model->graph) {
        quantized = model->graph->quantized;
    } else if (store && store_folder(store) && store_data(aside, store, label, &found, &fault)) {
        const struct reading reading = {aside, found.path, context_budget(model->context)};
        quantized = dat_recognise(&found.view) && dat_read_format(&reading, &found.view, &format) &&
                    is_quantized(&format);
        file_close(&found.view);
        free(found.path);
    }
    path_fault_clear(&fault);
    diag_free(aside);
    return quantized;
}

/* Fetch what is in an archive.  It may hold as much as all variables could take, and some to be
 * wrong about. */
static bool prepare(const struct nnefc_model *model, struct store *store)
{
    const struct source_list *variables = &model->graph->variables;
    const char **labels = heap_array((size_t)variables->count, sizeof *labels);
    int64_t needed = 16 << 20, room = context_budget(model->context);
    struct store_order order = {.labels = labels};

    for (const struct source *v = variables->first; v; v = v->next) {
        const struct shape *shape = v->value->shape;
        int64_t more = shape_known(shape) ? item_bytes_most(shape_volume(shape)) : 0;
        needed = num_add_most(needed, more);
        labels[order.count++] = v->label;
    }
    assert(order.count == variables->count);
    order.limit = needed < room ? needed : room;
    int64_t before = store_memory(store);
    bool ok = store_prepare(model->context->diag, store, &order);
    context_account(model->context, store_memory(store) - before);
    free(labels);
    return ok;
}

/* The file of a variable is a tensor file, of the type and shape that the document declares. */
static bool read_dat(const struct nnefc_model *model, const struct source *variable,
                     const char *path, struct file_view *view, struct tensor *tensor)
{
    struct reading reading = {model->context->diag, path, context_budget(model->context)};
    struct dat_info info;

    if (npy_recognise(view)) {
        file_close(view);
        return diag_file_error(model->context->diag, path, DIAG_DATA_HEADER,
                               "this is a NumPy array, but the data of variables are tensor files");
    }
    const bool integers = variable->value->dtype == DTYPE_INTEGER;
    if (!(integers ? dat_read_bytes : dat_read_view)(&reading, view, tensor, &info))
        return false;
    struct data_check check = {path, variable->value, &info.format};
    struct stored stored = {path, &info, variable};
    return data_fits(model->graph, &check, tensor) && quant_settle(model, &stored, tensor);
}

/* Files that are not there are not all named, for often it is the folder that is the wrong one. */
enum { MISSING_NAMED = 3, MISSING_SOUGHT = 1000 };

/* Reading the data of all variables. */
struct loader {
    const struct nnefc_model *model;
    struct store *store;
    int missing;    /* files so far */
    bool suggested; /* what may be meant instead of what is missing */
};

/* Read the data of one variable.  Of those that are missing the first few are reported. */
static bool load_variable(struct loader *loader, struct source *variable, struct tensor *tensor)
{
    const struct nnefc_model *model = loader->model;
    struct diag *diag = model->context->diag;
    struct path_fault fault = {0};
    struct found_file found;

    diag_set_origin(diag, variable->label_span); /* of reports about files */
    store_set_budget(loader->store, context_budget(model->context));
    bool ok = store_data(diag, loader->store, variable->label, &found, &fault);
    if (ok) {
        ok = read_dat(model, variable, found.path, &found.view, tensor);
    } else if (fault.code == DIAG_CANNOT_READ && loader->missing++ < MISSING_NAMED) {
        diag_file_error(diag, fault.file, DIAG_CANNOT_READ, "no data for variable '%s': %s",
                        VALUE_TEXT(variable->value), fault.why);
        char *nearest = store_nearest(loader->store, variable->label);
        if (nearest)
            diag_help(diag, "there is a file of the label '%s'.", nearest);
        loader->suggested |= nearest != NULL;
        free(nearest);
    } else if (fault.code != DIAG_CANNOT_READ && fault.why) {
        path_report(diag, &fault);
    }
    path_fault_clear(&fault);
    free(found.path);
    diag_set_origin(diag, (struct span){0});
    context_account(model->context, tensor_memory(tensor));
    if (ok)
        variable->tensor = tensor;
    return ok;
}

/* Whether there are data of any variable, among the first of them. */
static bool holds_any(const struct nnefc_model *model, const struct store *store)
{
    const struct source *v = model->graph->variables.first;

    for (int i = 0; v && i < MISSING_SOUGHT; v = v->next, i++)
        if (store_holds(store, v->label))
            return true;
    return false;
}

/* Help for the report made last, that the data are not where --data says. */
static void help_elsewhere(const struct nnefc_model *model)
{
    const struct store *home = model->home;
    struct diag *diag = model->context->diag;

    if (!home || !store_has_data(home) || !holds_any(model, home))
        diag_help(diag, "--data names the folder or archive that has LABEL.dat for each label.");
    else if (store_folder(home))
        diag_help(diag, "the data seem to be in '%s', with the model: leave out --data.",
                  store_folder(home));
    else
        diag_help(diag, "the data seem to be in the archive of the model: leave out --data.");
}

/* Is the store one of this model?  A folder that is not there, or one that --data names and that
 * has nothing to do with the model, is one fault and not one of each variable. */
static bool is_right_store(const struct nnefc_model *model, const struct store *store)
{
    const char *folder = store_folder(store), *label = model->graph->variables.first->label;
    struct diag *diag = model->context->diag;

    if (folder && access(*folder ? folder : ".", X_OK) != 0) {
        bool absent = errno == ENOENT;
        diag_file_error(diag, folder, DIAG_CANNOT_READ, "cannot read the folder of the data: %s",
                        strerror(errno));
        if (absent) {
            help_elsewhere(model);
            listing_help(diag, folder);
        }
        return false;
    }
    if (!model->data_folder || holds_any(model, store))
        return true;
    char *nearest = store_nearest(store, label), *file = label_file(label);
    bool related = nearest;
    if (!related) {
        diag_file_error(diag, model->data_folder, DIAG_CANNOT_READ,
                        "no data for any variable of the model, such as '%s'", file);
        help_elsewhere(model);
    }
    free(nearest);
    free(file);
    return related;
}

/* Are the data of two labels the same bytes? */
static bool have_same_data(struct diag *diag, struct store *store, const char *a, const char *b)
{
    const char *const label[] = {a, b};
    struct found_file found[2];
    int opened = 0;

    while (opened < 2 && store_data(diag, store, label[opened], &found[opened], NULL))
        opened++;
    bool same = opened == 2 && found[0].view.size == found[1].view.size &&
                memcmp(found[0].view.data, found[1].view.data, found[0].view.size) == 0;
    for (int i = 0; i < opened; i++) {
        file_close(&found[i].view);
        free(found[i].path);
    }
    return same;
}

/* False after a report. */
static bool label_agrees(struct diag *diag, struct store *store, const struct source *first,
                         const struct source *variable)
{
    const int errors = diag_error_count(diag);

    if (have_same_data(diag, store, first->label, variable->label))
        return true;
    if (diag_error_count(diag) > errors) /* one of them cannot be read */
        return false;
    diag_error(diag, variable->label_span, DIAG_LABEL_SHARED,
               "labels '%s' and '%s' are the same, because case does not count, but their files "
               "differ",
               first->label, variable->label);
    return diag_help(diag, "rename one of the labels and its file.");
}

/* Labels that differ only in case share their data (E48), so if each has a file, the files are
 * equal.  False after a report. */
static bool labels_agree(const struct nnefc_model *model, struct store *store)
{
    const bool provisional = model->graph->provisional;
    struct diag *diag = model->context->diag;
    struct map first = {0};
    bool ok = true;

    for (const struct source *v = model->graph->variables.first; v && ok; v = v->next) {
        const char *key = label_key(model->context, v->label, provisional);
        const struct source *before = map_get(&first, key);
        if (!before)
            map_set(&first, key, v);
        else if (strcmp(before->label, v->label) != 0)
            ok = label_agrees(diag, store, before, v);
    }
    map_free(&first);
    return ok;
}

/* After a fault the model has none of the data, and a later run tries again. */
bool weights_load(struct nnefc_model *model)
{
    int count = model->graph->variables.count, n = 0;
    struct source *first = model->graph->variables.first;
    struct diag *diag = model->context->diag;
    struct loader loader = {.model = model};

    if (model->weights || model->imported)
        return true;
    model->weights = heap_array((size_t)count, sizeof *model->weights);
    model->nweight = count;
    if (count == 0)
        return true;
    loader.store = need_store(model);
    bool ready =
        loader.store && is_right_store(model, loader.store) && prepare(model, loader.store);
    bool ok = ready, cancelled = false;
    struct source *v = ready ? first : NULL;
    for (; v && !diag_full(diag) && loader.missing < MISSING_SOUGHT && !cancelled; v = v->next) {
        cancelled = context_cancelled(model->context);
        ok &= !cancelled && load_variable(&loader, v, &model->weights[n++]);
        model_progress(model, NNEFC_WORK_DATA, n, model->nweight);
    }
    if (loader.missing > MISSING_NAMED)
        diag_file_error(diag, NULL, DIAG_CANNOT_READ, "%d%s more variables have no data",
                        loader.missing - MISSING_NAMED,
                        loader.missing == MISSING_SOUGHT ? " or" : "");
    if (loader.missing > 0 && !loader.suggested)
        diag_help(diag, "name the folder of the data with --data, or run 'nnefc init MODEL' for "
                        "random weights.");
    if (ok && labels_agree(model, loader.store))
        return true;
    for (v = first; v; v = v->next) /* forget what was read before the fault */
        v->tensor = NULL;
    weights_free(model);
    return false;
}

/* Their bytes are given back to the budget of the model. */
void weights_free(struct nnefc_model *model)
{
    for (int i = 0; model->weights && i < model->nweight; i++) {
        context_account(model->context, -tensor_memory(&model->weights[i]));
        tensor_clear(&model->weights[i]);
    }
    free(model->weights);
    model->weights = NULL;
}

/* --- making up --------------------------------------------------------------------------- */

/* Is there no file of the data of a variable yet?  False after a report. */
static bool is_vacant(const struct nnefc_model *model, const char *folder,
                      const struct source *variable)
{
    struct diag *diag = model->context->diag;
    struct path_fault fault = {0};
    char *file = path_of_label(folder, variable->label, &fault);
    char *path = file ? path_find(&(struct folder_file){folder, file}, true, &fault) : NULL;
    bool vacant = path && access(path, F_OK) != 0;

    if (!path) {
        path_report(diag, &fault);
    } else if (!vacant) {
        diag_file_error(diag, path, DIAG_CANNOT_WRITE, "the data of variable '%s' is there already",
                        VALUE_TEXT(variable->value));
        diag_help(diag, "replace all data of the model with --force.");
    }
    free(path);
    free(file);
    return vacant;
}

/* Who writes random items, and where to. */
struct making {
    const struct nnefc_model *model;
    uint64_t seed; /* the same items for the same seed */
    struct out_set set;
};

/* Put random items of a variable into a file of the set. */
static bool put_random(struct making *making, const struct value *value,
                       const struct folder_file *place)
{
    const struct nnefc_model *model = making->model;
    struct diag *diag = model->context->diag;
    struct reading made = {diag, place->name, context_budget(model->context)};
    struct tensor tensor;

    if (!reading_allocate(&made, &tensor, value->dtype, value->shape))
        return false;
    init_variable(value, model->checked->library, making->seed, &tensor);
    struct out_file *file = out_open_in(&making->set, place);
    struct sink sink = file ? out_sink(file) : (struct sink){.name = place->name};
    bool ok = file && dat_put(diag, &sink, &tensor, NULL);
    tensor_clear(&tensor);
    return ok;
}

/* Of variables that share a label the first stands for all: they are one file. */
static bool write_all(struct nnefc_model *model, uint64_t seed, const char *folder)
{
    struct making making = {model, seed, {model->context->diag, .force = true}};
    struct storage storage; /* which variables share a label */
    bool ok = true;

    if (!storage_fill(&storage, model->graph, NULL))
        arena_out_of_memory();
    bool *seen = heap_array((size_t)storage.count, sizeof *seen);
    for (const struct source *v = model->graph->variables.first; v && ok; v = v->next) {
        uint32_t place = storage.place[v->value->id];
        struct path_fault fault = {0};
        if (seen[place])
            continue;
        seen[place] = true;
        char *file = path_of_label(folder, v->label, &fault);
        ok = file ? put_random(&making, v->value, &(struct folder_file){folder, file})
                  : path_report(model->context->diag, &fault);
        free(file);
    }
    free(seen);
    storage_clear(&storage);
    return out_commit(&making.set, ok);
}

/* Nothing is written if one of the files is there, unless `force`. */
bool api_model_init_weights(struct nnefc_model *model, uint64_t seed, bool force)
{
    if (!graph_is_there(model, "given weights"))
        return false;
    if (model->imported)
        return misuse(model, "a model of ONNX, or in a graph file, has its weights already");
    if (model->kept)
        return misuse(model, "a model that was rewritten has its weights already");
    for (const struct source *v = model->graph->variables.first; v; v = v->next)
        if (v->quant && v->value->dtype == DTYPE_INTEGER)
            return misuse(model,
                          "random weights are scalars, but '%s' has integers, as the "
                          "quantization file says",
                          v->label);
    struct diag *diag = model->context->diag;
    const struct source *first = model->graph->variables.first;
    if (!first)
        return true;
    struct store *store = need_store(model);
    const char *folder = store ? store_folder(store) : NULL;
    bool ok = folder;
    if (store && !folder) {
        diag_file_error(diag, store_document_name(store), DIAG_CANNOT_WRITE,
                        "cannot write data into an archive");
        diag_help(diag, "name a folder with --data, and then see 'nnefc pack'.");
    }
    for (const struct source *v = first; v && ok && !force; v = v->next)
        ok = is_vacant(model, folder, v);
    return ok && write_all(model, seed, folder);
}

bool nnefc_label_equal(const char *a, const char *b)
{
    return a && b && label_equal(a, b);
}
