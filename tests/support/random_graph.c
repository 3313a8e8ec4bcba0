/* random_graph.c - documents of random operations: values, statements, text; see random_graph.h */
#include "support/random_graph_priv.h"

#include "base/arena.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_PARTS = 14, MOST_EXTENT = 5, MOST_BITS = 23, MOST_RANK = 5 };

/* --- chance ------------------------------------------------------------------------------- */

int below(struct random_graph *g, int count)
{
    return (int)(random_bits(&g->random) % (uint64_t)count);
}

bool chance(struct random_graph *g, int percent)
{
    return below(g, 100) < percent;
}

const char *one_of(struct random_graph *g, const char *const *words, int count)
{
    return words[below(g, count)];
}

/* --- text --------------------------------------------------------------------------------- */

static const char *keep(struct random_graph *g, struct text *text)
{
    const char *kept = arena_strndup(g->arena, text->data ? text->data : "", text->size);

    text_free(text);
    return kept;
}

const char *format(struct random_graph *g, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    return keep(g, &text);
}

const char *list_text(struct random_graph *g, const int64_t *item, int count)
{
    struct text text = {0};

    for (int i = 0; i < count; i++)
        text_add(&text, "%s%" PRId64, i ? ", " : "[", item[i]);
    text_add(&text, "%s", count ? "]" : "[]");
    return keep(g, &text);
}

const char *pairs_text(struct random_graph *g, const int64_t (*item)[2], int count)
{
    struct text text = {0};

    for (int i = 0; i < count; i++)
        text_add(&text, "%s(%" PRId64 ", %" PRId64 ")", i ? ", " : "[", item[i][0], item[i][1]);
    text_add(&text, "%s", count ? "]" : "[]");
    return keep(g, &text);
}

/* --- what is known of items ------------------------------------------------------------------ */

bool is_exact(const struct made *made)
{
    return made->grain > 0;
}

/* Sums and products of what has that many bits are not rounded. */
void set_range(struct made *made, double bound, double grain)
{
    made->bound = bound;
    made->grain = grain > 0 && bound / grain <= ldexp(1, MOST_BITS) ? grain : 0;
}

void set_rounded(struct made *made, double bound)
{
    set_range(made, bound, 0);
}

void combine_sum(struct made *made, const struct made *a, const struct made *b)
{
    made->strained = a->strained || b->strained;
    set_range(made, a->bound + b->bound, fmin(a->grain, b->grain));
}

void combine_product(struct made *made, const struct made *a, const struct made *b, double terms)
{
    made->strained = a->strained || b->strained;
    set_range(made, a->bound * b->bound * terms, a->grain * b->grain);
}

struct shape shape_of_both(const struct shape *a, const struct shape *b)
{
    struct shape shape = a->rank > b->rank ? *a : *b;

    for (int i = 0; i < shape.rank; i++) {
        int64_t x = i < a->rank ? a->extent[i] : 1, y = i < b->rank ? b->extent[i] : 1;
        shape.extent[i] = x > y ? x : y;
    }
    return shape;
}

/* --- statements --------------------------------------------------------------------------- */

static struct made *new_made(struct random_graph *g, enum dtype dtype, const struct shape *shape)
{
    struct made *made = arena_new_of(g->arena, struct made);

    made->dtype = dtype;
    made->shape = *shape;
    made->name = format(g, "v%d", g->nmade);
    made->statement = g->nstatement;
    g->made[g->nmade++] = made;
    return made;
}

static struct statement *new_statement(struct random_graph *g, const char *value, int count)
{
    struct statement *s = &g->statement[g->nstatement++];

    *s = (struct statement){.value = value, .first = g->nmade - count, .count = count};
    s->target = g->made[s->first]->name;
    return s;
}

static struct made *new_result(struct random_graph *g, const struct made *from,
                               const struct shape *shape)
{
    struct made *made = new_made(g, from->dtype, shape);

    made->bound = from->bound;
    made->grain = from->grain;
    made->strained = from->strained;
    return made;
}

struct made *add(struct random_graph *g, const struct made *from, const struct shape *shape,
                 const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    struct made *made = new_result(g, from, shape);
    new_statement(g, keep(g, &text), 1);
    return made;
}

void add_many(struct random_graph *g, const struct made *from, const struct shape *shapes,
              int count, const char *value)
{
    struct text target = {0};

    for (int i = 0; i < count; i++)
        text_add(&target, "%s%s", i ? ", " : "[", new_result(g, from, &shapes[i])->name);
    text_add(&target, "]");
    new_statement(g, value, count)->target = keep(g, &target);
}

/* --- items -------------------------------------------------------------------------------- */

struct flavour {
    int low, high; /* in steps */
    double unit;
    bool exact, same;
};

