/* conv.h - what a convolution is made from, alone or with others after it */
#ifndef NNEFC_BACKEND_PORTABLE_CONV_H
#define NNEFC_BACKEND_PORTABLE_CONV_H

#include "exec/epilogue.h"
#include "kernel/conv.h"

struct value;

struct recipe {
    struct conv conv; /* of images whose channels are stored last, densely */
    struct tail tail;
    struct filter filter;
    const struct value *weights; /* whose items the filter has */
    const struct tensor *bias;   /* NULL: none */
    bool is_transposed;
};

/* False if the task is not one convolution and its tail. */
bool conv_recipe(const struct planner *planner, const struct task *task, struct recipe *r);

/* The kernel that is likely to be the fastest. */
const struct conv_kernel *likely_kernel(const struct recipe *r, bool exact);

/* As the kernel wants them. */
struct weights {
    const float *packed, *bias; /* bias: NULL if there is none */
};

/* False after a report. */
bool recipe_pack(struct planner *planner, const struct recipe *r, const struct conv_kernel *kernel,
                 struct weights *to);

#endif
