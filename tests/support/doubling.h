/* doubling.h - the model of tests that are about runs: y is 2 * x, both of scalars [2,3] */
#ifndef NNEFC_TESTS_SUPPORT_DOUBLING_H
#define NNEFC_TESTS_SUPPORT_DOUBLING_H

struct nnefc_model;
struct nnefc_run;

enum { DOUBLING_ITEMS = 6 };

/* Of a test: *state is the model. */
int doubling_setup(void **state);
int doubling_teardown(void **state);

/* With one thread; one that is not there is replaced, and what is said of that forgotten. */
struct nnefc_run *doubling_run(struct nnefc_model *model, const char *backend);

/* A step with these items as the input, which must have been given. */
void assert_doubles(struct nnefc_run *run, const float items[DOUBLING_ITEMS]);

#endif
