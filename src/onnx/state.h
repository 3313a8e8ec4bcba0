/*
 * state.h - variables that are updated (NNEF 1.0.5, section 4.8), in a format that has no state
 *
 * Such a variable becomes an input of the model and its new value an output "LABEL_out"; metadata
 * "nnef.state.LABEL" = "input,output" says which belong together.  Whoever runs the model feeds the
 * output of one step to the next.
 */
#ifndef NNEFC_ONNX_STATE_H
#define NNEFC_ONNX_STATE_H

#include "op/onnx_out.h"

/* Behind the inputs of the graph, before its nodes are made. */
void state_inputs(struct onnx_out *out);

/* Behind its outputs. */
void state_outputs(struct onnx_out *out, struct onnx_model *model);

#endif
