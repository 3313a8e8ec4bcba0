/* test_block_product.c - products with codes in blocks against sums in double, in every variant */
#include "support/t.h"
#include "kernel/kernels.h"
#include "support/random_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 4 };

/* One product: what comes of it, from codes as a file may have them. */
struct sample {
    struct block_product p;
    struct filter filter;
    int64_t base;
    uint8_t *codes; /* [columns, depth of all blocks], or the other way round */
    float *scale;   /* [columns, blocks], likewise */
    int64_t *zeros; /* the same; one for all without `zero_each` */
    float *left, *bias, *residual;
    struct epilogue epilogue;
    bool zero_each, transposed;
};

static void *aligned(size_t size)
{
    void *memory =
        aligned_alloc(KERNEL_ALIGNMENT, (size / KERNEL_ALIGNMENT + 1) * KERNEL_ALIGNMENT);

    assert_non_null(memory);
    return memory;
}

static int64_t place(const struct sample *s, int64_t k, int64_t column, int64_t depth)
{
    return s->transposed ? column * depth + k : k * s->p.columns + column;
}

static double expected(const struct sample *s, int64_t row, int64_t column)
{
    const struct block_product *p = &s->p;
    double sum = 0;

    for (int64_t k = 0; k < p->depth; k++) {
        const int64_t own = place(s, k / p->size, column, p->blocks);
        const int64_t code =
            filter_integer(s->codes, s->filter.form, place(s, k, column, p->blocks * p->size));
        sum += (double)s->left[row * p->depth + k] *
               (double)(code - s->zeros[s->zero_each ? own : 0]) * (double)s->scale[own];
    }
    sum += p->bias ? (double)p->bias[column] : 0;
    sum += p->residual ? (double)p->residual[row * p->columns + column] : 0;
    return s->epilogue.activation == ACTIVATION_RELU ? fmax(sum, 0) : sum;
}

static void check_result(const struct sample *s, const float *result)
{
    const int64_t count = s->p.rows * s->p.columns;
    double most = 0, off = 0;

    for (int64_t i = 0; i < count; i++) {
        const double wanted = expected(s, i / s->p.columns, i % s->p.columns);
        most = fmax(most, fabs(wanted));
        off = fmax(off, fabs(wanted - (double)result[i]));
        const bool lost = isnan(result[i]);
        assert_false(lost);
    }
    if (!(off <= 1e-5 * most))
        fail_msg("%d x %d x %d, blocks of %d, %d bits: off by %g of %g", (int)s->p.rows,
                 (int)s->p.depth, (int)s->p.columns, (int)s->p.size, s->p.bits, off, most);
}

/* Pack for a variant and compute, with that team. */
static void compute(const struct sample *s, const struct kernels *kernels, struct team *team,
                    float *result)
{
    const struct block_kernels *k = kernels->blocks;
    struct block_product p = s->p;
    const struct conv codes = conv_of_matrices(1, p.blocks * p.size, p.columns);
    const struct conv scales = conv_of_matrices(1, p.blocks, p.columns);
    const struct conv_kernel *packing = p.bits == 4 ? &k->packing_4 : &k->packing_8;
    const struct filter scale = {.items = s->scale,
                                 .out = s->transposed ? p.blocks : 1,
                                 .in = s->transposed ? 1 : p.columns};
    float *packed = aligned(packing->packed_size(&codes));
    float *of_blocks = aligned(kernels->direct->packed_size(&scales));
    uint8_t *zero = calloc((size_t)k->zeros(p.blocks, p.columns), 1);

    packing->pack(&codes, &s->filter, packed, team);
    kernels->direct->pack(&scales, &scale, of_blocks, team);
    for (int64_t i = 0; i < p.blocks * p.columns; i++)
        zero[k->zero_at(&p, i / p.columns, i % p.columns)] =
            (uint8_t)(s->zeros[s->zero_each ? place(s, i / p.columns, i % p.columns, p.blocks)
                                            : 0] -
                      s->base);
    p.codes = packed;
    p.scale = of_blocks;
    p.zero = s->zero_each ? zero : NULL;
    p.zero_of_all = s->zeros[0] - s->base;
    p.result = result;
    p.scratch = aligned(k->scratch_size(&p, team_size(team)));
    k->run(&p, team);
    free(packed);
    free(of_blocks);
    free(zero);
    free(p.scratch);
}

