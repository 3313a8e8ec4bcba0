/* formats.h - from the bytes of a file in some format to the graph of a model */
#ifndef NNEFC_API_FORMATS_H
#define NNEFC_API_FORMATS_H

#include "api/api_priv.h"

/* import.c: the same from the bytes of an ONNX model, which last as long as the model. */
bool import_onnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
void import_free(struct nnefc_model *model);

/* Is there nothing that only an ONNX model can have?  False after a report. */
bool import_unused(const struct nnefc_model *model, const char *name);

/* Is no shape asked for?  False after a report. */
bool is_unshaped(const struct nnefc_model *model, const char *name);

/* native.c: the same of a graph file, and whether bytes are to be read as one. */
bool load_native(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
bool reads_native(const struct nnefc_model *model, const void *bytes, size_t size);

/* foreign.c: whether bytes may be those of an ONNX model; inspect.c: whether they are to be read as
 * one. */
bool is_onnx(const void *bytes, size_t size);
bool reads_onnx(const struct nnefc_model *model, const void *bytes, size_t size);

/* foreign.c: whether its text may be NNEF; else what it is was reported. */
bool is_nnef(const struct nnefc_model *model, const char *name);

#endif
