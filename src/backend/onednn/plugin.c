/* plugin.c - the backend that computes by oneDNN: which operators it knows */
#include "exec/plugin.h"
#include "backend/onednn/making.h"
#include "nnefc/nnefc.h"

static const struct fast_op ops[] = {
    {.op = OP_conv, .layouts = convolution_layouts, .make = convolution_make},
    {.op = OP_deconv, .layouts = convolution_layouts, .make = convolution_make},
    {.op = OP_max_pool, .layouts = pool_layouts, .make = pool_make},
    {.op = OP_avg_pool, .layouts = pool_layouts, .make = pool_make},
    {.op = OP_box, .layouts = pool_layouts, .make = pool_make},
    {.op = OP_mean_reduce, .layouts = pool_layouts, .make = pool_make},
    {.op = OP_matmul, .layouts = product_layouts, .make = product_make},
    {.op = OP_linear, .layouts = product_layouts, .make = product_make},
};

static const struct backend backend = {
    .name = "onednn", .ops = ops, .nop = sizeof ops / sizeof ops[0], .call = work_call};

#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)
#define DNNL_FACTS                                                                  \
    "oneDNN " NUMBER(DNNL_VERSION_MAJOR) "." NUMBER(DNNL_VERSION_MINOR) "." NUMBER( \
        DNNL_VERSION_PATCH)

extern NNEFC_API const struct plugin nnefc_plugin;
const struct plugin nnefc_plugin = {
    .stamp = PLUGIN_STAMP, .facts = DNNL_FACTS, .backend = &backend};
