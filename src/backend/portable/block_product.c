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
                               .form = filter_form_of(items),
                               .out = transposed ? depth : 1,
                               .in = transposed ? 1 : columns};
    return r->product.size % BLOCK_UNIT == 0 || r->product.blocks == 1 ? IN_PLAIN : 0;
}

/* --- codes ----------------------------------------------------------------------------------- */

/* Codes of 4 bits, or of 8, stand for so many integers from a base on. */
static struct filter_range range_of_codes(int bits, bool is_signed)
{
    if (bits == 4)
        return filter_range(is_signed ? FILTER_SIGNED_NIBBLES : FILTER_UNSIGNED_NIBBLES);
    return filter_range(is_signed ? FILTER_SIGNED : FILTER_UNSIGNED);
}

static bool has_range(struct filter_range all, struct filter_range part)
{
    return all.low <= part.low && part.high <= all.high;
}

/* Let `range` have some more integers, too. */
static void add_items(struct filter_range *range, const struct filter *items, int64_t first,
                      int64_t count)
{
    struct filter_range r = *range;

    for (int64_t i = first; i < first + count; i++) {
        const int64_t item = filter_integer(items->items, items->form, i);
        r.low = num_min(r.low, item);
        r.high = num_max(r.high, item);
    }
    *range = r;
}

/* The least and the greatest of all, and of 0.  Bytes are not read on once they need 8 bits, and
 * nibbles not at all. */
static struct filter_range range_of_items(const struct filter *items, int64_t count)
{
    const bool is_signed = items->form == FILTER_SIGNED;
    struct filter_range range = {0, 0};

    if (items->form == FILTER_SIGNED_NIBBLES || items->form == FILTER_UNSIGNED_NIBBLES)
        return filter_range(items->form);
    for (int64_t i = 0; i < count; i += BYTES_MANY) {
        add_items(&range, items, i, num_min(BYTES_MANY, count - i));
        if (items->form != FILTER_WIDE && !has_range(range_of_codes(4, range.low < 0), range))
            return range_of_codes(8, is_signed);
    }
    return range;
}

struct filter_range block_codes(const struct block_match *match, int *bits)
{
    const struct block_product *p = &match->product;
    const struct filter_range items =
        range_of_items(&match->codes, p->columns * p->blocks * p->size);

    *bits = has_range(range_of_codes(4, items.low < 0), items) ? 4 : 8;
    const struct filter_range all = range_of_codes(*bits, items.low < 0);
    return has_range(all, items) ? all : (struct filter_range){0, -1};
}

/* Bits and first integer of the codes; false: kernels have no such codes, or zeros. */
static bool find_code(const struct block_match *r, struct block_product *p, int64_t *base)
{
    const struct filter zeros = {.items = tensor_place(r->zero), .form = filter_form_of(r->zero)};
    const struct filter_range codes = block_codes(r, &p->bits);
    struct filter_range zero = {codes.low, codes.low};

    *base = codes.low;
    add_items(&zero, &zeros, 0, shape_volume(&r->zero->shape));
    return codes.low <= codes.high && zero.low >= *base && zero.high <= *base + UINT8_MAX;
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
