/*
 * extensions.h - the part of nnefc.h about operations that NNEF lacks
 *
 * Models of ONNX have some that nnefc computes as a whole: erf, layer_normalization, lstm and
 * others. A document of NNEF has them, too, once it declares them as nnefc_catalogue_extensions()
 * lists them, without a body or with ours.
 */
#ifndef NNEFC_EXTENSIONS_H
#define NNEFC_EXTENSIONS_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How they are written in NNEF. */
enum nnefc_profile {
    NNEFC_PROFILE_STRICT, /* by operations of NNEF, which takes many: lstm has some for each step */
    NNEFC_PROFILE_COMPOUND, /* as invocations of fragments that have bodies, which all readers know
                             */
    NNEFC_PROFILE_CUSTOM,   /* as invocations of fragments that are declared only */
    NNEFC_PROFILE_DOCUMENT, /* as the document has them, with those of its fragments that anything
                               invokes: the text that was read, in canonical form.  Not of a model
                               that was rewritten, given other shapes, or is of another format. */
    NNEFC_PROFILE_TEXT,     /* the same text byte by byte, with its comments */
};

/*
 * nnefc_model_write_nnef(), which is strict, with a profile.  Operations that NNEF lacks can be
 * written by the first three; a fault, as a limit that is exceeded, is reported, and nothing is
 * written then.
 */
NNEFC_API enum nnefc_status nnefc_model_write_profile(struct nnefc_model *model, const char *path,
                                                      enum nnefc_profile profile);

/* The operations that NNEF lacks; see nnefc_catalogue_ops(). */
NNEFC_API const struct nnefc_op_list *nnefc_catalogue_extensions(struct nnefc_catalogue *catalogue);

#ifdef __cplusplus
}
#endif

#endif
