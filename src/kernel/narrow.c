/*
 * narrow.c - see narrow.h
 *
 * If the items of a column follow each other, a result is a product of two runs of items; some
 * results are computed at once.  If the items of a row do, products with a few rows are added to a
 * stretch of the result, which stays in the fastest memory.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/math.h"
#include "kernel/table.h"

#include <assert.h>

/* Rows and columns of results that are computed together; rows of the matrix that are added
 * together. */
enum { ROWS = LANES == 16 ? 4 : 2, COLUMNS = 4, DEEP = 4 };

/* Items of a column, and rows, that are fetched ahead. */
enum { ITEMS_AHEAD = 256, ROWS_AHEAD = 8 };

/* --- blocks of results ------------------------------------------------------------------------ */

struct narrow_block {
    int64_t row, column;
    int rows, columns;
};

/* Bias and residual of a result. */
ALWAYS_INLINE float first_sum(const struct narrow *n, int64_t row, int64_t column)
{
    float sum = n->bias ? n->bias[column] : 0;

    return n->residual ? sum + n->residual[row * n->result_row + column] : sum;
}

/* --- columns whose items follow each other ---------------------------------------------------- */

/* Items k to k + count of all runs, `count` at most LANES. */
ALWAYS_INLINE void add_products(vec sum[ROWS][COLUMNS], const float *const left[ROWS],
                                const float *const right[COLUMNS], int64_t k, const int size[3])
{
    const int rows = size[0], columns = size[1], count = size[2];
    vec item[COLUMNS];

    UNROLL
    for (int j = 0; j < columns; j++) {
        __builtin_prefetch(right[j] + k + ITEMS_AHEAD, 0, 2);
        item[j] = vec_load_most(right[j] + k, count);
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        vec factor = vec_load_most(left[i] + k, count);
        UNROLL
        for (int j = 0; j < columns; j++)
            sum[i][j] += factor * item[j];
    }
}

/* `rows` and `columns` are those of the block, and constants wherever this is expanded. */
ALWAYS_INLINE void multiply_runs(const struct narrow *n, const struct narrow_block *at,
                                 const int rows, const int columns)
{
    vec sum[ROWS][COLUMNS] = {{{0}}};
    const float *left[ROWS], *right[COLUMNS];
    int64_t k = 0;

    UNROLL
    for (int i = 0; i < rows; i++)
        left[i] = n->left + (at->row + i) * n->left_row;
    UNROLL
    for (int j = 0; j < columns; j++)
        right[j] = n->right.items + (at->column + j) * n->right.column;
    for (; k + LANES <= n->depth; k += LANES)
        add_products(sum, left, right, k, (const int[]){rows, columns, LANES});
    if (k < n->depth)
        add_products(sum, left, right, k, (const int[]){rows, columns, (int)(n->depth - k)});
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int j = 0; j < columns; j++)
            n->result[(at->row + i) * n->result_row + at->column + j] =
                first_sum(n, at->row + i, at->column + j) + (float)vec_sum(sum[i][j]);
    }
}

/* Fewer columns than COLUMNS, one result after the other. */
static void multiply_rest(const struct narrow *n, const struct narrow_block *at)
{
    for (int i = 0; i < at->rows; i++)
        for (int j = 0; j < at->columns; j++) {
            const struct narrow_block one = {at->row + i, at->column + j, 1, 1};
            multiply_runs(n, &one, 1, 1);
        }
}

/* All results of columns begin <= j < end, block by block. */
static void multiply_columns(const struct narrow *n, int64_t begin, int64_t end)
{
    for (int64_t column = begin; column < end; column += COLUMNS)
        for (int64_t row = 0; row < n->rows; row += ROWS) {
            const struct narrow_block at = {row, column, (int)num_min(n->rows - row, ROWS),
                                            (int)num_min(end - column, COLUMNS)};
            if (at.columns < COLUMNS)
                multiply_rest(n, &at);
            else if (at.rows == 1)
                multiply_runs(n, &at, 1, COLUMNS);
            else if (at.rows == 2)
                multiply_runs(n, &at, 2, COLUMNS);
#if LANES == 16
            else if (at.rows == 3)
                multiply_runs(n, &at, 3, COLUMNS);
#endif
            else
                multiply_runs(n, &at, ROWS, COLUMNS);
        }
}

