/* findings.h - pages of what commands have found: the models, and the record of the command */
#ifndef NNEFC_DRIVER_VIEW_FINDINGS_H
#define NNEFC_DRIVER_VIEW_FINDINGS_H

#include "nnefc/nnefc.h"

#include <stdbool.h>

struct command;
struct record;

struct findings {
    const struct nnefc_model *model[2]; /* A and B, or the only one; NULL: it is none */
    struct nnefc_run *run;              /* of the only one, whose steps are shown; or NULL */
    struct record *record;              /* what --json prints, which is freed */
};

/* Can a page of this name be written, besides what is printed?  Else a status after a message.
 * NULL: no page is wanted. */
enum nnefc_status page_fits(const struct command *command, const char *path);

/* Write a page that shows them, and needs nothing else; the file appears whole or not at all.
 * False sets errno. */
bool findings_write(const char *path, const struct findings *findings);

#endif
