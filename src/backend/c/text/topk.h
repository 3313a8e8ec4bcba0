/* --- the greatest or the least items along an axis ---------------------------------------------
 *
 * Of equal items the one of the lower index comes first, and NaN before any number.  The indices
 * that are found are a heap whose top is the last of them, until they are put in order.
 */

#define NN_TOPK(name, type)                                                                     \
    NN_USUAL int nn_##name##_before(const type *x, int step, int largest, int64_t a, int64_t b) \
    {                                                                                           \
        const type p = x[a * step], q = x[b * step];                                            \
                                                                                                \
        if (p > q || p < q)                                                                     \
            return (p > q) == largest;                                                          \
        return (p == p) == (q == q) ? a < b : p != p;                                           \
    }                                                                                           \
    NN_USUAL void nn_##name##_sift(const type *x, int64_t *found, int step, int largest, int i, \
                                   int64_t item, int count)                                     \
    {                                                                                           \
        for (int below = 2 * i + 1; below < count; below = 2 * i + 1) {                         \
            if (below + 1 < count && nn_##name##_before(x, step, largest, found[below * step],  \
                                                        found[(below + 1) * step]))             \
                below++;                                                                        \
            if (!nn_##name##_before(x, step, largest, item, found[below * step]))               \
                break;                                                                          \
            found[i * step] = found[below * step];                                              \
            i = below;                                                                          \
        }                                                                                       \
        found[i * step] = item;                                                                 \
    }                                                                                           \
    NN_USUAL void nn_topk_##name(int outer, int extent, int count, int inner, int largest,      \
                                 const type *from, type *to, int64_t *index)                    \
    {                                                                                           \
        for (int n = 0; n < outer * inner && count > 0; n++) {                                  \
            const type *x = from + n / inner * extent * inner + n % inner;                      \
            int64_t *found = index + n / inner * count * inner + n % inner;                     \
            type *y = to + n / inner * count * inner + n % inner;                               \
            for (int i = 0; i < count; i++)                                                     \
                found[i * inner] = i;                                                           \
            for (int i = count / 2 - 1; i >= 0; i--)                                            \
                nn_##name##_sift(x, found, inner, largest, i, found[i * inner], count);         \
            for (int i = count; i < extent; i++)                                                \
                if (nn_##name##_before(x, inner, largest, i, found[0]))                         \
                    nn_##name##_sift(x, found, inner, largest, 0, i, count);                    \
            for (int left = count - 1; left > 0; left--) {                                      \
                int64_t last = found[left * inner];                                             \
                found[left * inner] = found[0];                                                 \
                nn_##name##_sift(x, found, inner, largest, 0, last, left);                      \
            }                                                                                   \
            for (int i = 0; i < count; i++)                                                     \
                y[i * inner] = x[found[i * inner] * inner];                                     \
        }                                                                                       \
    }

NN_TOPK(scalars, float)
NN_TOPK(integers, int64_t)
NN_TOPK(truths, unsigned char)
