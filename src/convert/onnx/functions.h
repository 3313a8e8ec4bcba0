/* functions.h - fragments of a document as local functions of its ONNX model */
#ifndef NNEFC_CONVERT_ONNX_FUNCTIONS_H
#define NNEFC_CONVERT_ONNX_FUNCTIONS_H

#include "convert/onnx/export_out.h"

/* The domain of the functions, and its version; the oldest format that has functions. */
#define ONNX_FRAGMENTS "nnef.fragments"
enum { ONNX_FRAGMENTS_VERSION = 1, ONNX_FUNCTIONS_IR = 8 };

/*
 * Put the nodes that each expansion of a fragment of the document made into a function that is
 * called in their place, fragments within fragments too.  Expansions of the same nodes share a
 * function, which has the fragment's name; others add a number.  What was made on behalf of several
 * expansions, or apart from the rest of its own, stays where it is.  False after a
 * report.
 */
bool onnx_make_functions(struct onnx_out *out, struct onnx_model *model);

#endif
