/* weights.h - data of tensors: whether they fit, what integers in them stand for, where they are.
 * Functions that give false or NULL have reported why. */
#ifndef NNEFC_API_WEIGHTS_H
#define NNEFC_API_WEIGHTS_H

#include "api/api_priv.h"

struct dat_info;

/*
 * data.c: is this tensor, read from `file`, what `wanted` (a graph parameter or variable) takes?
 * In a provisional graph extents of 1 at the end do not matter: *tensor gets the shape of `wanted`.
 */
struct data_check {
    const char *file;
    const struct value *wanted;
    const struct item_format *format; /* as the file holds it; NULL: no file */
};
bool data_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor);

/* The shape alone. */
bool shape_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor);

/* Items that stand for others (section 5.2).  False of NULL. */
bool is_quantized(const struct item_format *format);

/* Does a file of the model's folder, of sound data of that label, have quantized integers?  What is
 * unsound is not reported.  `model` is a struct nnefc_model. */
bool weights_are_quantized(void *model, const char *label);

/* quant.c: let quantized integers, as read from `file`, become the scalars that they stand for, and
 * scalars the integers that a variable has instead. */
struct stored {
    const char *file;
    const struct dat_info *info;
    const struct source *variable;
};
bool quant_settle(const struct nnefc_model *model, const struct stored *stored,
                  struct tensor *tensor);

/* weights.c: where the data of variables is, opened when it is needed first.  NULL also without a
 * report, if there is no such place. */
struct store *data_store(struct nnefc_model *model);

/* Read the data of all variables into the graph, unless that was done. */
bool weights_load(struct nnefc_model *model);
void weights_free(struct nnefc_model *model);

#endif
