/*
 * extensions.h - the part of nnefc.h about operations that NNEF lacks
 *
 * nnefc has kernels for some operations of ONNX that NNEF lacks: erf, layer_normalization, lstm and
 * others.  An NNEF document can use them, too, if it declares them as nnefc_catalogue_extensions()
 * lists them, either without a body or with the body that nnefc writes.
 */
#ifndef NNEFC_EXTENSIONS_H
#define NNEFC_EXTENSIONS_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How they are written in NNEF. */
enum nnefc_profile {
    NNEFC_PROFILE_STRICT,   /* as NNEF operations, often many: lstm has some for each step */
    NNEFC_PROFILE_COMPOUND, /* as invocations of fragments with bodies, which any reader expands */
    NNEFC_PROFILE_CUSTOM,   /* as invocations of fragments that are declared only */
    NNEFC_PROFILE_DOCUMENT, /* as the document has them, with those of its fragments that anything
                               invokes: the text that was read, in canonical form.  Not for a model
                               that was rewritten, given other shapes, or is of another format. */
    NNEFC_PROFILE_TEXT,     /* the same text byte by byte, with its comments */
};

/*
 * As nnefc_model_write_nnef(), which writes the strict profile, but with any profile.  The first
 * three can write operations that NNEF lacks.  After a fault, such as an exceeded limit, nothing is
 * written.
 */
NNEFC_API enum nnefc_status nnefc_model_write_profile(struct nnefc_model *model, const char *path,
                                                      enum nnefc_profile profile);

/* The operations that NNEF lacks; see nnefc_catalogue_ops(). */
NNEFC_API const struct nnefc_op_list *nnefc_catalogue_extensions(struct nnefc_catalogue *catalogue);

#ifdef __cplusplus
}
#endif

#endif
