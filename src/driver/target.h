/* target.h - the format of a file that a model is written into */
#ifndef NNEFC_DRIVER_TARGET_H
#define NNEFC_DRIVER_TARGET_H

#include "driver/command.h"

/* TARGET_BY_NAME: the name of the file decides. */
enum target_format {
    TARGET_BY_NAME,
    TARGET_NNEF = NNEFC_FORMAT_NNEF,
    TARGET_ONNX = NNEFC_FORMAT_ONNX,
    TARGET_GRAPH = NNEFC_FORMAT_GRAPH,
    TARGET_PNNX = NNEFC_FORMAT_PNNX
};

/* The format that the name means; false after a message if it means none.  A stream gets ONNX
 * unless --to is given. */
bool target_find(const struct command *command, const char *path, enum target_format *format);

/* What is to be written, and how. */
struct target_form {
    const char *path;
    enum target_format format; /* never TARGET_BY_NAME */
    enum nnefc_profile profile;
    const struct nnefc_onnx *onnx;           /* NULL: as usual */
    const struct nnefc_run_options *packing; /* of a graph file; NULL: nothing is packed */
};

enum nnefc_status target_write(const struct target_form *form, struct nnefc_model *model);

#endif
