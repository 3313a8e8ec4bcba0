/*
 * dnnl_api.h - oneDNN's C API, of which versions 2 and 3 differ
 *
 * In version 2 memory descriptors are structs and operations have descriptors of their own; in
 * version 3 the former are handles and the latter are gone.  Everything that differs is here; what
 * does not is called by its own name.  All data are 32-bit floats.
 */
#ifndef NNEFC_BACKEND_ONEDNN_DNNL_API_H
#define NNEFC_BACKEND_ONEDNN_DNNL_API_H

#include <oneapi/dnnl/dnnl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- memory descriptors -------------------------------------------------------------------- */

/* How a tensor lies in memory.  Zeroed it is none. */
struct md {
    dnnl_memory_desc_t desc;
    bool made;
};

/* Distances in items; all the functions that fill one in are false if there cannot be such. */
bool md_strided(struct md *md, int rank, const int64_t *dims, const int64_t *strides);

/* As the primitive likes it best. */
bool md_any(struct md *md, int rank, const int64_t *dims);

/* What a primitive wants: dnnl_query_weights_md etc. */
bool md_wanted(struct md *md, const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index);

bool md_copy(struct md *md, const struct md *from);
void md_drop(struct md *md);
bool md_equal(const struct md *a, const struct md *b);
size_t md_size(const struct md *md);

/* Memory that has no data yet; NULL: none. */
dnnl_memory_t md_memory(const struct md *md, dnnl_engine_t engine);

/* --- attributes ---------------------------------------------------------------------------- */

bool post_sum(dnnl_post_ops_t ops);
bool post_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm, double alpha, double beta);
bool post_binary(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm, const struct md *other);

/* --- primitives: NULL if there is none for these ------------------------------------------- */

enum { SLIDING = 3 }; /* most dimensions that windows slide along */

struct sliding {
    dnnl_dims_t size; /* of pools */
    dnnl_dims_t stride, dilation, before, after;
};

/* What a primitive computes with; `bias` may be none. */
struct operands {
    struct md input, weights, bias, output;
};

dnnl_primitive_desc_t pd_conv(dnnl_engine_t engine, const struct operands *on,
                              const struct sliding *sliding, const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t pd_deconv(dnnl_engine_t engine, const struct operands *on,
                                const struct sliding *sliding, const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t pd_pool(dnnl_engine_t engine, dnnl_alg_kind_t algorithm,
                              const struct operands *on, const struct sliding *sliding,
                              const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t pd_matmul(dnnl_engine_t engine, const struct operands *on,
                                const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t pd_reorder(dnnl_engine_t engine, const struct md *from, const struct md *to,
                                 const_dnnl_primitive_attr_t attr);

/* The name of the implementation, for as long as the library is there. */
const char *pd_name(const_dnnl_primitive_desc_t pd);

#endif
