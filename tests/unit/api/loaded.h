/* loaded.h - models of files, for tests of clients */
#ifndef NNEFC_TESTS_UNIT_API_LOADED_H
#define NNEFC_TESTS_UNIT_API_LOADED_H

#include "nnefc/nnefc.h"

#include "support/t.h"

/* A model that is loaded, the caller's to free; the test fails if it cannot be. */
static inline struct nnefc_model *loaded_model(const char *path)
{
    struct nnefc_model *model = nnefc_model_new();

    if (nnefc_model_load(model, path) != NNEFC_OK)
        fail_msg("%s: %s", path, nnefc_model_diagnostics(model)->at[0]->text);
    return model;
}

#endif
