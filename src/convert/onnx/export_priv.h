/* export_priv.h - shared by the files of onnx/ that make a model of a graph */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_PRIV_H
#define NNEFC_CONVERT_ONNX_EXPORT_PRIV_H

#include "convert/onnx/export.h"
#include "convert/onnx/export_out.h"

/* The model of a graph whose extents are all fixed; NULL after reports.  `initial` as for onnx_export().  *out is begun, and knows
 * what each node was made for, until onnx_out_clear(). */
struct onnx_model *onnx_fill_model(struct onnx_out *out, const struct graph *graph,
                                   const struct onnx_options *options, struct npz_list *initial);

#endif