static struct flavour flavour_of(struct random_graph *g, enum numbers numbers)
{
    bool positive = numbers == POSITIVE_NUMBERS;
    int kind = below(g, 100);

    if (kind < 20)
        return (struct flavour){
            .low = positive ? 1 : -1, .high = 2, .unit = 1, .exact = true, .same = true};
    if (kind < 42)
        return (struct flavour){.low = positive ? 2 : -30, .high = 30, .unit = 0.1};
    if (kind < 50 && numbers == ANY_NUMBERS)
        return (struct flavour){.low = -9, .high = 9, .unit = 1024, .exact = true};
    return (struct flavour){.low = positive ? 1 : -8, .high = 8, .unit = 0.25, .exact = true};
}

static double draw(struct random_graph *g, const struct flavour *flavour)
{
    return (flavour->low + below(g, flavour->high - flavour->low + 1)) * flavour->unit;
}

/* Items, separated by `between`; the range of `made` follows from them. */
const char *draw_items(struct random_graph *g, enum numbers numbers, struct made *made,
                       const char *between)
{
    struct flavour flavour = flavour_of(g, numbers);
    int64_t volume = shape_volume(&made->shape);
    struct text text = {0};
    double item = draw(g, &flavour), bound = fabs(item);

    for (int64_t i = 0; i < volume; i++) {
        text_add(&text, "%s", i ? between : "");
        text_add_scalar(&text, round(item * 1000) / 1000);
        item = flavour.same ? item : draw(g, &flavour);
        bound = fmax(bound, fabs(item));
    }
    set_range(made, bound, flavour.exact ? flavour.unit : 0);
    return keep(g, &text);
}

struct made *external(struct random_graph *g, const struct shape *shape)
{
    struct made *made = new_made(g, DTYPE_SCALAR, shape);
    struct statement *s = new_statement(
        g, format(g, "external<scalar>( shape = %s )", list_text(g, shape->extent, shape->rank)),
        1);

    s->external = true;
    s->feed = draw_items(g, SMALL_NUMBERS, made, " ");
    return made;
}

struct made *variable(struct random_graph *g, const struct shape *shape, enum numbers numbers)
{
    struct made *made = new_made(g, DTYPE_SCALAR, shape);
    const char *label = made->name;

    made->fixed = true;
    struct statement *s = new_statement(g, NULL, 1);
    s->feed = draw_items(g, numbers, made, " ");
    s->value = format(g, "variable<scalar>( shape = %s, label = '%s' )",
                      list_text(g, shape->extent, shape->rank), label);
    return made;
}

static struct made *constant(struct random_graph *g, const struct shape *shape,
                             enum numbers numbers)
{
    struct made *made = new_made(g, DTYPE_SCALAR, shape);
    struct statement *s = new_statement(g, NULL, 1);

    made->fixed = true;
    s->value = format(g, "constant<scalar>( shape = %s, value = [%s] )",
                      list_text(g, shape->extent, shape->rank), draw_items(g, numbers, made, ", "));
    return made;
}

static struct made *literal(struct random_graph *g, enum numbers numbers)
{
    struct made *made = arena_new_of(g->arena, struct made);

    made->dtype = DTYPE_SCALAR;
    made->fixed = true;
    made->name = draw_items(g, numbers, made, "");
    return made;
}

static struct made *find_fixed(const struct random_graph *g, const struct shape *shape,
                               bool positive)
{
    for (int i = g->nmade - 1; i >= 0 && !positive; i--)
        if (g->made[i]->fixed && g->made[i]->dtype == DTYPE_SCALAR &&
            shape_equal(&g->made[i]->shape, shape))
            return g->made[i];
    return NULL;
}

struct made *fixed(struct random_graph *g, const struct shape *shape, enum numbers numbers)
{
    struct made *earlier = find_fixed(g, shape, numbers == POSITIVE_NUMBERS);

    if (shape->rank == 0)
        return literal(g, numbers);
    if (earlier && chance(g, 30))
        return earlier;
    return shape_volume(shape) <= 16 && chance(g, 50) ? constant(g, shape, numbers)
                                                      : variable(g, shape, numbers);
}

/* --- picking ------------------------------------------------------------------------------ */

struct wanted {
    enum dtype dtype;
    int least_rank, most_rank;
    double bound; /* 0: any */
    bool exact;
    const struct made *like; /* or NULL */
};

static bool fits(const struct made *made, const struct wanted *wanted)
{
    if (made->dtype != wanted->dtype || made->stays_inside ||
        made->shape.rank < wanted->least_rank || made->shape.rank > wanted->most_rank)
        return false;
    if (wanted->like && (made == wanted->like || !shape_equal(&made->shape, &wanted->like->shape)))
        return false;
    return (!wanted->exact || is_exact(made)) &&
           (wanted->bound <= 0 || made->bound <= wanted->bound);
}

