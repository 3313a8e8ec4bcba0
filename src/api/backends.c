/* backends.c - who computes; see backends.h and include/nnefc/backend.h */
#include "api/backends.h"

#include "api/api_priv.h"
#include "base/text.h"
#include "exec/backend.h"
#include "kernel/kernels.h"
#include "nnefc/backend.h"

#include <string.h>

static const char *const names[] = {"auto", "reference", "portable"};

enum { NAMES = sizeof names / sizeof names[0], PORTABLE = 2 };

const char *nnefc_backend_name(int index)
{
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

const char *nnefc_backend_facts(int index)
{
    if (index < 0 || index >= NAMES)
        return NULL;
    return index == PORTABLE ? kernels_variant(0)->name : "";
}

static int index_of(const char *name)
{
    int index = 0;

    while (index < NAMES && strcmp(name, names[index]) != 0)
        index++;
    return index;
}

bool backend_is_known(const struct nnefc_model *model, const char *name)
{
    if (index_of(name) < NAMES)
        return true;
    misuse(model, "there is no backend '%s'", name);
    return false;
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
