/*
 * files.h - an ONNX model and the files that belong to it
 *
 *     PATH              the model
 *     PATH.data         its larger weights, if they are asked for there or do not fit into the model
 *     PATH.state.npz    what its state is at first: an array for each input that the state is fed to
 */
#ifndef NNEFC_CONVERT_ONNX_FILES_H
#define NNEFC_CONVERT_ONNX_FILES_H

#include "convert/proto/onnx.h"
#include "file/npz.h"

struct arena;
struct diag;

struct onnx_files {
    const char *path; /* "-": standard output, which is for a model alone */
    bool external;    /* weights have a file of their own in any case */
    uint64_t size;    /* of the largest model that holds them itself: ONNX_SIZE_MAX */
    struct npz_list state;
};

/* All the files are complete, or none is touched: false after a report.  Data that went to a file of
 * its own have left `model`. */
bool onnx_files_write(struct diag *diag, struct arena *arena, struct onnx_model *model,
                      const struct onnx_files *files);

#endif
