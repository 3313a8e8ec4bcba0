/*
 * surgery.h - the part of nnefc.h that cuts parts out of models
 *
 *     static const char *const from[] = {"conv3"}, *const to[] = {"pool4", "relu5"};
 *     const struct nnefc_extract how = {sizeof how, from, 1, to, 2};
 *
 *     if (nnefc_model_extract(model, &how) == NNEFC_OK)
 *         nnefc_model_write_nnef(model, "part/");
 */
#ifndef NNEFC_SURGERY_H
#define NNEFC_SURGERY_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors by their names in struct nnefc_value (inspect.h): identifiers, "%7" of those that have
 * none; and the names of inputs and outputs. */
struct nnefc_extract {
    size_t size;             /* sizeof(struct nnefc_extract) */
    const char *const *from; /* become the inputs in this order; NULL: the inputs that are needed */
    int from_count;
    const char *const *to; /* become the outputs in this order */
    int to_count;
};

/*
 * Leave of a loaded model, of which there are no runs, what computes `to` from `from`.  A tensor
 * may be in both, and in `to` although others are computed from it.  Types, shapes, labels and
 * names stay, but "%7" becomes "relu_7" by its operation, and the output "x_out" shows a tensor `x`
 * that the part does not compute.  An update of a variable stays if the variable, or another of its
 * label, is read and what it is set to is computed.  If the variable is of `from`, the result of
 * the update is a copy of what it is set to.  Data of variables are read later, of those that are
 * left.
 *
 * It is an error, and changes nothing, if an input besides `from` is needed: the diagnostic shows
 * the way from there to a result.  Likewise if nothing depends on a tensor of `from`, or its shape
 * is not known.  The model can then not be written as it was read: in PNNX, with its own
 * fragments, or with open extents.
 */
NNEFC_API enum nnefc_status nnefc_model_extract(struct nnefc_model *model,
                                                const struct nnefc_extract *how);

#ifdef __cplusplus
}
#endif

#endif
