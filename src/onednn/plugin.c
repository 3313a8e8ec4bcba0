/* plugin.c - the backend that computes by oneDNN: which operators it knows */
#include "fast/plugin.h"
#include "nnefc/nnefc.h"
#include "onednn/making.h"

static const struct fast_op ops[] = {
    {OP_conv, convolution_layouts, convolution_make},
    {OP_deconv, convolution_layouts, convolution_make},
    {OP_max_pool, pool_layouts, pool_make},
    {OP_avg_pool, pool_layouts, pool_make},
    {OP_box, pool_layouts, pool_make},
    {OP_mean_reduce, pool_layouts, pool_make},
    {OP_matmul, product_layouts, product_make},
    {OP_linear, product_layouts, product_make},
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
    .abi = PLUGIN_ABI, .version = NNEFC_VERSION, .facts = DNNL_FACTS, .backend = &backend};
