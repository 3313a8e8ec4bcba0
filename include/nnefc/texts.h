/*
 * texts.h - the part of nnefc.h for editors and menders: texts of a model, and fixes made in them
 */
#ifndef NNEFC_TEXTS_H
#define NNEFC_TEXTS_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before loading: let the document or quantization file `path`, which is there, have this text,
 * which is copied, instead of what is in it: an editor may not have saved it yet.  The path of an
 * archive stands for the document in it. */
NNEFC_API enum nnefc_status nnefc_model_set_text(struct nnefc_model *model, const char *path,
                                                 const char *text, size_t size);

/* What loading read. */
enum nnefc_part { NNEFC_PART_DOCUMENT, NNEFC_PART_QUANT };

struct nnefc_text {
    const char *name; /* as diagnostics have it; NULL: no such text was read */
    const char *path; /* "-" is standard input; NULL: it is from memory or an archive */
    const char *data; /* NUL-terminated; lives as long as the model */
    size_t size;
};
NNEFC_API struct nnefc_text nnefc_model_text(const struct nnefc_model *model, enum nnefc_part part);

/* A change of the text that mends the fault and leaves the meaning of valid texts alone. */
struct nnefc_fix {
    const char *file;
    size_t begin, end; /* bytes of the file to replace: the first, and that behind the last */
    int line, column, end_line, end_column; /* the same, as of a diagnostic */
    const char *replacement;
};

/* A text, to be freed with free(), as it is with the fixes made of the diagnostics recorded so far;
 * returns how many these are, 0 with *text NULL if none has any.  Of those in each other's way the
 * first is mended: set the new text, load and ask again until there is nothing to mend. */
NNEFC_API int nnefc_model_fixed_text(const struct nnefc_model *model, enum nnefc_part part,
                                     char **text, size_t *size);

/* Replace a file, or what a link leads to, whole or not at all; "-" is standard output.  Files that
 * the model was read from are kept, unless nnefc_model_set_force() says otherwise. */
NNEFC_API enum nnefc_status nnefc_model_write_text(struct nnefc_model *model, const char *path,
                                                   const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
