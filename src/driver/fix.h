/*
 * fix.h - nnefc check --fix and --diff: models with the changes made that diagnostics propose
 *
 * Changes are made and looked at anew until none is proposed; files are written after that, each as
 * a whole, and only those that change.
 */
#ifndef NNEFC_DRIVER_FIX_H
#define NNEFC_DRIVER_FIX_H

#include "driver/load.h"

enum { MENDED_PARTS = NNEFC_PART_QUANT + 1 };

/* A text of the model; {0}: it was not read. */
struct mended {
    char *path; /* NULL: it has none, as in archives */
    char *before, *after;
    size_t before_size, after_size;
    bool changed;
};

/* Starts with its first four members. */
struct mending {
    const struct command *command;
    const struct loading *loading;
    const char *path; /* of the model */
    bool diff;        /* print the difference, write nothing */
    struct mended part[MENDED_PARTS];
    int faults;                 /* mended */
    int left;                   /* errors and warnings */
    bool written;               /* what there was to write */
    struct nnefc_model *unread; /* the model of which there is no text to mend */
};

/*
 * Mend the model and write its files, or print the difference.  NNEFC_USAGE after a message if it
 * cannot be mended where it is, NNEFC_INTERNAL if memory ran out, or the status of what could not
 * be written.
 */
enum nnefc_status mend(struct mending *mending);

/* The model as its files are now; standard input as it was written to standard output. */
struct nnefc_model *mend_load(const struct mending *mending);

/* Say how much was mended, and free all. */
void mend_end(struct mending *mending);

#endif
