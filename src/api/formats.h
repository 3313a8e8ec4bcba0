/*
 * formats.h - from the bytes of a file in some format to the graph of a model
 *
 * Bytes last as long as the model, and diagnostics call them `name`.  All functions that give false
 * or NULL have reported why, but for those that recognise.
 */
#ifndef NNEFC_API_FORMATS_H
#define NNEFC_API_FORMATS_H

#include "api/api_priv.h"

/* compile.c: the format of these bytes: what the client asked for, else what they look like. */
enum nnefc_format format_of(const struct nnefc_model *model, const char *name, const void *bytes,
                            size_t size);

/* Make the graph of bytes in that format, never AUTO.  Those of NNEF are model->text. */
bool load_format(struct nnefc_model *model, enum nnefc_format format, const char *name,
                 const void *bytes, size_t size);

/* import.c: ONNX.  Bytes are recognised by the first fields of a ModelProto. */
bool onnx_recognise(const char *name, const void *bytes, size_t size);
bool import_onnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
void import_free(struct nnefc_model *model);

/* What the client asked for, for an import of ONNX or PNNX. */
struct onnx_import_options *import_options(struct nnefc_model *model, const char *name);

/* Did the client ask for nothing that only a model of ONNX can have? */
bool import_unused(const struct nnefc_model *model, const char *name);

/* native.c: graph files */
bool native_recognise(const char *name, const void *bytes, size_t size);
bool load_native(struct nnefc_model *model, const char *name, const void *bytes, size_t size);

/* pnnx.c: the text of PNNX, by the number that it begins with or by its name, "net.param". */
bool pnnx_recognise(const char *name, const void *bytes, size_t size);
bool import_pnnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
void import_pnnx_free(struct nnefc_model *model);

/* The name of the input that makes the operand of this name; NULL, without a report, if none does.
 */
const char *pnnx_input_of_operand(const struct nnefc_model *model, const char *name);

/* Where the weights of "net.param" are if the client names no other: "net.bin".  To be freed. */
char *pnnx_path_beside(const char *path);

/* Give attributes their data, if there are any, of the file that was asked for or beside `path`. */
bool pnnx_read_weights(struct nnefc_model *model, const char *path);

/* foreign.c: may its text be NNEF?  Reports what it looks like if not. */
bool is_nnef(const struct nnefc_model *model, const char *name);

#endif
