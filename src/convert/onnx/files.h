/*
 * files.h - an ONNX model and the files that belong to it
 *
 *     PATH              the model
 *     PATH.data         its larger weights, if asked for or if the model would be too large
 *     PATH.state.npz    the first state: an array for each input that the state is fed to
 */
#ifndef NNEFC_CONVERT_ONNX_FILES_H
#define NNEFC_CONVERT_ONNX_FILES_H

#include "convert/proto/onnx.h"
#include "file/npz.h"

struct arena;
struct diag;

/* Where a model goes, and how. */
struct onnx_files {
    const char *path; /* "-": standard output, which is for a model alone */
    bool force;       /* files that were read may be replaced (file/out.h) */
    bool external;    /* weights have a file of their own in any case */
    uint64_t size;    /* of the largest model that holds them itself: ONNX_SIZE_MAX */
    struct npz_list state;
};

/*
 * Writes all the files or touches none: false after a report.  Data that went to a file of their
 * own have left `model`, whose initializers refer to that file. Paths lie in the arena.
 */
bool onnx_files_write(struct diag *diag, struct arena *arena, struct onnx_model *model,
                      const struct onnx_files *files);

#endif
