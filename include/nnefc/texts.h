/*
 * texts.h - the part of nnefc.h for editors: the texts of a model, and fixes that are applied to
 * them
 */
#ifndef NNEFC_TEXTS_H
#define NNEFC_TEXTS_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before loading: use this text instead of the content of the document or quantization file
 * `path`, for example because an editor has not saved it yet.  The file must exist.  The text is
 * copied.  The path of an archive stands for the document in it. */
NNEFC_API enum nnefc_status nnefc_model_set_text(struct nnefc_model *model, const char *path,
                                                 const char *text, size_t size);

/* The texts that loading reads. */
enum nnefc_part { NNEFC_PART_DOCUMENT, NNEFC_PART_QUANT };

struct nnefc_text {
    const char *name; /* as diagnostics have it; NULL: no such text was read */
    const char *path; /* "-" is standard input; NULL: it is from memory or an archive */
    const char *data; /* NUL-terminated; lives as long as the model */
    size_t size;
};
NNEFC_API struct nnefc_text nnefc_model_text(const struct nnefc_model *model, enum nnefc_part part);

/* A change of the text that mends the fault.  It does not change the meaning of a valid text. */
struct nnefc_fix {
    const char *file;
    size_t begin, end; /* bytes of the file to replace: the first, and that behind the last */
    int line, column, end_line, end_column; /* the same, as of a diagnostic */
    const char *replacement;
};

/* Apply the fixes of all diagnostics recorded so far.  *text is the new text, which the caller
 * frees with free().  Returns the number of fixes; it is 0, and *text NULL, if there are none.  Of
 * fixes that overlap only the first is applied: set the new text, load, and call this again until
 * it returns 0. */
NNEFC_API int nnefc_model_fixed_text(const struct nnefc_model *model, enum nnefc_part part,
                                     char **text, size_t *size);

/* Replace a file, or the file that a link leads to, whole or not at all; "-" is standard output.
 * Files that the model was read from are not replaced, unless nnefc_model_set_force() allows it. */
NNEFC_API enum nnefc_status nnefc_model_write_text(struct nnefc_model *model, const char *path,
                                                   const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
