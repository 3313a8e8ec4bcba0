/*
 * surgery.h - the part of nnefc.h that cuts parts out of models, and changes them
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

/* Another name, of a tensor or a label. */
struct nnefc_rename {
    const char *from, *to;
};

/* An attribute of the operation that makes a tensor. */
struct nnefc_attribute_edit {
    const char *tensor;    /* named as in struct nnefc_extract */
    const char *attribute; /* as NNEF calls it */
    const char *value;     /* as NNEF writes it: "[2,2]", "'constant'"; NULL: its default */
};

/* Another shape of an input or of a variable, which is named as in struct nnefc_extract. */
struct nnefc_shape_edit {
    const char *tensor;
    int rank;
    int64_t extent[NNEFC_MAX_RANK];
};

/* What the items of a variable become: 0; 1; or -1, 0 or 1, as their sign is. */
enum nnefc_items { NNEFC_ITEMS_ZEROS, NNEFC_ITEMS_ONES, NNEFC_ITEMS_SIGNS };

struct nnefc_items_edit {
    const char *label; /* of variables */
    enum nnefc_items items;
};

struct nnefc_edit {
    size_t size; /* sizeof(struct nnefc_edit) */
    const struct nnefc_attribute_edit *attributes;
    int attribute_count;
    const char *const *bridges; /* results of operations that are left out */
    int bridge_count;
    const struct nnefc_rename *tensors; /* to identifiers of NNEF */
    int tensor_count;
    const struct nnefc_rename *labels;
    int label_count;
    const struct nnefc_shape_edit *shapes;
    int shape_count;
    const struct nnefc_items_edit *items;
    int items_count;
};

/*
 * Change the graph of a loaded model, of which there are no runs: attributes and shapes first, at
 * once, then items, then what is left out, then names, one after the other.  Shapes that depend on
 * an attribute or another shape are inferred anew.  A variable of a smaller shape, of the same
 * rank, keeps the items at the beginning along each axis; others of its label do so, too.
 * Variables that are quantized keep shapes and items.
 * In the place of an operation that is left out stands its first operand of the type and shape of
 * its only result, which must not be an output; what nothing needs any more goes, inputs too.  An
 * input or output is renamed with its tensor.  All variables of a label get the new one.
 * Data is read before labels, items, or shapes of variables are changed.
 *
 * After an error the model has no graph any more, unless nothing was changed.  A model that was
 * changed cannot be written as it was read, as after nnefc_model_extract().
 */
NNEFC_API enum nnefc_status nnefc_model_edit(struct nnefc_model *model,
                                             const struct nnefc_edit *how);

#ifdef __cplusplus
}
#endif

#endif
