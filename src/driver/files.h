/* files.h - which file belongs to which parameter or result */
#ifndef NNEFC_DRIVER_FILES_H
#define NNEFC_DRIVER_FILES_H

#include "driver/settings.h"

/* One side of the graph: its parameters or its results. */
struct side {
    const struct settings *settings;
    const char *what; /* "input" or "output" */
    int count;
    int (*find)(struct nnefc_model *model, const char *name);
};

/*
 * Fill file[index] for each index < side->count, NULL where no file is given: those with a name
 * first, the others in order to what is left.
 */
enum nnefc_status files_assign(struct nnefc_model *model, const struct side *side,
                               const struct named_file *given, int count, const char **file);

#endif
