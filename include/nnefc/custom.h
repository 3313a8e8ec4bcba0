/*
 * custom.h - the part of nnefc.h about operations that the client implements
 *
 * The document declares such an operation as a fragment without a body.  Operands and results are
 * in the order of the declaration; the items of an array of tensors count one by one.  An attribute
 * that is not given has its default.  A callback that returns false ends loading or the step; it
 * should report an error first.  The shape rule is called once for each invocation whose operands
 * have known shapes, the kernel once in each step.  Both run in the thread of the client's call.
 */
#ifndef NNEFC_CUSTOM_H
#define NNEFC_CUSTOM_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nnefc_infer; /* an invocation while its shapes are inferred */
struct nnefc_eval;  /* an invocation while it is computed */
struct nnefc_datum; /* an attribute */

struct nnefc_custom_op {
    size_t size;                                             /* sizeof(struct nnefc_custom_op) */
    const char *name;                                        /* of the fragment */
    bool (*infer)(struct nnefc_infer *infer, void *user);    /* NULL: its shapes are unknown */
    bool (*eval)(const struct nnefc_eval *eval, void *user); /* NULL: it cannot be run */
    void *user;                                              /* handed to both */
};

/* Before loading.  The struct is copied.  Of several with one name, the last one counts. */
NNEFC_API enum nnefc_status nnefc_model_add_op(struct nnefc_model *model,
                                               const struct nnefc_custom_op *op);

NNEFC_API int nnefc_infer_operand_count(const struct nnefc_infer *infer);
NNEFC_API struct nnefc_type nnefc_infer_operand(const struct nnefc_infer *infer, int index);
NNEFC_API const struct nnefc_datum *nnefc_infer_attribute(const struct nnefc_infer *infer,
                                                          const char *name);
NNEFC_API int nnefc_infer_result_count(const struct nnefc_infer *infer);

/* Set the shape of a result; without this call it has rank 0.  With rank 0, `extents` may be NULL.
 * Extents are 0 or more; otherwise the call reports an error and returns false. */
NNEFC_API bool nnefc_infer_set_shape(struct nnefc_infer *infer, int result, int rank,
                                     const int64_t *extents);

NNEFC_API int nnefc_eval_operand_count(const struct nnefc_eval *eval);
NNEFC_API const struct nnefc_tensor *nnefc_eval_operand(const struct nnefc_eval *eval, int index);
NNEFC_API const struct nnefc_datum *nnefc_eval_attribute(const struct nnefc_eval *eval,
                                                         const char *name);
NNEFC_API int nnefc_eval_result_count(const struct nnefc_eval *eval);

/* Zeroed, of the declared type and the shape that was set; the kernel writes to it. */
NNEFC_API struct nnefc_tensor *nnefc_eval_result(const struct nnefc_eval *eval, int index);

/* Report an error at the line of the invocation, under the argument of `parameter` if that is not
 * NULL.  Always returns false. */
NNEFC_API bool nnefc_infer_error(const struct nnefc_infer *infer, const char *parameter,
                                 const char *text);
NNEFC_API bool nnefc_eval_error(const struct nnefc_eval *eval, const char *text);

/* An attribute of the type that the fragment declares; NULL for a name it does not declare. */
NNEFC_API int64_t nnefc_datum_integer(const struct nnefc_datum *datum);
NNEFC_API double nnefc_datum_scalar(const struct nnefc_datum *datum);
NNEFC_API bool nnefc_datum_logical(const struct nnefc_datum *datum);
NNEFC_API const char *nnefc_datum_string(const struct nnefc_datum *datum);
NNEFC_API int nnefc_datum_count(const struct nnefc_datum *datum); /* of an array or tuple */
NNEFC_API const struct nnefc_datum *nnefc_datum_item(const struct nnefc_datum *datum, int index);

#ifdef __cplusplus
}
#endif

#endif