/* --- rows whose items follow each other ------------------------------------------------------- */

/* Some rows of the matrix, and the factors of each row of the left one. */
struct narrow_strip {
    const float *items;
    int64_t row;
    float factor[ROWS][DEEP];
};

/* Add the strip to `count` results of each row, at most LANES. */
ALWAYS_INLINE void add_vector(const struct narrow_strip *s, float *to, int64_t to_row, int64_t j,
                              const int size[3])
{
    const int rows = size[0], deep = size[1], count = size[2];
    vec item[DEEP];

    UNROLL
    for (int k = 0; k < deep; k++)
        item[k] = vec_load_most(s->items + k * s->row + j, count);
    UNROLL
    for (int i = 0; i < rows; i++) {
        vec sum = vec_load_most(to + i * to_row + j, count);
        UNROLL
        for (int k = 0; k < deep; k++)
            sum += item[k] * s->factor[i][k];
        vec_store_most(to + i * to_row + j, sum, count);
    }
}

/* Add products with `deep` rows of the matrix to `rows` rows of the result; both are constants. */
ALWAYS_INLINE void add_strip(const struct narrow *n, const struct narrow_strip *s,
                             const struct narrow_block *at, const int rows, const int deep)
{
    float *to = n->result + at->row * n->result_row + at->column;
    int64_t j = 0;

    for (; j + LANES <= at->columns; j += LANES) {
        UNROLL
        for (int k = 0; k < deep; k++)
            __builtin_prefetch(s->items + (k + ROWS_AHEAD) * s->row + j, 0, 2);
        add_vector(s, to, n->result_row, j, (const int[]){rows, deep, LANES});
    }
    if (j < at->columns)
        add_vector(s, to, n->result_row, j, (const int[]){rows, deep, (int)(at->columns - j)});
}

/* Set a block of the result to bias and residual. */
static void begin_sums(const struct narrow *n, const struct narrow_block *at)
{
    for (int i = 0; i < at->rows; i++)
        for (int j = 0; j < at->columns; j++)
            n->result[(at->row + i) * n->result_row + at->column + j] =
                first_sum(n, at->row + i, at->column + j);
}

ALWAYS_INLINE void add_rows(const struct narrow *n, const struct narrow_block *at, const int rows)
{
    struct narrow_strip s = {.row = n->right.row};
    int64_t k = 0;

    begin_sums(n, at);
    for (; k < n->depth; k += DEEP) {
        int deep = (int)num_min(n->depth - k, DEEP);
        for (int i = 0; i < rows; i++)
            for (int d = 0; d < deep; d++)
                s.factor[i][d] = n->left[(at->row + i) * n->left_row + k + d];
        s.items = n->right.items + k * n->right.row + at->column;
        if (deep == DEEP) {
            add_strip(n, &s, at, rows, DEEP);
            continue;
        }
        for (int d = 0; d < deep; d++, s.items += s.row) {
            for (int i = 0; i < rows; i++)
                s.factor[i][0] = s.factor[i][d];
            add_strip(n, &s, at, rows, 1);
        }
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

void KERNEL(narrow)(const struct narrow *n, int64_t begin, int64_t end)
{
    int64_t row = 0;

    assert(begin <= end && n->rows > 0 && n->depth > 0);
    assert(n->right.row == 1 || n->right.column == 1);
    if (n->right.row == 1) {
        multiply_columns(n, begin, end);
    } else {
        for (; row + ROWS <= n->rows; row += ROWS)
            add_rows(n, &(struct narrow_block){row, begin, ROWS, (int)(end - begin)}, ROWS);
        for (; row < n->rows; row++)
            add_rows(n, &(struct narrow_block){row, begin, 1, (int)(end - begin)}, 1);
    }
    for (row = 0; row < n->rows && n->epilogue->activation != ACTIVATION_NONE; row++)
        KERNEL(activate)(n->epilogue, n->result + row * n->result_row + begin, end - begin);
}
