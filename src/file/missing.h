/* missing.h - folders without a document, and what may be meant instead (NNEF 1.0.5, section 5.1) */
#ifndef NNEFC_FILE_MISSING_H
#define NNEFC_FILE_MISSING_H

#include <stdbool.h>

struct diag;

/* Whether `folder` lacks the document `file`, whatever its case: true after a report that names
 * another document in it, if there is one only or one is near. */
bool document_missing(struct diag *diag, const char *folder, const char *file);

#endif
