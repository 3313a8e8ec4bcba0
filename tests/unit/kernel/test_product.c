/* test_product.c - products of matrices, the second one packed or as it lies, in every variant */
#include "support/t.h"
#include "kernel/kernels.h"
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
                   (double)((const float *)filter->items)[k * filter->in + column * filter->out];
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

/* --- the second matrix in any order ----------------------------------------------------------- */

static void check_order(const struct kernels *kernels, const int64_t size[3],
                        const struct matrix *right)
{
    int64_t rows = size[0], depth = size[1], columns = size[2];
    struct conv conv = conv_of_matrices(rows, depth, columns);
    struct filter filter = {.items = right->items, .out = right->column, .in = right->row};
    float *left = random_items(rows * depth, 1), *result = random_items(rows * columns, 3);
    float *packed = aligned(kernels->direct->packed_size(&conv));

    kernels->direct->pack(&conv, &filter, packed, NULL);
    kernels->product(&(struct packed_product){.rows = rows,
                                              .depth = depth,
                                              .columns = columns,
                                              .left = left,
                                              .left_row = depth,
                                              .packed = packed,
                                              .result = result,
                                              .result_row = columns});
    check_items(&conv, &filter, left, result);
    free(left);
    free(result);
    free(packed);
}

static void test_second_matrices_in_any_order(void **state)
{
    const struct kernels *kernels;

    (void)state;
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int64_t depth = sizes[k][1], columns = sizes[k][2];
            float *items = random_items(2 * depth * columns, 2);
            check_order(kernels, sizes[k], &(struct matrix){items, columns, 1});
            check_order(kernels, sizes[k], &(struct matrix){items, 1, depth});
            check_order(kernels, sizes[k], &(struct matrix){items, 2 * columns, 2});
            free(items);
        }
}

/* --- weights of attention --------------------------------------------------------------------- */

static void check_softened(const float *weights, const float *before, const struct softening *how)
{
    for (int64_t i = 0; i < how->rows; i++) {
        double sum = 0;
        for (int64_t pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < how->length; k++) {
                const float *mask = how->mask + i * how->mask_row + k * how->mask_column;
                double x = (double)before[i * how->length + k] * (double)how->scale;
                double e = exp(x + (how->mask ? (double)*mask : 0));
                if (pass == 0)
                    sum += e;
                else
                    assert_float_equal(weights[i * how->length + k], (float)(e / sum), 1e-6F);
            }
    }
}

static void test_weights_are_scaled_masked_and_softened(void **state)
{
    static const int64_t lengths[] = {1, 5, 16, 37, 130};
    const struct kernels *kernels;

    (void)state;
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (int k = 0; k < 5 * 4; k++) {
            int64_t length = lengths[k / 4], rows = 19;
            float *weights = random_items(rows * length, 1),
                  *before = random_items(rows * length, 1);
            float *mask = random_items(rows * length, 2);
            struct softening how = {rows, length, 3, k % 4 ? mask : NULL, 0, 0};
            how.mask_row = k % 4 == 1 ? 0 : k % 4 == 2 ? length : 1;
            how.mask_column = k % 4 < 3;
            kernels->reductions->soften(weights, &how);
            check_softened(weights, before, &how);
            free(weights);
            free(before);
            free(mask);
        }
}

/* --- seven products instead of eight ---------------------------------------------------------- */

struct problem {
    int64_t rows, depth, columns;
    bool has_bias, has_residual; /* which is what the result overwrites */
    enum activation_kind activation;
};

static double expected(const struct problem *p, const struct conv_operands *o, int64_t row,
                       int64_t column)
{
    double sum = o->bias ? (double)o->bias[column] : 0;

    for (int64_t k = 0; k < p->depth; k++) /* the matrix is scratch here */
        sum += (double)o->src[row * p->depth + k] *
               (double)((const float *)o->scratch)[k * p->columns + column];
    if (p->has_residual)
        sum += (double)o->residual[row * p->columns + column];
    return p->activation == ACTIVATION_RELU   ? fmax(sum, 0)
           : p->activation == ACTIVATION_TANH ? tanh(sum)
                                              : sum;
}

static void check_strassen(const struct kernels *kernels, const struct problem *p,
                           struct team *team)
{
    const struct conv_kernel *kernel = kernels->strassen;
    struct conv conv = conv_of_matrices(p->rows, p->depth, p->columns);
    int64_t items = p->rows * p->columns;
    float *src = random_items(p->rows * p->depth, 1),
          *right = random_items(p->depth * p->columns, 2);
    float *dst = random_items(items, 3), *before = random_items(items, 3);
    float *bias = random_items(p->columns, 4);
    float *packed = aligned(kernel->packed_size(&conv));
    struct filter filter = {.items = right, .out = 1, .in = p->columns};
    struct conv_operands operands = {.src = src,
                                     .packed = packed,
                                     .bias = p->has_bias ? bias : NULL,
                                     .residual = p->has_residual ? dst : NULL,
                                     .dst = dst,
                                     .scratch = aligned(kernel->scratch_size(&conv, MEMBERS))};
    struct conv_operands known = operands;

    conv.epilogue.activation = p->activation;
    assert_true(kernel->fits(&conv));
    kernel->pack(&conv, &filter, packed, team);
    kernel->run(&conv, &operands, team);
    known.scratch = right;
    known.residual = before;
    for (int64_t i = 0; i < items; i++)
        assert_float_equal(dst[i], (float)expected(p, &known, i / p->columns, i % p->columns),
                           2e-6F * (float)p->depth);
    free(src);
    free(right);
    free(dst);
    free(before);
    free(bias);
    free(packed);
    free(operands.scratch);
}

static void test_seven_products_of_quarters(void **state)
{
    static const struct problem problems[] = {
        {48, 96, 128, false, false, ACTIVATION_NONE},  {49, 98, 128, true, false, ACTIVATION_RELU},
        {97, 130, 256, false, true, ACTIVATION_TANH},  {211, 258, 384, true, true, ACTIVATION_RELU},
        {142, 512, 640, true, false, ACTIVATION_TANH}, {301, 96, 128, true, true, ACTIVATION_NONE},
    };
    struct team *team = team_new(MEMBERS);
    const struct kernels *kernels;

    (void)state;
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (size_t k = 0; k < sizeof problems / sizeof *problems && kernels->strassen; k++) {
            check_strassen(kernels, &problems[k], NULL);
            check_strassen(kernels, &problems[k], team);
        }
    team_free(team);
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
        cmocka_unit_test(test_second_matrices_in_any_order),
        cmocka_unit_test(test_weights_are_scaled_masked_and_softened),
        cmocka_unit_test(test_seven_products_of_quarters),
        cmocka_unit_test(test_few_rows_by_a_matrix_as_it_lies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
