/* tile.c - sums in registers; see tile.h */
#include "fast/kernel/tile.h"

#include "fast/kernel/activate.h"

/* `rows` and `vecs` below are constants wherever these functions are expanded. */
struct registers {
    const float *row[TILE_ROWS];
    vec sum[TILE_ROWS][PANEL_VECS];
};

/* --- before and after ----------------------------------------------------------------------- */

ALWAYS_INLINE vec load_part(const float *from, int64_t j, const int64_t vecs, int last)
{
    return j < vecs - 1 ? vec_load(from + j * LANES) : vec_load_some(from + j * LANES, last);
}

ALWAYS_INLINE vec first_sum(const struct tile *t, int i, int64_t j, const int64_t vecs)
{
    vec sum = {0};

    if (t->more)
        return load_part(t->dst + t->out[i], j, vecs, t->last);
    if (t->bias)
        sum = load_part(t->bias, j, vecs, t->last);
    if (t->residual)
        sum += load_part(t->residual + t->out[i], j, vecs, t->last);
    return sum;
}

ALWAYS_INLINE void begin(struct registers *r, const struct tile *t, const int rows,
                         const int64_t vecs)
{
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] = first_sum(t, i, j, vecs);
    }
}

ALWAYS_INLINE void clamp(struct registers *r, const struct tile *t, const int rows,
                         const int64_t vecs)
{
    const struct epilogue *epilogue = t->epilogue;
    vec low = vec_all(epilogue_low(epilogue)), high = vec_all(epilogue_high(epilogue));

    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] = vec_max(vec_min(r->sum[i][j], high), low);
    }
}

ALWAYS_INLINE void store(struct registers *r, const struct tile *t, const int rows,
                         const int64_t vecs)
{
    UNROLL
    for (int i = 0; i < rows; i++) {
        float *to = t->dst + t->out[i];
        UNROLL
        for (int64_t j = 0; j < vecs - 1; j++)
            vec_store(to + j * LANES, r->sum[i][j]);
        vec_store_some(to + (vecs - 1) * LANES, r->sum[i][vecs - 1], t->last);
    }
}

static void activate_rows(const struct tile *t, int rows, int64_t vecs)
{
    for (int i = 0; i < rows; i++)
        KERNEL(activate)(t->epilogue, t->dst + t->out[i], (vecs - 1) * LANES + t->last);
}

ALWAYS_INLINE void end(struct registers *r, const struct tile *t, const int rows,
                       const int64_t vecs)
{
    bool simple = !t->epilogue || epilogue_is_clamp(t->epilogue);

    if (t->epilogue && simple && t->epilogue->activation != ACTIVATION_NONE)
        clamp(r, t, rows, vecs);
    store(r, t, rows, vecs);
    if (!simple)
        activate_rows(t, rows, vecs);
}

/* --- the product ---------------------------------------------------------------------------- */

ALWAYS_INLINE void step(struct registers *r, int64_t k, const float *weights, const int rows,
                        const int64_t vecs)
{
    vec weight[PANEL_VECS];

    UNROLL
    for (int64_t j = 0; j < vecs; j++)
        weight[j] = vec_load(weights + j * LANES);
    UNROLL
    for (int i = 0; i < rows; i++) {
        vec item = vec_all(r->row[i][k]);
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] += item * weight[j];
    }
}

ALWAYS_INLINE void compute(const struct tile *t, const int rows, const int64_t vecs)
{
    const float *weights = t->weights, *ahead = t->ahead;
    struct registers r;

    begin(&r, t, rows, vecs);
    for (int64_t tap = 0; tap < t->tap_count; tap++) {
        UNROLL
        for (int i = 0; i < rows; i++)
            r.row[i] = t->src + t->in[i] + t->taps[tap];
        for (int64_t k = 0; k < t->run; k++) {
            step(&r, k, weights, rows, vecs);
            weights += vecs * LANES;
            __builtin_prefetch(ahead, 0, 2);
            ahead += t->ahead_step;
        }
    }
    end(&r, t, rows, vecs);
}

/* --- one function for each size ------------------------------------------------------------- */

#define ROWS_1_TO_6(TILE, vecs) \
    TILE(1, vecs) TILE(2, vecs) TILE(3, vecs) TILE(4, vecs) TILE(5, vecs) TILE(6, vecs)
#if LANES == 16
#define ROWS_1_TO_9(TILE, vecs) ROWS_1_TO_6(TILE, vecs) TILE(7, vecs) TILE(8, vecs) TILE(9, vecs)
#define ROWS_10_TO_14(TILE, vecs) \
    TILE(10, vecs) TILE(11, vecs) TILE(12, vecs) TILE(13, vecs) TILE(14, vecs)
#define TILES(TILE)        \
    ROWS_1_TO_9(TILE, 1)   \
    ROWS_10_TO_14(TILE, 1) \
    ROWS_1_TO_9(TILE, 2)   \
    ROWS_10_TO_14(TILE, 2) \
    ROWS_1_TO_9(TILE, 3)   \
    ROWS_1_TO_6(TILE, 4)   \
    TILE(7, 4)
static const int most_rows[] = {0, 14, 14, 9, 7};
#else
#define TILES(TILE) ROWS_1_TO_6(TILE, 1) ROWS_1_TO_6(TILE, 2)
static const int most_rows[] = {0, 6, FULL_ROWS};
#endif

#define DEFINE_TILE(rows, vecs)                               \
    static void tile_##rows##_by_##vecs(const struct tile *t) \
    {                                                         \
        compute(t, rows, vecs);                               \
    }
TILES(DEFINE_TILE)

#define TILE_ENTRY(rows, vecs) [vecs][rows] = tile_##rows##_by_##vecs,
typedef void tile_function(const struct tile *t);
static tile_function *const tiles[PANEL_VECS + 1][TILE_ROWS + 1] = {TILES(TILE_ENTRY)};

int KERNEL(tile_rows)(int64_t vecs)
{
    return most_rows[vecs];
}

void KERNEL(tile_compute)(const struct tile *tile, int rows)
{
    tiles[tile->vecs][rows](tile);
}
