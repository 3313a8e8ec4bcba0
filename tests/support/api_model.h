/* api_model.h - setup and teardown of tests that have a model, as clients do */
#ifndef NNEFC_TESTS_SUPPORT_API_MODEL_H
#define NNEFC_TESTS_SUPPORT_API_MODEL_H

/* *state is a model that is not loaded, until the test is over. */
int api_model_setup(void **state);
int api_model_teardown(void **state);

#endif
