/* shape.h - the part of nnefc.h about shapes that broadcast */
#ifndef NNEFC_SHAPE_H
#define NNEFC_SHAPE_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nnefc_broadcast_rule {
    NNEFC_BROADCAST_NNEF,         /* section 4.2: aligned at the first dimension */
    NNEFC_BROADCAST_ONNX,         /* aligned at the last, as in NumPy */
    NNEFC_BROADCAST_ONNX_ONE_WAY, /* the same, and the first shape stays as it is */
};

/* Set *result to the shape that all shapes broadcast to; data types do not matter.  Returns NULL,
 * or the reason why there is no such shape (misuse is one), which the caller frees with free().
 * *result has unknown rank then.  If memory runs out, it also has unknown rank, but the function
 * returns NULL. */
NNEFC_API char *nnefc_broadcast(enum nnefc_broadcast_rule rule, const struct nnefc_type *shapes,
                                int count, struct nnefc_type *result);

#ifdef __cplusplus
}
#endif

#endif
