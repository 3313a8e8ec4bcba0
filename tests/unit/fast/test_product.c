/* test_product.c - products of matrices, the second one packed or as it lies, in every variant */
#include "support/t.h"
#include "fast/kernels.h"
#include "support/random_items.h"

#include <math.h>
#include <stdlib.h>

enum { MEMBERS = 3 };

/* Rows, depth, columns. */
static const int64_t sizes[][3] = {
    {1, 1, 1},   {1, 2000, 37},  {3, 17, 64},  {13, 64, 5},
    {7, 33, 70}, {128, 100, 48}, {50, 600, 3}, {200, 1100, 130},
};

static void *aligned(size_t size)
{
    void *memory =
        aligned_alloc(KERNEL_ALIGNMENT, (size / KERNEL_ALIGNMENT + 1) * KERNEL_ALIGNMENT);

    assert_non_null(memory);
    return memory;
}

static void check_items(const struct conv *conv, const struct filter *filter, const float *src,
                        const float *dst)
{
    for (int64_t i = 0; i < conv->out.x * conv->out_channels; i++) {
        int64_t row = i / conv->out_channels, column = i % conv->out_channels;
        double sum = 0;
        for (int64_t k = 0; k < conv->in_channels; k++)
            sum += (double)src[row * conv->in_channels + k] *
                   (double)filter->items[k * filter->in + column * filter->out];
        if (!(fabs((double)dst[i] - sum) <= 1e-5 * sqrt((double)conv->in_channels)))
            fail_msg("item %d is %g, expected %g", (int)i, (double)dst[i], sum);
    }
}

static void check_product(const struct kernels *kernels, const int64_t size[3], bool transposed,
                          struct team *team)
{
    int64_t rows = size[0], depth = size[1], columns = size[2];
    struct conv conv = conv_of_matrices(rows, depth, columns);
    float *src = random_items(rows * depth, 1), *right = random_items(depth * columns, 2);
    float *packed = aligned(kernels->direct->packed_size(&conv));
    float *dst = random_items(rows * columns, 3);
    struct filter filter = {
        .items = right, .out = transposed ? depth : 1, .in = transposed ? 1 : columns};
    struct conv_operands operands = {
        .src = src,
        .packed = packed,
        .dst = dst,
        .scratch = aligned(kernels->direct->scratch_size(&conv, team_size(team))),
    };

    kernels->direct->pack(&conv, &filter, packed, team);
    kernels->direct->run(&conv, &operands, team);
    check_items(&conv, &filter, src, dst);
    free(src);
    free(right);
    free(packed);
    free(dst);
    free(operands.scratch);
}

static void check_all(bool transposed)
{
    struct team *team = team_new(MEMBERS);
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            check_product(kernels, sizes[k], transposed, NULL);
            check_product(kernels, sizes[k], transposed, team);
        }
    team_free(team);
}

static void test_rows_by_columns(void **state)
{
    (void)state;
    check_all(false);
}

static void test_rows_by_rows(void **state)
{
    (void)state;
    check_all(true);
}

/* --- few rows -------------------------------------------------------------------------------- */

/* Results from one column to another, of which some parts are computed apart. */
static void check_narrow(const struct kernels *kernels, const int64_t size[3], bool transposed)
{
    enum { APART = 3 };
    static const struct epilogue epilogue = {ACTIVATION_TANH, 0, 0};
    int64_t rows = size[0], depth = size[1], columns = size[2], pitch = columns + 2;
    float *left = random_items(rows * (depth + 1), 1), *right = random_items(depth * columns, 2);
    float *bias = random_items(columns, 3), *result = random_items(rows * pitch, 4);
    float *before = random_items(rows * pitch, 4);
    const struct narrow narrow = {
        .rows = rows,
        .depth = depth,
        .left = left,
        .left_row = depth + 1,
        .right = {right, transposed ? 1 : columns, transposed ? depth : 1},
        .bias = columns % 2 ? bias : NULL,
        .residual = depth % 2 ? result : NULL,
        .result = result,
        .result_row = pitch,
        .epilogue = &epilogue,
    };

    for (int64_t part = 0; part < APART; part++)
        kernels->narrow(&narrow, columns * part / APART, columns * (part + 1) / APART);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = narrow.bias ? (double)bias[j] : 0;
            sum += narrow.residual ? (double)before[i * pitch + j] : 0;
            for (int64_t k = 0; k < depth; k++)
                sum += (double)left[i * (depth + 1) + k] *
                       (double)right[k * narrow.right.row + j * narrow.right.column];
            assert_float_equal(result[i * pitch + j], (float)tanh(sum),
                               1e-5F * sqrtf((float)depth));
        }
    for (int64_t i = 0; i < rows * pitch; i++)
        if (i % pitch >= columns)
            assert_float_equal(result[i], before[i], 0);
    free(left);
    free(right);
    free(bias);
    free(result);
    free(before);
}

static void test_few_rows_by_a_matrix_as_it_lies(void **state)
{
    static const int64_t columns[] = {1, 3, 4, 15, 16, 70, 333};
    static const int64_t depths[] = {1, 2, 5, 16, 17, 200, 1003};
    const struct kernels *kernels;

    (void)state;
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (int64_t rows = 1; rows <= 9; rows++)
            for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
                for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
                    const int64_t size[3] = {rows, depths[d], columns[k]};
                    check_narrow(kernels, size, false);
                    check_narrow(kernels, size, true);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_by_columns),
        cmocka_unit_test(test_rows_by_rows),
        cmocka_unit_test(test_few_rows_by_a_matrix_as_it_lies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
