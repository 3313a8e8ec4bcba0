/*
 * fused.h - what is done to the result of a primitive before it is stored
 *
 * Each node of a task behind the first becomes one operation on items: an activation, or one with
 * another tensor of the same shape or a number.
 */
#ifndef NNEFC_BACKEND_ONEDNN_FUSED_H
#define NNEFC_BACKEND_ONEDNN_FUSED_H

#include "backend/onednn/work.h"

enum fused_kind { FUSED_ITEM, FUSED_TENSOR, FUSED_BIAS };

struct fused {
    enum fused_kind kind;
    dnnl_alg_kind_t algorithm;
    double alpha, beta;        /* ITEM */
    const struct value *other; /* TENSOR, BIAS */
};

/* What node `at` of the task does; false: the library has nothing for it. */
bool fused_of(const struct planner *planner, const struct task *task, int at, struct fused *fused);

/* Can all nodes behind the first be fused?  A constant for each last coordinate only as the first one
 * if `biased`, where it is a bias. */
bool fused_all(const struct planner *planner, const struct task *task, bool biased);

/* The constant that the task adds as a bias; NULL: none. */
const struct value *fused_bias(const struct planner *planner, const struct task *task);

/* Operations to be fused with what a work computes. */
struct fusion {
    struct planner *planner;
    const struct task *task;
    struct work *work;
    const struct md *output; /* how the result lies, and tensors of its shape do */
    int operands;            /* of the step, so far */
};

/* They as attributes; adds arguments to the work.  NULL: the library cannot, or not enough memory. */
dnnl_primitive_attr_t fused_attributes(struct fusion *fusion);

/* The step reads what the operations need, after the operands of the primitive itself. */
bool fused_read(struct planner *planner, const struct task *task, struct step *step,
                enum layout layout);

#endif
