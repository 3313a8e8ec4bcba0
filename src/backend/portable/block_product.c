/*
 * block_product.c - products with constant integers in blocks, which stay integers: block_matmul
 */
#include "backend/portable/portable.h"

#include "backend/portable/block_product.h"
#include "backend/portable/conv.h"
#include "base/arena.h"
#include "base/num.h"
#include "exec/geometry.h"
#include "exec/packed.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <assert.h>

enum { LEFT, CODES, SCALE, ZERO };

/* The state of a step. */
struct block_step {
    struct block_product product; /* but for the operands of a run */
    struct epilogue epilogue;
    bool has_residual;
};

/* --- matching -------------------------------------------------------------------------------- */

static enum filter_form form_of(const struct tensor *integers)
{
    if (!integers->bytes)
        return FILTER_WIDE;
    return integers->bytes_are_signed ? FILTER_SIGNED : FILTER_UNSIGNED;
}

unsigned portable_block_product_match(const struct planner *planner, const struct group *group,
                                      void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *left = node->in[LEFT].value->shape, *codes = node->in[CODES].value->shape;
    const struct tensor *items = plan_constant(planner, node->in[CODES].value);
    const bool transposed = attr_transpose_b(node);
    struct block_match *r = match;

    *r = (struct block_match){.scale = plan_constant(planner, node->in[SCALE].value),
                              .zero = plan_constant(planner, node->in[ZERO].value)};
    if (!items || !r->scale || !r->zero || !shape_equal(&items->shape, codes) ||
        !has_numbers(node->in[LEFT].value) || !has_numbers(&node->out[0]) ||
        !fused_of(planner, group, true, &r->fused))
        return 0;
    r->product = (struct block_product){.rows = left->extent[0],
                                        .depth = left->extent[1],
                                        .columns = codes->extent[transposed ? 0 : 2],
                                        .blocks = codes->extent[transposed],
                                        .size = codes->extent[transposed + 1]};
    const int64_t depth = r->product.blocks * r->product.size, columns = r->product.columns;
    r->codes = (struct filter){.items = tensor_place(items),
                               .form = form_of(items),
                               .out = transposed ? depth : 1,
                               .in = transposed ? 1 : columns};
    return r->product.size % BLOCK_UNIT == 0 || r->product.blocks == 1 ? IN_PLAIN : 0;
}

/* --- codes ----------------------------------------------------------------------------------- */

/* The least and the greatest of some integers. */
static struct saturation bounds_of_all(const void *items, enum filter_form form, int64_t count)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    for (int64_t i = 0; i < count; i++) {
        const int64_t item = filter_integer(items, form, i);
        low = item < low ? item : low;
        high = item > high ? item : high;
    }
    return (struct saturation){.low = low, .high = high};
}

/* The least integer of a type of so many bits that has all of these; false: there is none. */
static bool find_base(const struct saturation *bounds, int bits, int64_t *base)
{
    const int64_t range = (int64_t)1 << bits;

    *base = bounds->low < 0 ? -range / 2 : 0;
    return bounds->low >= *base && bounds->high < *base + range;
}

