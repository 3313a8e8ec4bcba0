/* weights.h - data of tensors: whether they fit, what integers in them stand for, where they are */
#ifndef NNEFC_API_WEIGHTS_H
#define NNEFC_API_WEIGHTS_H

#include "api/api_priv.h"

/*
 * Is this tensor, read from `file`, what `wanted` (a graph parameter or variable) takes?  Reports
 * if not.  A provisional graph looks past trailing extents of 1.
 */
struct data_check {
    const char *file;
    const struct value *wanted;
    const struct item_format *format; /* as the file holds it; NULL: no file */
};
bool data_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor);

/* Items that stand for others (section 5.2). */
bool is_quantized(const struct item_format *format);

/* Let the integers of a quantized variable, as read from `file`, become what they stand for. */
struct stored {
    const char *file;
    const struct dat_info *info;
    const struct source *variable;
};
bool quant_decode(const struct nnefc_model *model, const struct stored *stored,
                  struct tensor *tensor);

/* Where the data of variables is, opened when first asked for; NULL after a report. */
struct store *data_store(struct nnefc_model *model);

/* Read the data of all variables into the graph, unless that was done. */
bool weights_load(struct nnefc_model *model);
void weights_free(struct nnefc_model *model);

#endif
