/* load.c - from settings to a loaded model */
#include "driver/load.h"

#include "driver/report.h"
#include "driver/rewrite.h"

static void set_warnings(const struct settings *settings, struct nnefc_model *model)
{
    for (int i = 0; i < settings->nwarning; i++) {
        const struct warning_setting *warning = &settings->warnings[i];
        if (warning->name)
            nnefc_model_set_warning(model, warning->name, warning->state);
        else
            nnefc_model_set_werror(model, warning->state == NNEFC_WARNING_ERROR);
    }
}

/* False if a file cannot be read. */
static bool load_onnx_options(const struct settings *settings, struct nnefc_model *model)
{
    bool ok = true;

    for (int i = 0; i < settings->nextent; i++)
        nnefc_model_set_extent(model, settings->extents[i].name, settings->extents[i].extent);
    for (int i = 0; i < settings->nbound; i++)
        ok &= nnefc_model_bind_file(model, settings->bounds[i].name, settings->bounds[i].file) ==
              NNEFC_OK;
    return ok;
}

struct nnefc_model *prepare_model(const struct settings *settings)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_format(model, settings->from);
    nnefc_model_set_dialect(model, settings->dialect);
    nnefc_model_set_pedantic(model, settings->pedantic);
    set_warnings(settings, model);
    nnefc_model_set_keep(model, settings->keep);
    nnefc_model_set_data_folder(model, settings->data);
    nnefc_model_set_weights_file(model, settings->bin);
    nnefc_model_set_quant_file(model, settings->quant_file);
    nnefc_model_set_quantize(model, settings->quantize);
    nnefc_model_set_check_data(model, settings->check_data);
    if (settings->error_limit >= 0)
        nnefc_model_set_error_limit(model, settings->error_limit);
    for (int i = 0; i < settings->nlimit; i++)
        nnefc_model_set_limit(model, settings->limits[i].limit, settings->limits[i].value);
    if (settings->shares_memory)
        nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY,
                              nnefc_model_limit(model, NNEFC_LIMIT_MEMORY) / 2);
    for (int i = 0; i < settings->nshape; i++) {
        const struct named_shape *shape = &settings->shapes[i];
        nnefc_model_set_shape(model, shape->name, shape->rank, shape->extent);
    }
    return model;
}

void load_prepared(const struct settings *settings, struct nnefc_model *model)
{
    if (load_onnx_options(settings, model))
        nnefc_model_load(model, settings->model);
}

struct nnefc_model *load_model(const struct settings *settings)
{
    struct nnefc_model *model = prepare_model(settings);

    load_prepared(settings, model);
    rewrite_model(settings, model);
    return model;
}

void print_diagnostics(const struct settings *settings, struct nnefc_model *model)
{
    report_model(settings, model);
}

void close_model(const struct settings *settings, struct nnefc_model *model)
{
    report_model(settings, model);
    report_forget(settings);
    nnefc_model_free(model);
}
