/* pnnx.h - models of PNNX */
#ifndef NNEFC_API_PNNX_H
#define NNEFC_API_PNNX_H

#include "file/file.h"

#include <stdbool.h>

struct nnefc_model;

struct pnnx_model {
    struct pnnx_document *document; /* what the file says; NULL: it is none of PNNX */
    const char *weights_file;       /* as asked for; NULL: beside the text */
    struct file_view weights;
    int reading; /* enum nnefc_pnnx_reading */
};

/* Load the text, whose bytes last as long as the model; whether a file is to be read as one. */
bool import_pnnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
bool reads_pnnx(const struct nnefc_model *model, const char *name, const void *bytes, size_t size);

/* The name of the input that makes the operand of this name; NULL if there is none. */
const char *pnnx_input_of_operand(const struct nnefc_model *model, const char *name);
void import_pnnx_free(struct nnefc_model *model);

/* Where the weights of "net.param" are unless told otherwise: "net.bin".  To be freed. */
char *pnnx_path_beside(const char *path);

/* Give attributes their data, if there are any, of the file that was asked for or beside `path`.
 * False after a report. */
bool pnnx_read_weights(struct nnefc_model *model, const char *path);

#endif
