/* random_written.c - functions that models write out in operations, mostly right, sometimes almost
 */
#include "support/random_graph_priv.h"

#include <math.h>

/* --- of one number ------------------------------------------------------------------------- */

/* A step on the way, which nothing else reads. */
static struct made *step(struct random_graph *g, const struct made *x, const char *form,
                         double bound)
{
    struct made *y = add_form(g, x, form);

    set_rounded(y, bound);
    y->stays_inside = true;
    return y;
}

static struct made *product(struct random_graph *g, struct made *a, struct made *b)
{
    return chance(g, 50) ? add_binary(g, "mul", a, b) : add_binary(g, "mul", b, a);
}

static void add_written_sigmoid(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);

    if (x->bound > 60 || x->strained)
        return;
    struct made *n = step(g, x, "neg( %s )", x->bound);
    struct made *e = step(g, n, "exp( %s )", 1);
    struct made *s = step(g, e, ONE_OF(g, "add( 1.0, %s )", "add( %s, 1.0 )"), 1);
    if (chance(g, 40)) {
        set_rounded(add_binary(g, "div", x, s), x->bound);
        return;
    }
    struct made *y = add_form(g, s, ONE_OF(g, "rcp( %s )", "div( 1.0, %s )"));
    set_rounded(y, 1);
    if (chance(g, 50))
        product(g, x, y);
}

static void add_written_silu(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5), *in = x;

    if (chance(g, 40))
        in = step(g, x, ONE_OF(g, "mul( %s, 1.702 )", "mul( 1.7, %s )"), 2 * x->bound);
    product(g, x, step(g, in, "sigmoid( %s )", 1));
}

static void add_written_leak(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct made *low = step(
        g, x, ONE_OF(g, "mul( %s, 0.25 )", "mul( 0.1, %s )", "mul( %s, 2.0 )", "mul( %s, -1.0 )"),
        2 * x->bound);

    add_binary(g, chance(g, 85) ? "max" : "min", x, low);
}

/* x * (1 + erf(x / sqrt 2)) / 2, halved in one of the places */
static void add_written_gelu(struct random_graph *g)
{
    static const char *const halves[] = {"mul( %s, 0.5 )", "mul( 0.5, %s )", "div( %s, 2.0 )",
                                         "mul( %s, 0.25 )"};
    struct made *x = pick(g, 1, 5);
    const char *half = halves[below(g, chance(g, 90) ? 3 : 4)];
    int place = below(g, 3);
    struct made *d =
        step(g, x, ONE_OF(g, "div( %s, 1.41421356 )", "mul( 0.70710678, %s )"), x->bound);
    struct made *e = step(g, d, "erf( %s )", 1);
    struct made *s = step(g, e, ONE_OF(g, "add( %s, 1.0 )", "add( 1.0, %s )"), 2);
    struct made *y = product(g, place == 0 ? step(g, x, half, x->bound) : x,
                             place == 1 ? step(g, s, half, 1) : s);

    set_rounded(y, 2 * x->bound);
    y->stays_inside = place == 2;
    if (place == 2)
        add_form(g, y, half);
}

/* --- along dimensions ----------------------------------------------------------------------- */

static struct made *reduce(struct random_graph *g, const struct made *x, const char *op,
                           const char *axes, const struct shape *reduced)
{
    struct made *y = add(g, x, reduced, "%s( %s, axes = %s )", op, x->name, axes);

    set_rounded(y, x->bound * (op[0] == 's' ? MOST_VOLUME : 1));
    y->stays_inside = true;
    return y;
}

static void add_written_softmax(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5), *d = x;
    struct shape reduced;
    const char *axes = some_axes(g, x, &reduced);

    if (x->bound > 8 || chance(g, 60)) {
        d = add_binary(g, "sub", x, reduce(g, x, "max_reduce", axes, &reduced));
        d->stays_inside = true;
    }
    struct made *e = step(g, d, "exp( %s )", 1);
    struct made *y = add_binary(g, "div", e, reduce(g, e, "sum_reduce", axes, &reduced));
    set_rounded(y, 1);
}

/* What the squares of the distances from the mean are in all kinds of models, and what they are
 * not. */
static struct made *square(struct random_graph *g, struct made *x)
{
    double bound = pow(x->bound, 4);

    if (chance(g, 8))
        return step(g, x, "pow( %s, 4.0 )", bound);
    if (chance(g, 30)) {
        struct made *y = add_binary(g, "mul", x, x);
        set_rounded(y, bound);
        y->stays_inside = true;
        return y;
    }
    return step(g, x, ONE_OF(g, "sqr( %s )", "pow( %s, 2.0 )"), bound);
}

/* x over the root of what is no less than a thousandth */
static struct made *over_root(struct random_graph *g, struct made *x, struct made *y)
{
    struct made *root, *z;

