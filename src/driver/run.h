/* run.h - the parts of nnefc run: files for results, and results that are expected */
#ifndef NNEFC_DRIVER_RUN_H
#define NNEFC_DRIVER_RUN_H

#include "driver/comparison.h"

/* --- files for results ------------------------------------------------------------------------ */

struct target {
    char *path;
    int result;     /* index; -1: all results, in an archive */
    bool in_folder; /* the folder is made if it does not exist */
};

struct outputs {
    const struct command *command;
    struct nnefc_model *model;
    const char *folder;  /* for all results without a file of their own; NULL: none */
    const char *archive; /* for all results; NULL: none */
    struct target *target;
    int count;
};

/* Can results be written to all of these, struct named_file?  False after a message. */
bool outputs_agree(const struct command *command, const struct option_list *given);

/*
 * Decide which result goes to which file and test whether the files can be written, before anything
 * is computed.  outputs_free() in any case.
 */
enum nnefc_status outputs_plan(struct outputs *outputs, const struct command *command,
                               const struct option_list *given, struct nnefc_model *model);

/* Write all results, or none.  Those of step `step` of several go by its number, from 1: to
 * "out/2/y.dat", or "y.2.npy"; 0: there is one step. */
enum nnefc_status outputs_write(const struct outputs *outputs, const struct nnefc_run *run,
                                int step);

void outputs_free(struct outputs *outputs);

/* --- results that are expected ---------------------------------------------------------------- */

struct expected {
    const struct command *command;
    const struct option_list *given; /* struct named_file */
    struct nnefc_model *model;
    const char **file;             /* by result; NULL: none of its own */
    const char *place;             /* a folder or archive for all of them; NULL: none */
    struct nnefc_results *results; /* those in it */
};

/*
 * Decide which result is compared with what, and open the recorded results, before anything is
 * computed.  expected_free() in any case.
 */
enum nnefc_status expected_plan(struct expected *expected, const struct command *command,
                                const struct option_list *given, struct nnefc_model *model);

/* Compare, and print the findings unless --quiet is given.  NNEFC_DIFFERENT if a result differs. */
enum nnefc_status expected_compare(const struct expected *expected, const struct nnefc_run *run,
                                   const struct nnefc_tolerance *tolerance);

void expected_free(struct expected *expected);

#endif
