/*
 * keep.h - a model of ONNX written as it was read
 *
 * For models without a graph that could be exported: because they run in parts, because inputs
 * decide by their items, or because they vary with extents in other ways than the export can say.
 */
#ifndef NNEFC_CONVERT_ONNX_KEEP_H
#define NNEFC_CONVERT_ONNX_KEEP_H

#include "convert/onnx/import.h"

/*
 * A copy of the model with its operators, in the arena of the context; it refers to the data of the
 * model.  Bound inputs become initializers.  External data are stored in the copy, as views of the
 * files that are added to *options->files.  Inputs have the extents of `interface`
 * (onnx_interface()).  NULL after a report.
 */
struct onnx_model *onnx_keep(struct context *context, const struct onnx_model *model,
                             const struct onnx_import_options *options,
                             const struct graph *interface);

#endif