static void make(struct sample *s, const int64_t size[3], int64_t block, int bits, unsigned seed)
{
    struct block_product *p = &s->p;
    const bool is_signed = seed & 1;

    *s = (struct sample){.transposed = seed & 2, .zero_each = seed & 4};
    s->base = is_signed ? -(1 << (bits - 1)) : 0;
    *p =
        (struct block_product){.rows = size[0], .depth = size[1], .columns = size[2], .bits = bits};
    p->size = block ? block : p->depth;
    p->blocks = num_divide_up(p->depth, p->size);
    const int64_t depth = p->blocks * p->size, each = p->blocks * p->columns;
    float *noise = random_items(depth * p->columns, seed);
    s->codes = malloc((size_t)(depth * p->columns));
    for (int64_t i = 0; i < depth * p->columns; i++)
        s->codes[i] = (uint8_t)(s->base + (int64_t)(fabs((double)noise[i]) * 1e6) % (1 << bits));
    s->zeros = calloc((size_t)each, sizeof *s->zeros);
    for (int64_t i = 0; i < each; i++)
        s->zeros[i] = s->base + (int64_t)(fabs((double)noise[i]) * 1e5) % (1 << bits);
    free(noise);
    if (bits == 4 && seed & 64)
        for (int64_t i = 0; i < depth * p->columns; i++) {
            const uint8_t nibble = s->codes[i] & 15;
            s->codes[i / 2] = (uint8_t)(i % 2 ? s->codes[i / 2] | nibble << 4 : nibble);
        }
    s->filter = (struct filter){.items = s->codes,
                                .form = is_signed ? FILTER_SIGNED : FILTER_UNSIGNED,
                                .out = s->transposed ? depth : 1,
                                .in = s->transposed ? 1 : p->columns,
                                .zero = &s->base};
    if (bits == 4 && seed & 64)
        s->filter.form = is_signed ? FILTER_SIGNED_NIBBLES : FILTER_UNSIGNED_NIBBLES;
    s->scale = random_items(each, seed + 1);
    s->left = random_items(p->rows * p->depth, seed + 2);
    s->bias = random_items(p->columns, seed + 3);
    s->residual = random_items(p->rows * p->columns, seed + 4);
    s->epilogue.activation = seed & 8 ? ACTIVATION_RELU : ACTIVATION_NONE;
    p->left = s->left;
    p->bias = seed & 16 ? s->bias : NULL;
    p->residual = seed & 32 ? s->residual : NULL;
    p->epilogue = &s->epilogue;
}

static void drop(struct sample *s)
{
    free(s->codes);
    free(s->zeros);
    free(s->scale);
    free(s->left);
    free(s->bias);
    free(s->residual);
}

static void check(struct sample *s)
{
    const size_t size = (size_t)(s->p.rows * s->p.columns) * sizeof(float);
    const struct kernels *kernels;
    float *alone = malloc(size), *result = malloc(size);

    s->p.epilogue = &s->epilogue;
    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        compute(s, kernels, NULL, alone);
        check_result(s, alone);
        for (int members = 2; members <= MEMBERS; members++) {
            struct team *team = team_new(members);
            compute(s, kernels, team, result);
            assert_memory_equal(alone, result, size);
            team_free(team);
        }
    }
    free(alone);
    free(result);
}

static void test_codes_of_any_size_and_blocks(void **state)
{
    static const int64_t sizes[][3] = {{1, 1, 1},    {1, 16, 5},    {1, 257, 37},  {2, 33, 70},
                                       {3, 100, 64}, {4, 31, 17},   {5, 64, 130},  {8, 129, 9},
                                       {9, 70, 33},  {40, 300, 50}, {1, 3000, 48}, {11, 2500, 20}};
    static const int64_t blocks[] = {0, 8, 16, 32, 128, 256};
    unsigned seed = 0;

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (int bits = 4; bits <= 8; bits += 4) {
                struct sample s;
                make(&s, sizes[k], blocks[b], bits, seed += 7);
                check(&s);
                drop(&s);
            }
}

/* Infinity times the difference of code and zero, which is not that of the products. */
static void test_infinities_and_small_items(void **state)
{
    static const int64_t size[] = {1, 64, 20};
    const struct kernels *kernels;
    float result[20];
    struct sample s;

    (void)state;
    make(&s, size, 32, 4, 2);
    s.p.epilogue = &s.epilogue;
    for (int64_t i = 0; i < s.p.depth; i++)
        s.left[i] *= 0x1p-120F;
    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        compute(&s, kernels, NULL, result);
        check_result(&s, result);
    }
    s.left[40] = INFINITY;
    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        compute(&s, kernels, NULL, result);
        for (int64_t c = 0; c < s.p.columns; c++) {
            const double wanted = expected(&s, 0, c), got = (double)result[c];
            assert_true(isnan(wanted) ? isnan(got)
                        : wanted < 0  ? got == -HUGE_VAL
                                      : got == HUGE_VAL);
        }
    }
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_of_any_size_and_blocks),
        cmocka_unit_test(test_infinities_and_small_items),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
