/* outputs.h - which result goes where, and all of them written or none */
#ifndef NNEFC_DRIVER_OUTPUTS_H
#define NNEFC_DRIVER_OUTPUTS_H

#include "driver/compute.h"

struct target {
    char *path, *temporary; /* the second is NULL before it is written, and for a stream */
    int result;             /* -1: all, in an archive */
    bool in_folder;         /* which is made if it is not there */
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

/* Settle what is to be written and see whether that can be, before anything is computed. */
enum nnefc_status outputs_plan(struct outputs *outputs, const struct command *command,
                               const struct option_list *given, struct nnefc_model *model);

/* Files get their names only when all of them are complete. */
enum nnefc_status outputs_write(struct outputs *outputs, const struct nnefc_run *run);

void outputs_free(struct outputs *outputs);

#endif
