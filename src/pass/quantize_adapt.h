/*
 * quantize_adapt.h - weights rounded with regard to what their layer reads
 *
 * The error of each weight that is rounded is moved to those of its channel that are not yet
 * rounded, as the second moments of the layer's input say.  Then the sums of products, not the
 * weights, are near what they were.
 */
#ifndef NNEFC_PASS_QUANTIZE_ADAPT_H
#define NNEFC_PASS_QUANTIZE_ADAPT_H

#include "pass/quantize_graph.h"
#include "tensor/moments.h"

/* Can it be done for the layer?  Its shapes are known, and its weights no batch of matrices. */
bool quantize_adapts(const struct quantize_layer *layer);

/* For the columns that the weights of a channel are multiplied with.  False: no memory. */
bool quantize_moments_begin(const struct quantize_layer *layer, struct moments *moments);

/* Look at what a channel reads for at most so many of its results, spread over all.  False: no
 * memory. */
bool quantize_moments_add(const struct quantize_layer *layer, struct moments *moments,
                          const struct tensor *input, int64_t most);

/* Make layer->other by the scales and zeros that the layer has.  False: no memory. */
bool quantize_adapt(struct quantize_layer *layer, const struct moments *moments);

/* Let the layers of the plan have the items that were adapted, where there are such, or not. */
void quantize_use_adapted(struct quantize_plan *plan, bool adapted);

#endif
