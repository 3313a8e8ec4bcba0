/* weights.c - data of variables: read from the model's folder, or made up and written there */
#include "api/api_priv.h"
#include "base/arena.h"
#include "exec/init.h"
#include "ir/graph.h"
#include "tensor/dat.h"
#include "tensor/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- reading ----------------------------------------------------------------------------- */

static bool no_folder(const struct nnefc_model *model, const struct source *variable)
{
    struct diag *diag = model->context->diag;

    diag_error(diag, variable->span, DIAG_CANNOT_READ,
               "variable '%s' has data, but the model has no folder to read it from",
               VALUE_TEXT(variable->value));
    diag_help(diag, "name the folder with --data.");
    return false;
}

static bool read_dat(const struct nnefc_model *model, const struct source *variable,
                     const char *path, struct tensor *tensor)
{
    struct dat_info info;

    if (!dat_read(model->context->diag, path, tensor, &info))
        return false;
    struct data_check check = {path, variable->value, &info.format};
    return data_fits(model->graph, &check, tensor);
}

static bool load_variable(const struct nnefc_model *model, struct source *variable,
                          struct tensor *tensor)
{
    if (!model->data_folder)
        return no_folder(model, variable);
    char *path = label_find(model->context->diag, model->data_folder, variable->label);
    bool ok = path && read_dat(model, variable, path, tensor);
    free(path);
    if (ok)
        variable->tensor = tensor;
    return ok;
}

bool weights_load(struct nnefc_model *model)
{
    struct source_list variables = model->graph->variables;
    bool ok = true;
    int n = 0;

    if (model->weights)
        return true;
    model->weights = calloc((size_t)variables.count + 1, sizeof *model->weights);
    if (!model->weights)
        arena_out_of_memory();
    for (struct source *v = variables.first; v && !diag_full(model->context->diag); v = v->next)
        ok &= load_variable(model, v, &model->weights[n++]);
    if (!ok)
        weights_free(model);
    return ok;
}

void weights_free(struct nnefc_model *model)
{
    int n = 0;

    if (!model->weights)
        return;
    for (struct source *v = model->graph->variables.first; v; v = v->next) {
        tensor_clear(&model->weights[n++]);
        v->tensor = NULL;
    }
    free(model->weights);
    model->weights = NULL;
}

/* --- making up --------------------------------------------------------------------------- */

static bool cannot_write(const struct nnefc_model *model, const char *path)
{
    return diag_file_error(model->context->diag, path, DIAG_CANNOT_WRITE, "cannot write: %s",
                           strerror(errno));
}

/* Every folder on the way to the file `path`. */
static bool make_folders(const struct nnefc_model *model, char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST || cannot_write(model, path);
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_random(const struct nnefc_model *model, const struct source *variable,
                         uint64_t seed, char *path)
{
    const struct value *value = variable->value;
    struct diag *diag = model->context->diag;
    struct tensor tensor;

    if (!tensor_allocate(&tensor, value->dtype, value->shape))
        return diag_error(diag, variable->span, DIAG_RUN_MEMORY,
                          "not enough memory for variable '%s' of shape %s", VALUE_TEXT(value),
                          SHAPE_TEXT(value->shape));
    init_variable(value, model->checked->library, seed, &tensor);
    bool ok = make_folders(model, path) && dat_write(diag, path, &tensor, NULL);
    tensor_clear(&tensor);
    return ok;
}

static bool is_vacant(const struct nnefc_model *model, const struct source *variable)
{
    char *path = label_path(model->data_folder, variable->label);
    bool vacant = access(path, F_OK) != 0;

    if (!vacant) {
        diag_file_error(model->context->diag, path, DIAG_CANNOT_WRITE,
                        "the data of variable '%s' is there already", VALUE_TEXT(variable->value));
        diag_help(model->context->diag, "replace all data of the model with --force.");
    }
    free(path);
    return vacant;
}

static bool init_weights(struct nnefc_model *model, uint64_t seed, bool force)
{
    const struct source *first = model->graph->variables.first;
    bool ok = true;

    if (first && !model->data_folder)
        return no_folder(model, first);
    for (const struct source *v = first; v && ok && !force; v = v->next)
        ok = is_vacant(model, v);
    for (const struct source *v = first; v && ok; v = v->next) {
        char *path = label_path(model->data_folder, v->label);
        ok = write_random(model, v, seed, path);
        free(path);
    }
    return ok;
}

enum nnefc_status nnefc_model_init_weights(struct nnefc_model *model, uint64_t seed, bool force)
{
    int before = diag_count(model->context->diag);

    if (!model->graph)
        return NNEFC_USAGE;
    return init_weights(model, seed, force) ? NNEFC_OK : status_since(model, before);
}
