/* retained.h - tensors that last as long as those who refer to them */
#ifndef NNEFC_TENSOR_RETAINED_H
#define NNEFC_TENSOR_RETAINED_H

#include "tensor/tensor.h"

struct context;
struct map;

/* A list, NULL when empty. */
struct retained_tensor;

/* Take over *tensor, which counts as memory of the model from now on; it keeps its address. */
struct tensor *tensor_retain(struct context *context, struct retained_tensor **list,
                             const struct tensor *tensor);
void retained_tensors_free(struct context *context, struct retained_tensor *list);

/* Free the items of this one, if it is in the list; nobody may look at them any more. */
void retained_tensor_clear(struct context *context, struct retained_tensor *list,
                           const struct tensor *tensor);

/* Free all but those whose addresses are keys of the map. */
void retained_tensors_prune(struct context *context, struct retained_tensor **list,
                            const struct map *needed);

#endif
