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

/* Tensors are named as in struct nnefc_value (inspect.h): by an identifier, or "%7" if there is
 * none.  Names of inputs and outputs are allowed, too. */
struct nnefc_extract {
    size_t size;             /* sizeof(struct nnefc_extract) */
    const char *const *from; /* become the inputs in this order; NULL: the inputs that are needed */
    int from_count;
    const char *const *to; /* become the outputs in this order */
    int to_count;
};

/*
 * Reduce a loaded model, of which there are no runs, to the part that computes `to` from `from`.  A
 * tensor may be in both lists, and tensors of `to` may depend on each other.  Types, shapes, labels
 * and names stay, but "%7" becomes "relu_7" after its operation, and an output that is a tensor `x`
 * which the part does not compute is called "x_out".  An update of a variable stays if the part
 * computes the new value and reads the variable, or another one of the same label.  If the variable
 * is in `from`, the result of the update is a copy of the new value.  Data is read later, and only
 * for the variables that are left.
 *
 * It is an error if the part needs an input besides `from`; the diagnostic shows the path from
 * there to a result.  It is also an error if nothing depends on a tensor of `from`, or if its shape
 * is not known.  An error changes nothing.  Otherwise the model can no longer be written as it was
 * read: in PNNX, with its own fragments, or with open extents.
 */
NNEFC_API enum nnefc_status nnefc_model_extract(struct nnefc_model *model,
                                                const struct nnefc_extract *how);

/* A new name of a tensor, or a new label. */
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
 * Change the graph of a loaded model, of which there are no runs: set attributes and shapes first,
 * together, then items, then leave out operations, then rename, each in the order of its list.
 * Shapes that depend on an attribute or another shape are inferred again.  If a variable gets a
 * smaller shape of the same rank, it keeps the items at the beginning of each axis, and so do other
 * variables of its label.  Variables that are quantized keep their shapes and items.
 *
 * An operation can be left out if it has a single result, which is no output, and an operand of the
 * same type and shape: the first such operand replaces the result.  Operations and inputs that are
 * no longer needed are removed.  An input or output is renamed with its tensor.  All variables of a
 * label get the new label.  Data is read before labels, items, or shapes of variables are changed.
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