/* What is fixed is picked, too, but seldom. */
static struct made *find(struct random_graph *g, const struct wanted *wanted)
{
    struct made *last = NULL;

    for (int i = g->nmade - 1; i >= 0; i--) {
        if (!fits(g->made[i], wanted))
            continue;
        if (chance(g, g->made[i]->fixed ? 4 : 45))
            return g->made[i];
        last = last || g->made[i]->fixed ? last : g->made[i];
    }
    return last;
}

static struct shape draw_shape(struct random_graph *g, int least_rank, int most_rank)
{
    struct shape shape;

    do {
        shape.rank = least_rank + below(g, most_rank - least_rank + 1);
        for (int i = 0; i < shape.rank; i++)
            shape.extent[i] = chance(g, 12) ? 1 : 1 + below(g, MOST_EXTENT);
    } while (shape_volume(&shape) > MOST_VOLUME / 4);
    return shape;
}

/* What has grown large is made small, so that no error outgrows everything else. */
static struct made *tamed(struct random_graph *g, struct made *made)
{
    if (made->bound <= 1e5)
        return made;
    struct made *small = add(g, made, &made->shape, "clamp( %s, -64.0, 64.0 )", made->name);
    set_range(small, 64, made->grain);
    small->strained = !is_exact(made);
    return small;
}

struct made *pick(struct random_graph *g, int least_rank, int most_rank)
{
    const struct wanted wanted = {DTYPE_SCALAR, least_rank, most_rank, 0, false, NULL};
    struct made *found = find(g, &wanted);

    if (found)
        return tamed(g, found);
    struct shape shape = draw_shape(g, least_rank, most_rank);
    return external(g, &shape);
}

struct made *pick_exact(struct random_graph *g, double bound)
{
    const struct wanted wanted = {DTYPE_SCALAR, 1, MOST_RANK, bound, true, NULL};

    return find(g, &wanted);
}

struct made *pick_like(struct random_graph *g, const struct made *like)
{
    const struct wanted wanted = {like->dtype, 0, MAX_RANK, 0, false, like};

    return find(g, &wanted);
}

struct made *pick_of_type(struct random_graph *g, enum dtype dtype)
{
    const struct wanted wanted = {dtype, 0, MAX_RANK, 0, false, NULL};

    return find(g, &wanted);
}

/* --- the graph ---------------------------------------------------------------------------- */

/* A part, as often as its weight says. */
static void add_part(struct random_graph *g)
{
    const struct random_part *const lists[] = {random_layers, random_sums, random_moves,
                                               random_written};
    const int count = (int)(sizeof lists / sizeof *lists);
    int sum = 0, at;

    for (int i = 0; i < count; i++)
        for (const struct random_part *p = lists[i]; p->add; p++)
            sum += p->weight;
    at = below(g, sum);
    for (int i = 0; i < count; i++)
        for (const struct random_part *p = lists[i]; p->add; p++) {
            if (at >= 0 && at < p->weight)
                p->add(g);
            at -= p->weight;
        }
}

/* For the largest of parts. */
static bool has_room(const struct random_graph *g)
{
    return g->nstatement + 32 < MOST_STATEMENTS && g->nmade + 64 < MOST_RESULTS;
}

/* Most of what nothing reads is shown, and some of what something reads. */
static void choose_outputs(struct random_graph *g)
{
    struct made *last = NULL;
    int count = 0;

    for (int i = 0; i < g->nmade; i++) {
        struct made *made = g->made[i];
        const struct statement *s = &g->statement[made->statement];
        if (s->external || made->fixed)
            continue;
        made->output = chance(g, is_used(g, made) ? 10 : 88);
        count += made->output;
        last = made;
    }
    if (!count && last)
        last->output = true;
}

static bool has_result(const struct random_graph *g)
{
    bool found = false;

    for (int i = 0; i < g->nmade; i++)
        found = found || (!g->made[i]->fixed && !g->statement[g->made[i]->statement].external);
    return found;
}

struct random_graph *random_graph_new(uint64_t seed)
{
    struct arena *arena = arena_new();
    struct random_graph *g = arena_new_of(arena, struct random_graph);

    g->arena = arena;
    g->random = random_stream(seed, "graph");
    struct shape shape = draw_shape(g, 2, MOST_RANK - 1);
    external(g, &shape);
    for (int i = 0, parts = 2 + below(g, MOST_PARTS); i < parts && has_room(g); i++)
        add_part(g);
    if (!has_result(g))
        add(g, g->made[0], &shape, "copy( %s )", g->made[0]->name);
    choose_outputs(g);
    return g;
}

void random_graph_free(struct random_graph *graph)
{
    if (graph)
        arena_free(graph->arena);
}
