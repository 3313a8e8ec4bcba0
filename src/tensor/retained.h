/*
 * retained.h - lists of tensors that are kept alive beyond their last use
 *
 * Their memory is accounted for in the context.  A list is used by one thread at a time.
 */
#ifndef NNEFC_TENSOR_RETAINED_H
#define NNEFC_TENSOR_RETAINED_H

#include "tensor/tensor.h"

struct context;
struct map;

/* A list, NULL when empty. */
struct retained_tensor;

/* Move *tensor into the list, and its data too.  The result stays valid until it is freed. */
struct tensor *tensor_retain(struct context *context, struct retained_tensor **list,
                             const struct tensor *tensor);
void retained_tensors_free(struct context *context, struct retained_tensor *list);

/* Free the items of one tensor, if it is in the list.  They must not be used any more. */
void retained_tensor_clear(struct context *context, struct retained_tensor *list,
                           const struct tensor *tensor);

/* Free all tensors except those whose addresses are keys of the map. */
void retained_tensors_prune(struct context *context, struct retained_tensor **list,
                            const struct map *needed);

#endif
