/*
 * fed.h - extents that a model leaves open, as the files have them that its inputs are fed with
 *
 * Only their headers are read, and only of inputs with such extents.  What the caller gives goes
 * before them; whether a file fits the rest of a shape is seen when it is fed.
 */
#ifndef NNEFC_CONVERT_ONNX_FED_H
#define NNEFC_CONVERT_ONNX_FED_H

#include "convert/onnx/import.h"

struct context;

/*
 * The shape of an input as "[batch,3,?]", where `shape` says what is known of it by now, names with
 * `sign` in front; and the help for who has to give the rest, for the last report.
 */
const char *open_text_of(struct context *context, const struct open_input *input,
                         const struct shape *shape, const char *sign);
bool open_help(struct context *context, const struct open_input *input, const struct shape *shape);

/* Report that extents of the input are not known; `file` may be NULL.  Always false. */
bool open_report(struct context *context, const char *file, const struct open_input *input,
                 const struct shape *shape);

/*
 * Add the extents to the options: by name, and as shapes of inputs.  False after a report: a file
 * cannot be read, has another rank, or has another extent of the same name than one before; or an
 * extent stays open, and a file is for an input that there is not.
 */
bool fed_extents(struct context *context, const struct open_input *inputs, int count,
                 struct onnx_import_options *options);

#endif