/* Bits and first integer of the codes, and zeros as codes; false: kernels have none of them. */
static bool find_code(const struct block_match *r, struct block_product *p, int64_t *base)
{
    const int64_t count = p->columns * p->blocks * p->size;
    const struct saturation of_zeros =
        bounds_of_all(tensor_place(r->zero), form_of(r->zero), shape_volume(&r->zero->shape));
    struct saturation bounds;

    switch (r->codes.form) {
    case FILTER_SIGNED:
        bounds = bounds_of_all(r->codes.items, FILTER_SIGNED, count);
        break;
    case FILTER_UNSIGNED:
        bounds = bounds_of_all(r->codes.items, FILTER_UNSIGNED, count);
        break;
    case FILTER_WIDE:
        bounds = bounds_of_all(r->codes.items, FILTER_WIDE, count);
        break;
    }
    p->bits = find_base(&bounds, 4, base) ? 4 : 8;
    return find_base(&bounds, p->bits, base) && of_zeros.low >= *base &&
           of_zeros.high <= *base + UINT8_MAX;
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool run_blocks(const struct step *step, const struct step_frame *frame)
{
    const struct block_step *s = step->state;
    struct block_product product = s->product;

    product.left = step_in(step, frame, 0);
    product.residual = s->has_residual ? step_in(step, frame, 1) : NULL;
    product.result = step_out(step, frame, 0);
    product.scratch = frame->scratch;
    kernels_variant(0)->blocks->run(&product, frame->team);
    return true;
}

static const struct kernel portable_block_product = {.name = "product in blocks",
                                                     .run = run_blocks};

/* Zeros as codes, unless one is for all. */
static bool make_zeros(struct planner *planner, const struct block_match *r, int64_t base,
                       struct block_product *p)
{
    const struct block_kernels *k = kernels_variant(0)->blocks;
    const bool transposed = r->codes.in == 1;

    p->zero_of_all = tensor_integer(r->zero, 0) - base;
    if (shape_volume(&r->zero->shape) == 1)
        return true;
    uint8_t *codes = plan_memory(planner, (size_t)k->zeros(p->blocks, p->columns));
    for (int64_t i = 0; codes && i < k->zeros(p->blocks, p->columns); i++)
        codes[i] = 0;
    for (int64_t b = 0; codes && b < p->blocks; b++)
        for (int64_t c = 0; c < p->columns; c++)
            codes[k->zero_at(p, b, c)] =
                (uint8_t)(tensor_integer(r->zero,
                                         transposed ? c * p->blocks + b : b * p->columns + c) -
                          base);
    p->zero = codes;
    return codes;
}

/* Of each block and column.  One item may stand for all. */
static bool make_scales(struct planner *planner, const struct node *node,
                        const struct block_match *r, struct block_product *p)
{
    const struct conv conv = conv_of_matrices(1, p->blocks, p->columns);
    const struct conv_kernel *kernel = kernels_variant(0)->direct;
    const bool transposed = r->codes.in == 1;
    const struct filter filter = {.items = r->scale->data,
                                  .out = transposed ? p->blocks : 1,
                                  .in = transposed ? 1 : p->columns};

    if (shape_volume(&r->scale->shape) > 1) {
        p->scale = packed_weights(
            planner, &(struct weight_packing){kernel, &conv, filter, node->in[SCALE].value});
        return p->scale;
    }
    const size_t size = kernel->packed_size(&conv);
    float *scale = plan_memory(planner, size);
    for (size_t i = 0; scale && i < size / sizeof *scale; i++)
        scale[i] = *(const float *)r->scale->data;
    p->scale = scale;
    return scale;
}

static bool make_codes(struct planner *planner, const struct node *node,
                       const struct block_match *r, int64_t base, struct block_product *p)
{
    const struct conv conv = conv_of_matrices(1, p->blocks * p->size, p->columns);
    const struct block_kernels *k = kernels_variant(0)->blocks;
    struct weight_packing packing = {p->bits == 4 ? &k->packing_4 : &k->packing_8, &conv, r->codes,
                                     node->in[CODES].value};

    packing.filter.zero = &base;
    p->codes = packed_weights(planner, &packing);
    return p->codes;
}

bool portable_block_product_make(struct planner *planner, const struct group *group,
                                 struct step *step)
{
    const struct block_match *r = group->match;
    const struct node *node = group->nodes[0];
    const struct tensor *const bias[] = {r->fused.bias, NULL};
    struct block_step *s = arena_new_of(planner->plan->arena, struct block_step);
    struct block_product *p = &s->product;
    int64_t base;

    *s = (struct block_step){
        .product = r->product, .epilogue = r->fused.epilogue, .has_residual = r->fused.residual};
    p->epilogue = &s->epilogue;
    if (!find_code(r, p, &base))
        return false;
    step->kernel = &portable_block_product;
    step->state = s;
    step->scratch = kernels_variant(0)->blocks->scratch_size(p, planner->plan->threads);
    return make_codes(planner, node, r, base, p) && make_scales(planner, node, r, p) &&
           make_zeros(planner, r, base, p) && bias_make(planner, bias, p->columns, &p->bias) &&
           read_with_residual(planner, group, step, r->fused.residual) &&
           plan_write(planner, step, group_result(group));
}
