/*
 * blocks.c - products with constant integers in blocks, by text/blocks.h
 *
 * Codes lie in panels of 16 columns, as weights of conv.c do: those of an item of the sum together,
 * of 4 bits with those of the next item.  The last panel is as wide as it has columns.
 */
#include "backend/c/c.h"

#include "backend/portable/block_product.h"
#include "backend/portable/conv.h"
#include "backend/portable/portable.h"
#include "base/arena.h"
#include "base/num.h"
#include "exec/planner.h"
#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <math.h>

enum { PANEL = 16, PIECE = 32 }; /* as in the text */

struct blocks_print {
    struct block_product product; /* its extents, and bits */
    struct epilogue epilogue;
    const struct node *activation; /* that the text does not know; NULL: none */
    bool clamps, has_residual;
    const uint8_t *codes;
    const float *scale, *bias;
    const int64_t *zeros; /* in the order of scales; NULL: all are `zero` */
    int64_t zero;         /* less what code 0 stands for */
};

/* --- packing --------------------------------------------------------------------------------- */

/* Bytes of the codes of a column. */
static int64_t column_bytes(const struct block_product *p)
{
    return p->bits == 4 ? num_divide_up(p->depth, 2) : p->depth;
}

/* Where an item of `each` of a column lies among those of all panels. */
static int64_t panel_at(const struct block_product *p, int64_t each, int64_t item, int64_t column)
{
    const int64_t first = column / PANEL * PANEL;

    return first * each + item * num_min(PANEL, p->columns - first) + column - first;
}

static void pack_codes(const struct block_match *r, const struct block_product *p, int64_t base,
                       uint8_t *to)
{
    const struct filter *f = &r->codes;

    for (int64_t j = 0; j < p->columns; j++)
        for (int64_t k = 0; k < p->depth; k++) {
            const int64_t code = filter_integer(f->items, f->form, j * f->out + k * f->in) - base;
            const int64_t in_byte = p->bits == 4 ? 2 : 1;
            uint8_t *byte = &to[panel_at(p, column_bytes(p), k / in_byte, j)];
            *byte = (uint8_t)(k % in_byte == 0 ? code : *byte | code << 4);
        }
}

/* Item `block` of column j of a constant of scales or zeros, or the one of all. */
static int64_t place_of(const struct block_match *r, const struct tensor *tensor, int64_t block,
                        int64_t j)
{
    const struct block_product *p = &r->product;

    if (shape_volume(&tensor->shape) == 1)
        return 0;
    return r->codes.in == 1 ? j * p->blocks + block : block * p->columns + j;
}

static bool pack(struct planner *planner, const struct block_match *r, struct blocks_print *to)
{
    const struct block_product *p = &to->product;
    const int64_t base = block_codes(r, &to->product.bits).low, all = p->blocks * p->columns;
    const struct tensor *const biases[] = {r->fused.bias, NULL};
    const float *given = NULL;
    uint8_t *codes = plan_memory(planner, (size_t)(p->columns * column_bytes(p)));
    float *scale = plan_memory(planner, (size_t)all * sizeof *scale);
    int64_t *zeros = plan_memory(planner, (size_t)all * sizeof *zeros);
    float *bias = plan_memory(planner, (size_t)p->columns * sizeof *bias);

    if (!codes || !scale || !zeros || !bias || !bias_make(planner, biases, p->columns, &given))
        return false;
    pack_codes(r, p, base, codes);
    for (int64_t j = 0; j < p->columns; j++) {
        bias[j] = given ? given[j] : 0;
        for (int64_t b = 0; b < p->blocks; b++) {
            const int64_t at = panel_at(p, p->blocks, b, j);
            scale[at] = (float)tensor_item(r->scale, place_of(r, r->scale, b, j));
            zeros[at] = tensor_integer(r->zero, place_of(r, r->zero, b, j)) - base;
        }
    }
    to->codes = codes;
    to->scale = scale;
    to->bias = bias;
    to->zeros = shape_volume(&r->zero->shape) > 1 ? zeros : NULL;
    to->zero = zeros[0];
    return true;
}

/* --- printing -------------------------------------------------------------------------------- */

static void print_blocks(struct c_writer *writer, const struct step *step)
{
    const struct blocks_print *s = step->state;
    const struct block_product *p = &s->product;
    const int64_t all = p->blocks * p->columns;
    struct text low = {0}, high = {0};

    c_needs(writer, C_TEXT_blocks);
    c_limits(&s->epilogue, s->clamps, &low, &high);
    c_code(writer,
           "static const struct @_blocks blocks = {\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", /* rows, depth, columns */\n"
           "%" PRId64 ", %" PRId64 ", %d, %" PRId64 ", /* size, blocks, bits, zero */\n"
           "%d, %s, %s, /* limits */\n};\n\n",
           p->rows, p->depth, p->columns, p->size, p->blocks, p->bits, s->zero, s->clamps, low.data,
           high.data);
    text_free(&low);
    text_free(&high);
    const char *codes = c_bytes(writer, s->codes, p->columns * column_bytes(p));
    const char *scale = c_floats(writer, s->scale, all);
    const char *zeros = s->zeros ? c_integers(writer, s->zeros, all, &c_int16) : "NULL";
    const char *bias = c_floats(writer, s->bias, p->columns);
    c_code(writer, "@_blocks(&blocks, in0, %s, %s, %s, %s, %s, out0, scratch);\n", codes, scale,
           zeros, bias, s->has_residual ? "in1" : "NULL");
    if (s->activation)
        c_print_activation(writer, s->activation);
}

static const struct c_kernel blocks = C_KERNEL("product in blocks", print_blocks);

/* --- making ---------------------------------------------------------------------------------- */

bool c_knows_blocks(const struct node *node)
{
    enum { CODES = 1, SCALE, ZERO };
    const struct value *codes = node->in[CODES].value;
    const int64_t *extent = &codes->shape->extent[attr_transpose_b(node)];
    const struct tensor *items = c_constant(codes);

    return items && c_constant(node->in[SCALE].value) && shape_equal(&items->shape, codes->shape) &&
           has_numbers(node->in[0].value) && has_numbers(&node->out[0]) &&
           (extent[0] == 1 || extent[1] % BLOCK_UNIT == 0) &&
           (c_is_within(codes, INT8_MIN, INT8_MAX) || c_is_within(codes, 0, UINT8_MAX)) &&
           c_is_within(node->in[ZERO].value, INT16_MIN / 2, INT16_MAX / 2);
}

unsigned c_blocks_match(const struct planner *planner, const struct group *group, void *match)
{
    return portable_block_product_match(planner, group, match);
}

bool c_blocks_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct block_match *r = group->match;
    struct blocks_print *p = arena_new_of(planner->plan->arena, struct blocks_print);

    *p = (struct blocks_print){
        .product = r->product, .epilogue = r->fused.epilogue, .has_residual = r->fused.residual};
    if (!epilogue_is_clamp(&p->epilogue))
        p->activation = group_last(group);
    p->clamps = !p->activation && p->epilogue.activation != ACTIVATION_NONE;
    step->kernel = &blocks.kernel;
    step->state = p;
    step->scratch = (PIECE * PANEL + PANEL) * sizeof(float);
    return pack(planner, r, p) && read_with_residual(planner, group, step, r->fused.residual) &&
           plan_write(planner, step, group_result(group));
}
