/* expect.h - nnefc run --expect: results are compared with what was expected of them */
#ifndef NNEFC_DRIVER_EXPECT_H
#define NNEFC_DRIVER_EXPECT_H

#include "driver/comparison.h"

struct expected {
    const struct command *command;
    const struct option_list *given; /* struct named_file */
    struct nnefc_model *model;
    const char **file;             /* by result; NULL: none of its own */
    const char *place;             /* a folder or archive for all of them; NULL: there is none */
    struct nnefc_results *results; /* those in it */
};

/* See what is expected of which result, before anything is computed; to be freed in any case. */
enum nnefc_status expected_plan(struct expected *expected, const struct command *command,
                                const struct option_list *given, struct nnefc_model *model);

/* Compare, and print that unless --quiet is given.  NNEFC_DIFFERENT if any result differs. */
enum nnefc_status expected_compare(const struct expected *expected, const struct nnefc_run *run,
                                   const struct nnefc_tolerance *tolerance, enum form form);

void expected_free(struct expected *expected);

#endif
