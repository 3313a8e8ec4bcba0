/* api_model.c - see api_model.h */
#include "support/api_model.h"

#include "nnefc/nnefc.h"

int api_model_setup(void **state)
{
    *state = nnefc_model_new();
    return 0;
}

int api_model_teardown(void **state)
{
    nnefc_model_free(*state);
    return 0;
}
