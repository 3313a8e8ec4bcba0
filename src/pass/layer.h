/*
 * layer.h - conv, deconv and linear with another filter and bias
 *
 * They add bias[c] to all items of channel c and are linear in their filter (sections 4.3.1 and
 * 4.9.2), so that what is done to the channels of their results, or of their inputs, may be done to
 * filter and bias beforehand: in double, rounded once.
 */
#ifndef NNEFC_PASS_LAYER_H
#define NNEFC_PASS_LAYER_H

#include "pass/affine.h"

enum { LAYER_INPUT, LAYER_FILTER, LAYER_BIAS };

/* The one that makes the value, or NULL. */
struct node *layer_of(const struct value *value);

/* Is there no room for another filter of that shape, or too little if it would be kept beside this
 * one, or take more room than it? */
bool layer_filter_grows(const struct pass *pass, const struct value *filter);

/* May it get another bias, and if it `scales`, another filter?  NULL, or why not. */
const char *layer_obstacle(const struct pass *pass, const struct node *layer, bool scales);

struct layer_change {
    struct value *input;         /* what it reads */
    struct value *result;        /* what its result stands for from now on */
    const struct affine *affine; /* its factors multiply the filter */
    bool of_input;               /* they are those of channels of the input, not of the result */
    const double *bias;          /* by channel of the result */
    const struct value *like;    /* what the bias is labelled after */
};

/* NULL, or why nothing was changed. */
const char *layer_replace(struct pass *pass, struct node *layer, const struct layer_change *change);

/* Let the layer do what makes `result` of its own.  NULL, or why nothing was changed. */
const char *layer_fuse(struct pass *pass, struct node *layer, struct value *result,
                       const struct affine *affine);

#endif
