/*
 * import.h - a model of PNNX becomes a graph of NNEF's operations
 *
 * Converters (convert.h) make the nodes with the same functions as the import of ONNX, so that the
 * shape rules give the shapes, and what is known when the model is read is computed at once. All
 * extents of the inputs have to be known for a graph. An import runs on one thread.
 */
#ifndef NNEFC_CONVERT_PNNX_IMPORT_H
#define NNEFC_CONVERT_PNNX_IMPORT_H

#include "convert/pnnx/document.h"

struct context;
struct graph;
struct import_memory;
struct onnx_import_options;
struct open_input;

/*
 * Is each operator, and each type of items, supported?  Weights need not be there. False after a
 * report for each one that is not.
 */
bool pnnx_check_operators(struct context *context, const struct pnnx_document *document);

/*
 * NULL if anything was reported. All operators are supported, and all attributes have their data.
 * The variables of the graph have their tensors, which are views of these data and of *memory. The
 * caller frees *memory, which is NULL if the graph is. The graph lies in the context's arena. Of
 * the options, shapes go by the name of an input's operator or operand.
 */
struct graph *pnnx_import(struct context *context, const struct pnnx_document *document,
                          const struct onnx_import_options *options, struct import_memory **memory);

/*
 * A graph without nodes whose parameters and results are those of the model. Extents that neither
 * the text nor the options give are unknown, and so are types of results. *inputs, which starts as
 * NULL, describes the parameters. NULL, without a report: the text does not tell how many results
 * there are, or what an input is, or an option names no input of the model.
 */
struct graph *pnnx_interface(struct context *context, const struct pnnx_document *document,
                             const struct onnx_import_options *options, struct open_input **inputs);

#endif
