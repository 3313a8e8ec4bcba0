/* moments.c - sums of products of columns, and the factor of their inverse */
#include "tensor/moments.h"

#include "base/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items of the squares of all parts. */
static int64_t square_items(int64_t columns)
{
    const int64_t whole = columns / MOMENTS_PART, rest = columns % MOMENTS_PART;

    return whole * MOMENTS_PART * MOMENTS_PART + rest * rest;
}

bool moments_begin(struct moments *moments, int64_t columns, int64_t groups)
{
    *moments = (struct moments){columns, groups, NULL};
    moments->sums = calloc((size_t)groups, (size_t)square_items(columns) * sizeof *moments->sums);
    return moments->sums;
}

void moments_free(struct moments *moments)
{
    free(moments->sums);
    moments->sums = NULL;
}

int64_t moments_part(const struct moments *moments, int64_t first)
{
    return num_min(MOMENTS_PART, moments->columns - first);
}

static float *square_of(const struct moments *moments, int64_t group, int64_t first)
{
    return moments->sums + group * square_items(moments->columns) + first * MOMENTS_PART;
}

static void add_part(float *square, const float *row, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        float *to = square + i * count;
        const float x = row[i];
        for (int64_t j = 0; j <= i && x != 0; j++)
            to[j] += x * row[j];
    }
}

void moments_add(struct moments *moments, int64_t group, const float *row)
{
    for (int64_t first = 0; first < moments->columns; first += MOMENTS_PART)
        add_part(square_of(moments, group, first), row + first, moments_part(moments, first));
}

/* Both triangles, the diagonal damped; what was always 0 has nothing to do with the rest. */
static void damp(const float *square, int64_t count, double *to)
{
    double mean = 0;

    for (int64_t i = 0; i < count; i++)
        mean += (double)square[i * count + i] / (double)count;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j <= i; j++)
            to[i * count + j] = to[j * count + i] = (double)square[i * count + j];
        to[i * count + i] += mean > 0 ? 0.01 * mean : 1;
    }
}

/* In place: a = M M', M upper triangular, from the last column on.  What is below the diagonal is
 * that column once more, where it lies as a row. */
static void decompose(double *a, int64_t count)
{
    for (int64_t k = count - 1; k >= 0; k--) {
        const double pivot = sqrt(fmax(a[k * count + k], 1e-300));
        double *column = a + k * count;
        column[k] = pivot;
        for (int64_t i = 0; i < k; i++)
            column[i] = a[i * count + k] /= pivot;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = i; j < k && column[i] != 0; j++)
                a[i * count + j] -= column[i] * column[j];
    }
}

/* inverse = the inverse of M, upper triangular, row by row from the last on. */
static void invert(const double *m, int64_t count, double *inverse)
{
    memset(inverse, 0, (size_t)(count * count) * sizeof *inverse);
    for (int64_t i = count - 1; i >= 0; i--) {
        double *to = inverse + i * count;
        for (int64_t k = i + 1; k < count; k++) {
            const double x = m[i * count + k];
            for (int64_t j = k; j < count && x != 0; j++)
                to[j] -= x * inverse[k * count + j];
        }
        for (int64_t j = i + 1; j < count; j++)
            to[j] /= m[i * count + i];
        to[i] = 1 / m[i * count + i];
    }
}

void moments_factor(const struct moments *moments, int64_t group, int64_t first, double *factor,
                    double *scratch)
{
    const int64_t count = moments_part(moments, first);

    damp(square_of(moments, group, first), count, scratch);
    decompose(scratch, count);
    invert(scratch, count, factor);
}
