/* tile.c - sums in registers; see tile.h */
#include "kernel/tile.h"

#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/half.h"

#include <assert.h>

/*
 * `rows`, `vecs` and `kind` below are constants wherever functions are expanded.
 */
enum kind {
    WHOLE,
    HALVED,   /* the wanted lanes of the last vector are in its lower half */
    DIFFERING /* weights are differences */
};

struct tile_registers {
    vec sum[TILE_ROWS][PANEL_VECS];
};

/* --- before and after ----------------------------------------------------------------------- */

ALWAYS_INLINE void begin(struct tile_registers *r, const int rows, const int64_t vecs)
{
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] = vec_all(0);
    }
}

ALWAYS_INLINE void add_bias(struct tile_registers *r, const struct tile *t, const int rows,
                            const int64_t vecs)
{
    vec bias[PANEL_VECS];

    for (int64_t j = 0; j < vecs; j++)
        bias[j] = vec_load_part(t->bias, j, vecs, t->last);
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] += bias[j];
    }
}

/* Pixel by pixel. */
ALWAYS_INLINE void add_pixels(struct tile_registers *r, const struct tile *t, const int rows,
                              const int64_t vecs)
{
    const float *from = t->more ? t->dst : t->residual;
    int64_t step = t->more ? t->out_step : t->residual_step;

    UNROLL
    for (int i = 0; i < rows; i++, from += step) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] += vec_load_part(from, j, vecs, t->last);
    }
}

ALWAYS_INLINE void clamp(struct tile_registers *r, const struct tile *t, const int rows,
                         const int64_t vecs)
{
    vec low = vec_all(epilogue_low(t->epilogue)), high = vec_all(t->epilogue->high);

    if (clamps_above(t->epilogue)) {
        UNROLL
        for (int i = 0; i < rows; i++)
            UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] = vec_min(high, r->sum[i][j]);
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int64_t j = 0; j < vecs; j++)
            r->sum[i][j] = vec_max(low, r->sum[i][j]);
    }
}

ALWAYS_INLINE void store(const struct tile_registers *r, const struct tile *t, const int rows,
                         const int64_t vecs)
{
    float *to = t->dst;

    UNROLL
    for (int i = 0; i < rows; i++, to += t->out_step) {
        UNROLL
        for (int64_t j = 0; j < vecs - 1; j++)
            vec_store(to + j * LANES, r->sum[i][j]);
        vec_store_some(to + (vecs - 1) * LANES, r->sum[i][vecs - 1], t->last);
    }
}

/* All rows at once if pixels follow each other, as there may be few channels. */
static void activate_rows(const struct tile *t, int rows, int64_t vecs)
{
    int64_t channels = (vecs - 1) * LANES + t->last;

    if (t->out_step == channels) {
        KERNEL(activate)(t->epilogue, t->dst, rows * channels);
        return;
    }
    for (int i = 0; i < rows; i++)
        KERNEL(activate)(t->epilogue, t->dst + i * t->out_step, channels);
}

/* Bias, residual and earlier sums are added last: if sums began with them, each product would be
 * rounded to the last place of a larger number. */
ALWAYS_INLINE void end(struct tile_registers *r, const struct tile *t, const int rows,
                       const int64_t vecs)
{
    bool simple = !t->epilogue || epilogue_is_clamp(t->epilogue);

    if (t->bias && !t->more)
        add_bias(r, t, rows, vecs);
    if (t->more || t->residual)
        add_pixels(r, t, rows, vecs);
    if (t->epilogue && simple && t->epilogue->activation != ACTIVATION_NONE)
        clamp(r, t, rows, vecs);
    store(r, t, rows, vecs);
    if (!simple)
        activate_rows(t, rows, vecs);
}

/* --- the product ---------------------------------------------------------------------------- */

/*
 * The address of the next item of each pixel.  There are too few registers for all addresses: from
 * every fifth pixel, instructions reach the next four by multiples of the step.  (Not an array: the
 * compiler would keep its addresses in memory.)
 */
enum { REACH = 5 };
_Static_assert(TILE_ROWS <= 3 * REACH, "three addresses reach all pixels");

