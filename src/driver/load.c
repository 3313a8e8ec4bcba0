/* load.c - from settings to a loaded model */
#include "driver/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

struct nnefc_model *load_model(const struct settings *settings)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_dialect(model, settings->dialect);
    nnefc_model_set_pedantic(model, settings->pedantic);
    set_warnings(settings, model);
    nnefc_model_set_keep(model, settings->keep);
    nnefc_model_set_data_folder(model, settings->data);
    nnefc_model_set_quant_file(model, settings->quant_file);
    nnefc_model_set_quantize(model, settings->quantize);
    if (settings->error_limit >= 0)
        nnefc_model_set_error_limit(model, settings->error_limit);
    for (int i = 0; i < settings->nlimit; i++)
        nnefc_model_set_limit(model, settings->limits[i].limit, settings->limits[i].value);
    for (int i = 0; i < settings->nshape; i++) {
        const struct named_shape *shape = &settings->shapes[i];
        nnefc_model_set_shape(model, shape->name, shape->rank, shape->extent);
    }
    nnefc_model_load(model, settings->model);
    return model;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

/* The option counts more than the environment, that more than what `to` is. */
static bool use_colour(enum colour colour, FILE *to)
{
    const char *term = getenv("TERM");

    switch (colour) {
    case COLOUR_ALWAYS:
        return true;
    case COLOUR_NEVER:
        return false;
    case COLOUR_AUTO:
        break;
    }
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
        return true;
    return isatty(fileno(to)) && !(term && strcmp(term, "dumb") == 0);
}

void print_diagnostics(const struct settings *settings, struct nnefc_model *model)
{
    if (settings->quiet && nnefc_model_error_count(model) == 0)
        return;
    nnefc_model_print_diagnostics(model, stderr, settings->print,
                                  use_colour(settings->colour, stderr));
}

void close_model(const struct settings *settings, struct nnefc_model *model)
{
    print_diagnostics(settings, model);
    nnefc_model_free(model);
}
