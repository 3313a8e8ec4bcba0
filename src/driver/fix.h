/*
 * fix.h - nnefc check --fix and --diff: make the changes that diagnostics propose
 *
 * Changes are made in memory, and the model is checked again, until no change is proposed.  After
 * that the files that changed are written, each as a whole.
 */
#ifndef NNEFC_DRIVER_FIX_H
#define NNEFC_DRIVER_FIX_H

#include "driver/load.h"

enum { MENDED_PARTS = NNEFC_PART_QUANT + 1 };

/* One text of the model, before and after the fixes; {0}: it was not read. */
struct mended {
    char *path; /* NULL: it has none, as in archives */
    char *before, *after;
    size_t before_size, after_size;
    bool changed;
};

/* The caller sets the first four members. */
struct mending {
    const struct command *command;
    const struct loading *loading;
    const char *path; /* of the model */
    bool diff;        /* print the difference, write nothing */
    struct mended part[MENDED_PARTS];
    int faults;                 /* that were fixed */
    int left;                   /* errors and warnings */
    bool written;               /* all that had to be written */
    struct nnefc_model *unread; /* a model without a text that could be fixed */
};

/*
 * Fix the model and write its files, or print the difference.  NNEFC_USAGE after a message if the
 * model is a stream or in an archive, or the status of a file
 * that could not be written.
 */
enum nnefc_status mend(struct mending *mending);

/* Load the model as its files are now, or, from standard input, as it was printed. */
struct nnefc_model *mend_load(const struct mending *mending);

/* Report how much was fixed, and free all. */
void mend_end(struct mending *mending);

/*
 * For --diff: print the difference, with three lines of context; nothing if the texts, which may
 * hold any bytes, are the same.  The path "-" is called <stdin>.
 */
void unified_print(FILE *to, const struct mended *texts);

#endif