struct tile_walk {
    const char *first, *second, *third;
    int64_t step, thrice; /* bytes */
    int64_t run;          /* items to go */
    const float *weights, *less;
    const float *ahead; /* weights for the next tiles, of which a step fetches a line; NULL: none */
};

/* Begin a run of items. */
ALWAYS_INLINE void walk_from(struct tile_walk *w, const struct tile *t, int64_t tap, const int rows)
{
    const float *src = t->src + t->taps[tap];
    int64_t bytes = t->in_step * (int64_t)sizeof *src;

    w->first = (const char *)src;
    w->second = rows > REACH ? w->first + (int64_t)REACH * bytes : w->first;
    w->third = rows > 2 * REACH ? w->first + 2 * (int64_t)REACH * bytes : w->first;
    w->step = bytes;
    w->thrice = 3 * bytes;
    w->run = t->run;
}

ALWAYS_INLINE float item_of(const struct tile_walk *w, int row)
{
    const char *from = row < REACH ? w->first : row < 2 * REACH ? w->second : w->third;
    int64_t offset = row % REACH == 3 ? w->thrice : row % REACH * w->step;
    float item;

    memcpy(&item, from + offset, sizeof item);
    return item;
}

/* Go to the next item.  Without HIDE() the compiler would compute all addresses before the loop. */
ALWAYS_INLINE void walk_on(struct tile_walk *w, const int rows)
{
    w->first += sizeof(float);
    HIDE(w->first);
    if (rows > REACH) {
        w->second += sizeof(float);
        HIDE(w->second);
    }
    if (rows > 2 * REACH) {
        w->third += sizeof(float);
        HIDE(w->third);
    }
    HIDE(w->step);
    HIDE(w->thrice);
}

/* Add the products of an item with the weights of a step to the sums of its pixel. */
ALWAYS_INLINE void add_item(vec *sum, float item, const vec *weight, const int64_t vecs,
                            const bool half)
{
    vec all = vec_all(item);

    UNROLL
    for (int64_t j = 0; j < vecs - half; j++)
        sum[j] += all * weight[j];
    if (half && vecs == 1)
        sum[0] = half_add_scaled(sum[0], item, weight[0]);
    else if (half)
        sum[vecs - 1] = half_add_product(sum[vecs - 1], all, weight[vecs - 1]);
}

/* One item of each pixel times one row of the panel. */
ALWAYS_INLINE void step(struct tile_registers *r, struct tile_walk *w, const int rows,
                        const int64_t vecs, const enum kind kind)
{
    vec weight[PANEL_VECS];

    UNROLL
    for (int64_t j = 0; j < vecs; j++) {
        weight[j] = vec_load(w->weights + j * LANES);
        if (kind == DIFFERING)
            weight[j] -= vec_load(w->less + j * LANES);
    }
    UNROLL
    for (int i = 0; i < rows; i++)
        add_item(r->sum[i], item_of(w, i), weight, vecs, kind == HALVED);
    walk_on(w, rows);
    w->weights += vecs * LANES;
    if (kind == DIFFERING)
        w->less += vecs * LANES;
}

/* A loop that fetches nothing is faster. */
ALWAYS_INLINE void add_run(struct tile_registers *r, struct tile_walk *w, const int rows,
                           const int64_t vecs, const enum kind kind)
{
    if (!w->ahead) {
        for (; w->run > 0; w->run--)
            step(r, w, rows, vecs, kind);
        return;
    }
    for (; w->run > 0; w->run--) {
        step(r, w, rows, vecs, kind);
        __builtin_prefetch(w->ahead, 0, 2);
        w->ahead += LINE;
    }
}

