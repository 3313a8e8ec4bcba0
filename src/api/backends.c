/* backends.c - who computes; see backends.h and include/nnefc/backend.h */
#include "api/backends.h"

#include "api/api_priv.h"
#include "base/text.h"
#include "exec/backend.h"
#include "exec/plugin.h"
#include "kernel/kernels.h"
#include "nnefc/backend.h"

#include <string.h>

static const char *const names[] = {"auto", "reference", "portable", "onednn"};

enum { NAMES = sizeof names / sizeof names[0], PORTABLE = 2, PLUGINS = 3 /* and on */ };

const char *nnefc_backend_name(int index)
{
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

const char *nnefc_backend_facts(int index)
{
    const struct plugin *plugin =
        index >= PLUGINS && index < NAMES ? plugin_open(names[index], NULL) : NULL;

    if (index == PORTABLE)
        return kernels_variant(0)->name;
    if (index >= 0 && index < PLUGINS)
        return "";
    return plugin ? plugin->facts : NULL;
}

static int index_of(const char *name)
{
    int index = 0;

    while (index < NAMES && strcmp(name, names[index]) != 0)
        index++;
    return index;
}

/* Asked first; what it does not take is for the portable one. */
static bool use_plugin(struct backend *backend, const char *name, struct text *why)
{
    const struct plugin *plugin = plugin_open(name, why);

    if (!plugin)
        return false;
    *backend = *plugin->backend;
    backend->next = &backend_portable;
    return true;
}

/* A warning, unless it is to be an error. */
static bool do_without(const struct nnefc_model *model, const char *name, const struct text *why)
{
    struct diag *diag = model->context->diag;
    int before = diag_error_count(diag);

    diag_file_warning(diag, NULL, WARNING_BACKEND_ABSENT,
                      "backend '%s' cannot be opened, 'portable' computes instead", name);
    if (why->size > 0)
        diag_note(diag, (struct span){0}, "%s", why->data);
    diag_help(diag, "NNEFC_PLUGINS may name the folder that has 'nnefc_%s.so'.", name);
    return diag_error_count(diag) == before;
}

/* Where there are kernels for the processor's vectors they are as fast as any plugin's, and a run starts
 * sooner by them. */
static bool wants_plugin(int index)
{
    bool has_vectors = kernels_variant(1) != NULL;

    return strcmp(names[index], "auto") == 0 && !has_vectors;
}

static bool use_or_do_without(const struct nnefc_model *model, const char *name,
                              struct backend *backend)
{
    struct text why = {0};
    bool ok = use_plugin(backend, name, &why) || do_without(model, name, &why);

    text_free(&why);
    return ok;
}

static bool find(const struct nnefc_model *model, int index, struct backend *backend)
{
    *backend = backend_portable;
    for (int i = PLUGINS; wants_plugin(index) && i < NAMES; i++)
        if (use_plugin(backend, names[i], NULL))
            return true;
    return index < PLUGINS || use_or_do_without(model, names[index], backend);
}

/* To choose from, behind the portable one that is asked first. */
static void add_plugin(struct backend *backend)
{
    const struct plugin *plugin = NULL;

    for (int i = PLUGINS; !plugin && i < NAMES; i++)
        plugin = plugin_open(names[i], NULL);
    if (plugin)
        backend->next = plugin->backend;
}

bool backend_choose(const struct nnefc_model *model, const char *name, bool choice,
                    struct backend *backend)
{
    if (!find(model, index_of(name), backend))
        return false;
    if (choice && strcmp(name, "auto") == 0 && !backend->next)
        add_plugin(backend);
    return true;
}

bool backend_is_known(const struct nnefc_model *model, const char *name)
{
    if (index_of(name) < NAMES)
        return true;
    misuse(model, "there is no backend '%s'", name);
    return false;
}

char *backend_text(const struct backend *backend)
{
    struct text text = {0};

    for (const struct backend *b = backend; b; b = b->next)
        text_add(&text, "%s%s (%s)", b == backend ? "" : ", ", b->name,
                 nnefc_backend_facts(index_of(b->name)));
    return text.data;
}

/* --- what the processor can do ---------------------------------------------------------------- */

static const double peak_seconds = 0.05;

double nnefc_peak_flops(int threads)
{
    return kernels_peak(threads, peak_seconds);
}

const char *nnefc_kernels_name(void)
{
    return kernels_variant(0)->name;
}
