/* files.h - which file belongs to which parameter or result */
#ifndef NNEFC_DRIVER_FILES_H
#define NNEFC_DRIVER_FILES_H

#include "driver/settings.h"

/* An archive of arrays without a name feeds the parameters by the names in it. */
bool file_is_for_all(const struct named_file *input);

/* One side of the graph: its parameters or its results. */
struct side {
    const struct settings *settings;
    const char *what; /* "input" or "output" */
    int count;
    int (*find)(void *data, const char *name); /* index, or -1 after a report */
    void *data;
};

/* For `find`; the data is the model. */
int files_find_input(void *model, const char *name);
int files_find_output(void *model, const char *name);

/*
 * Fill file[index] for each index < side->count, NULL where no file is given: those with a name
 * first, the others in order to what is left.
 */
enum nnefc_status files_assign(const struct side *side, const struct named_file *given, int count,
                               const char **file);

#endif