/* A whole tile, which fetches weights for the next tiles at `ahead`; NULL: it fetches none. */
ALWAYS_INLINE void compute(const struct tile *t, const float *ahead, const int rows,
                           const int64_t vecs, const enum kind kind)
{
    struct tile_walk walk = {.weights = t->weights, .less = t->less, .ahead = ahead};
    struct tile_registers r;

    begin(&r, rows, vecs);
    for (int64_t tap = 0; tap < t->tap_count; tap++) {
        walk_from(&walk, t, tap, rows);
        add_run(&r, &walk, rows, vecs, kind);
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

#define DEFINE_TILE(rows, vecs)                                                   \
    static void tile_##rows##_by_##vecs(const struct tile *t, const float *ahead) \
    {                                                                             \
        compute(t, ahead, rows, vecs, WHOLE);                                     \
    }
TILES(DEFINE_TILE)

typedef void tile_function(const struct tile *t, const float *ahead);
#define TILE_ENTRY(rows, vecs) [vecs][rows] = tile_##rows##_by_##vecs,
static tile_function *const tiles[PANEL_VECS + 1][TILE_ROWS + 1] = {TILES(TILE_ENTRY)};

#if HAS_HALVES
#define DEFINE_HALF(rows, vecs)                                                   \
    static void half_##rows##_by_##vecs(const struct tile *t, const float *ahead) \
    {                                                                             \
        compute(t, ahead, rows, vecs, HALVED);                                    \
    }
TILES(DEFINE_HALF)

#define HALF_ENTRY(rows, vecs) [vecs][rows] = half_##rows##_by_##vecs,
static tile_function *const halves[PANEL_VECS + 1][TILE_ROWS + 1] = {TILES(HALF_ENTRY)};
#endif

#if LANES == 16
#define FULL_TILES(TILE) ROWS_1_TO_6(TILE, 4) TILE(7, 4)
#else
#define FULL_TILES(TILE) ROWS_1_TO_6(TILE, 2)
#endif
#define DEFINE_DIFFERING(rows, vecs)                                                   \
    static void differing_##rows##_by_##vecs(const struct tile *t, const float *ahead) \
    {                                                                                  \
        compute(t, ahead, rows, vecs, DIFFERING);                                      \
    }
FULL_TILES(DEFINE_DIFFERING)

#define DIFFERING_ENTRY(rows, vecs) [rows] = differing_##rows##_by_##vecs,
static tile_function *const differing[TILE_ROWS + 1] = {FULL_TILES(DIFFERING_ENTRY)};

int KERNEL(tile_rows)(int64_t vecs)
{
    assert(vecs > 0 && vecs <= PANEL_VECS);
    return most_rows[vecs];
}

/* --- lines of pixels ------------------------------------------------------------------------ */

void KERNEL(tile_compute)(struct tile *tile, int64_t pixels)
{
    int64_t count = num_divide_up(pixels, most_rows[tile->vecs]);
    struct tile part = *tile;
    tile_function *const *functions = tile->less ? differing : tiles[tile->vecs];

    assert(tile->vecs > 0 && tile->vecs <= PANEL_VECS && tile->last > 0 && tile->last <= LANES);
    assert(!tile->less || (tile->vecs == PANEL_VECS && tile->last == LANES));
    assert(pixels >= 0 && tile->tap_count >= 0 && tile->run >= 0);
#if HAS_HALVES
    if (!tile->less && tile->last <= LANES / 2)
        functions = halves[tile->vecs];
#endif

    /* Weights to fetch meanwhile: those of `next`, or as many as there are behind the tile's. */
    int64_t depth = part.tap_count * part.run, volume = depth * part.vecs * LANES;
    int64_t behind = part.weights_end - part.weights - volume;
    int64_t items = part.next ? part.next_items : num_min(behind, volume);
    const float *next = part.next ? part.next : part.weights + volume;

    /* The first tiles have a pixel more.  A quotient for each tile would take its time. */
    int64_t least = count > 0 ? pixels / count : 0, more = pixels - least * count;

    for (int64_t i = 0; i < count; i++) {
        int rows = (int)(least + (i < more));
        const float *ahead = part.fetched < items ? next + part.fetched : NULL;
        part.fetched += ahead ? LINE * depth : 0;
        functions[rows](&part, ahead);
        part.src += rows * part.in_step;
        part.dst += rows * part.out_step;
        if (part.residual)
            part.residual += rows * part.residual_step;
    }
    tile->fetched = part.fetched;
}