    if (chance(g, 40)) {
        root = step(g, y, ONE_OF(g, "rsqrt( %s )", "pow( %s, -0.5 )"), 40);
        z = product(g, x, root);
    } else {
        root = step(g, y, ONE_OF(g, "sqrt( %s )", "pow( %s, 0.5 )"), y->bound);
        z = chance(g, 60) ? add_binary(g, "div", x, root)
                          : product(g, x, step(g, root, "rcp( %s )", 40));
    }
    set_rounded(z, 40 * x->bound);
    z->strained = true;
    return z;
}

/* Scale and offset have the shape of what was reduced, or hardly. */
static struct made *parameter(struct random_graph *g, const struct made *x,
                              const struct shape *reduced)
{
    struct shape shape = x->shape;

    for (int i = 0; i < shape.rank; i++)
        if (reduced->extent[i] == shape.extent[i] && !chance(g, 8))
            shape.extent[i] = 1;
    return fixed(g, &shape, SMALL_NUMBERS);
}

static void add_written_normalization(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct shape reduced, again;
    const char *axes = some_axes(g, x, &reduced), *other = some_axes(g, x, &again);
    bool same = chance(g, 94);

    if (x->strained || x->bound > 1000)
        return;
    struct made *m = reduce(g, x, "mean_reduce", axes, &reduced);
    struct made *d = chance(g, 94) ? add_binary(g, "sub", x, m) : add_binary(g, "sub", m, x);
    d->stays_inside = true;
    struct made *s = square(g, chance(g, 95) ? d : x);
    struct made *v = reduce(g, s, "mean_reduce", same ? axes : other, same ? &reduced : &again);
    struct made *e = step(g, v, ONE_OF(g, "add( %s, 0.001 )", "add( 0.1, %s )"), v->bound + 1);
    struct made *y = over_root(g, d, e);
    if (chance(g, 60))
        y = product(g, y, parameter(g, x, &reduced));
    if (chance(g, 50))
        add_binary(g, "add", y, parameter(g, x, &reduced));
}

/* --- attention ------------------------------------------------------------------------------ */

/* A matrix of that many rows and columns for each batch of x, perhaps the other way round. */
static struct made *matrices(struct random_graph *g, const struct made *x, int64_t rows,
                             int64_t columns)
{
    struct shape shape = x->shape;

    shape.extent[shape.rank - 2] = rows;
    shape.extent[shape.rank - 1] = columns;
    return chance(g, 50) ? external(g, &shape) : fixed(g, &shape, SMALL_NUMBERS);
}

static struct made *multiply(struct random_graph *g, const struct made *a, const struct made *b,
                             bool flipped)
{
    struct shape shape = shape_of_both(&a->shape, &b->shape);
    int rank = shape.rank;

    shape.extent[rank - 2] = a->shape.extent[rank - 2];
    shape.extent[rank - 1] = b->shape.extent[flipped ? rank - 2 : rank - 1];
    struct made *y = add(g, a, &shape, "matmul( %s, %s, transposeB = %s )", a->name, b->name,
                         flipped ? "true" : "false");
    combine_product(y, a, b, (double)a->shape.extent[rank - 1]);
    return y;
}

static void add_written_attention(struct random_graph *g)
{
    struct made *query = pick(g, 2, 4);
    int rank = query->shape.rank;
    int64_t width = query->shape.extent[rank - 1], keys = 1 + below(g, 4);
    bool flipped = chance(g, 60);
    struct made *key = flipped ? matrices(g, query, keys, width) : matrices(g, query, width, keys);
    struct made *value = matrices(g, query, keys, 1 + below(g, 3));

    if (query->bound > 1000 || query->strained)
        return;
    struct made *p = multiply(g, query, key, flipped);
    p->stays_inside = true;
    if (chance(g, 50))
        p = step(g, p, ONE_OF(g, "mul( %s, 0.5 )", "div( %s, 1.5 )", "mul( 0.25, %s )"), p->bound);
    if (chance(g, 40)) {
        p = add_binary(g, "add", p, fixed(g, &p->shape, SMALL_NUMBERS));
        p->stays_inside = true;
    }
    struct made *w = add(g, p, &p->shape, "softmax( %s, axes = [%d] )", p->name,
                         chance(g, 92) ? rank - 1 : rank - 2);
    set_rounded(w, 1);
    w->stays_inside = chance(g, 90);
    multiply(g, w, value, false);
}

const struct random_part random_written[] = {
    {add_written_sigmoid, 3},       {add_written_silu, 3},
    {add_written_leak, 2},          {add_written_softmax, 3},
    {add_written_normalization, 6}, {add_written_gelu, 3},
    {add_written_attention, 4},     {0},
};
