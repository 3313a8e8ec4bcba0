/*
 * state.h - variables that are updated (NNEF 1.0.5, section 4.8), in a format that has no state
 *
 * Such a variable becomes an input of the model and its new value an output "LABEL_out"; metadata
 * "nnef.state.LABEL" = "input,output" says which belong together.  Whoever runs the model feeds the
 * output of one step to the next; what the first is fed is kept in a file beside the model or in an
 * initializer of the input's name, which makes feeding it optional.
 */
#ifndef NNEFC_CONVERT_ONNX_STATE_H
#define NNEFC_CONVERT_ONNX_STATE_H

#include "file/npz.h"
#include "convert/onnx/export_out.h"

/* Behind the inputs of the graph, before its nodes are made; returns what they hold at first. */
struct npz_list state_inputs(struct onnx_out *out);

/* ... and lets them hold it where they are not fed. */
void state_defaults(struct onnx_out *out);

/* Behind its outputs. */
void state_outputs(struct onnx_out *out, struct onnx_model *model);

#endif
