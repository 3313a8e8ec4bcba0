/* random_sums.c - operations item by item and sums along dimensions */
#include "support/random_graph_priv.h"

#include <math.h>
#include <string.h>

/* --- sums and products with what is fixed
 * --------------------------------------------------------- */

/* The ways in which something fixed may meet x: of one number, along one dimension, along the first
 * ones, as large as x, or larger. */
static struct shape fixed_shape(struct random_graph *g, const struct made *x)
{
    struct shape shape = x->shape;
    int kept = shape.rank > 1 && chance(g, 75) ? 1 : below(g, shape.rank + 1);

    switch (below(g, 6)) {
    case 0:
        return (struct shape){.rank = 0};
    case 1:
        shape.rank = below(g, shape.rank + 1);
        return shape;
    case 2:
        return shape;
    case 3:
        for (int i = 0; i < shape.rank; i++)
            if (shape.extent[i] == 1 && chance(g, 30) && shape_volume(&shape) < MOST_VOLUME / 8)
                shape.extent[i] = 3;
        return shape;
    }
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == kept ? shape.extent[i] : 1;
    if (kept < shape.rank && chance(g, 50))
        shape.rank = kept + 1;
    return shape;
}

struct made *add_binary(struct random_graph *g, const char *op, const struct made *a,
                        const struct made *b)
{
    struct shape shape = shape_of_both(&a->shape, &b->shape);
    struct made *y = add(g, a, &shape, "%s( %s, %s )", op, a->name, b->name);

    if (strcmp(op, "mul") == 0)
        combine_product(y, a, b, 1);
    else
        combine_sum(y, a, b);
    return y;
}

struct made *add_form(struct random_graph *g, const struct made *x, const char *form)
{
    const char *at = strstr(form, "%s");

    return add(g, x, &x->shape, "%.*s%s%s", (int)(at - form), form, x->name, at + 2);
}

static void add_fixed_sum(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct shape shape = fixed_shape(g, x);
    const char *op = ONE_OF(g, "add", "add", "sub", "sub", "mul", "mul", "min", "max");
    struct made *c = fixed(g, &shape, ANY_NUMBERS);

    if (chance(g, 60))
        add_binary(g, op, x, c);
    else
        add_binary(g, op, c, x);
}

static void add_fixed_quotient(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct shape shape = fixed_shape(g, x);
    struct made *c = fixed(g, &shape, POSITIVE_NUMBERS);
    struct made *y = add_binary(g, "div", x, c);

    set_rounded(y, x->bound * 5);
}

static void add_sum(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5), *other = pick_like(g, x);

    add_binary(g, ONE_OF(g, "add", "sub", "mul", "max", "min"), x, other ? other : x);
}

/* 1 / (|x| + c) and the like, of which no error grows much. */
static void add_quotient(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5), *other = pick_like(g, x);

    other = other ? other : x;
    if (x->strained || other->strained || x->bound > 100 || other->bound > 100)
        return;
    struct made *size = add(g, x, &x->shape, "abs( %s )", x->name);
    struct made *more = add(g, x, &x->shape, "add( %s, %s )", size->name, ONE_OF(g, "1.0", "0.5"));
    size->stays_inside = true;
    set_rounded(more, x->bound + 1);
    struct made *y = chance(g, 40) ? add(g, x, &x->shape, "rcp( %s )", more->name)
                                   : add(g, x, &x->shape, "div( %s, %s )", other->name, more->name);
    set_rounded(y, 2 * other->bound + 2);
    y->strained = true;
}

/* --- what changes nothing --------------------------------------------------------------------- */

static void add_neutral(struct random_graph *g)
{
    static const char *const forms[] = {
        "add( %s, 0.0 )",
        "add( 0.0, %s )",
        "sub( %s, 0.0 )",
        "mul( %s, 1.0 )",
        "mul( 1.0, %s )",
        "div( %s, 1.0 )",
        "pow( %s, 1.0 )",
        "copy( %s )",
        "copy( %s )",
        "max( %s, -1e30 )",
        "min( %s, 1e30 )",
        "clamp( %s, -1e30, 1e30 )",
        "sub( 0.0, %s )",
        "mul( %s, -1.0 )",
        "mul( %s, 0.0 )",
        "leaky_relu( %s, alpha = 1.0 )",
        "leaky_relu( %s, alpha = 0.0 )",
        "prelu( %s, 1.0 )",
    };
    struct made *x = pick(g, 1, 5);

    add_form(g, x, one_of(g, forms, (int)(sizeof forms / sizeof *forms)));
}

static void add_twice(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    const char *op = ONE_OF(g, "relu", "neg", "abs", "neg", "relu");
    struct made *once = add(g, x, &x->shape, "%s( %s )", op, x->name);

    add(g, x, &x->shape, "%s( %s )", chance(g, 80) ? op : "abs", once->name);
}

/* The same statement again, perhaps with its operands exchanged. */
static void add_again(struct random_graph *g)
{
    const struct statement *s = &g->statement[below(g, g->nstatement)];
    const struct made *made = g->made[s->first];

    if (s->target[0] == '[' || s->external || strncmp(s->value, "update", 6) == 0 ||
        strncmp(s->value, "variable", 8) == 0)
        return;
    struct made *again = add(g, made, &made->shape, "%s", s->value);
    again->fixed = made->fixed;
}

static void add_exchanged(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5), *other = pick_like(g, x);
    const char *op = ONE_OF(g, "add", "mul", "max", "sub");

    other = other ? other : x;
    struct made *y = add_binary(g, op, x, other), *z = add_binary(g, op, other, x);
    if (chance(g, 50))
        add_binary(g, "add", y, z);
}

/* Only of what is fixed. */
static void add_fixed_chain(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    struct made *c = fixed(g, &x->shape, SMALL_NUMBERS);
    const char *op = ONE_OF(g, "add", "mul", "max");
    struct made *d = add_binary(g, op, c, fixed(g, &(struct shape){.rank = 0}, ANY_NUMBERS));
    struct made *e =
        add(g, d, &d->shape, "%s( %s )", ONE_OF(g, "neg", "abs", "relu", "copy"), d->name);

    if (chance(g, 80))
        add_binary(g, ONE_OF(g, "add", "mul", "sub"), x, e);
}

/* --- functions of one number
 * ---------------------------------------------------------------------- */

static void add_exact_function(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);

    add(g, x, &x->shape, "%s( %s )", ONE_OF(g, "relu", "neg", "abs", "relu"), x->name);
}

static void add_smooth_function(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct made *y = add(g, x, &x->shape, "%s( %s )",
                         ONE_OF(g, "tanh", "sigmoid", "softplus", "elu", "silu", "gelu", "selu",
                                "atan", "sin", "cos", "asinh"),
                         x->name);

    set_rounded(y, 2 * x->bound + 2);
}

/* The bounds may be in the wrong order. */
static void add_bounds(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    const char *low = ONE_OF(g, "0.0", "-1.0", "-0.5", "2.0"),
               *high = ONE_OF(g, "1.0", "6.0", "0.5");
    bool first = chance(g, 50);

    if (chance(g, 40)) {
        struct made *y = add(g, x, &x->shape, "clamp( %s, %s, %s )", x->name, low, high);
        set_range(y, x->bound + 6, fmin(x->grain, 0.5));
        return;
    }
    struct made *once =
        add(g, x, &x->shape, "%s( %s, %s )", first ? "max" : "min", x->name, first ? low : high);
    set_range(once, x->bound + 6, fmin(x->grain, 0.5));
    add(g, once, &x->shape, "%s( %s, %s )", first ? "min" : "max", once->name, first ? high : low);
}

/* --- sums along dimensions
 * ---------------------------------------------------------------------------- */

const char *some_axes(struct random_graph *g, const struct made *x, struct shape *reduced)
{
    int64_t axes[MAX_RANK];
    int count = 0, from = below(g, x->shape.rank);

    *reduced = x->shape;
    for (int i = from; i < x->shape.rank && (chance(g, 60) || !count); i++) {
        axes[count++] = i;
        reduced->extent[i] = 1;
    }
    return list_text(g, axes, count);
}

static void add_reduction(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct shape reduced;
    const char *axes = some_axes(g, x, &reduced);
    const char *op = ONE_OF(g, "max_reduce", "min_reduce", "sum_reduce", "mean_reduce");
    struct made *y = add(g, x, &reduced, "%s( %s, axes = %s )", op, x->name, axes);

    if (op[0] == 's')
        set_range(y, x->bound * (double)shape_volume(&x->shape), x->grain);
    else if (op[1] == 'e')
        set_rounded(y, x->bound);
}

/* --- what jumps
 * --------------------------------------------------------------------------------------- */

static void add_jump(struct random_graph *g)
{
    struct made *x = pick_exact(g, 4096);

    if (!x)
        return;
    struct made *y =
        add(g, x, &x->shape, "%s( %s )", ONE_OF(g, "floor", "ceil", "round", "sign"), x->name);
    set_range(y, x->bound + 1, 1);
    if (chance(g, 40))
        add(g, y, &x->shape, "%s( %s )", ONE_OF(g, "floor", "ceil", "round", "sign"), y->name);
}

static void add_comparison(struct random_graph *g)
{
    struct made *x = pick_exact(g, 4096), *other = x ? pick_like(g, x) : NULL;
    const char *op = ONE_OF(g, "lt", "le", "gt", "ge", "eq", "ne");

    if (!x)
        return;
    const char *with = other && is_exact(other) ? other->name : ONE_OF(g, "0.0", "1.0", "0.5");
    struct made *y = add(g, x, &x->shape, "%s( %s, %s )", op, x->name, with);
    y->dtype = DTYPE_LOGICAL;
    if (chance(g, 40)) {
        struct made *n = add(g, y, &x->shape, "not( %s )", y->name);
        if (chance(g, 50))
            add(g, n, &x->shape, "not( %s )", n->name);
    }
}

static void add_logic(struct random_graph *g)
{
    struct made *x = pick_of_type(g, DTYPE_LOGICAL), *other = x ? pick_like(g, x) : NULL;

    if (!x)
        return;
    add(g, x, &x->shape, "%s( %s, %s )", ONE_OF(g, "and", "or"), x->name,
        other && chance(g, 60) ? other->name : ONE_OF(g, "true", "false"));
}

static void add_choice(struct random_graph *g)
{
    struct made *c = pick_of_type(g, DTYPE_LOGICAL);
    struct made *x = pick(g, 1, 5), *other = pick_like(g, x);
    const char *condition = ONE_OF(g, "true", "false");

    other = other ? other : x;
    if (c && shape_equal(&c->shape, &x->shape))
        condition = c->name;
    combine_sum(add(g, x, &x->shape, "select( %s, %s, %s )", condition, x->name, other->name), x,
                other);
}

static void add_place(struct random_graph *g)
{
    struct made *x = pick_exact(g, 4096);
    struct shape reduced;

    if (!x)
        return;
    const char *axes = some_axes(g, x, &reduced);
    struct made *y = add(g, x, &reduced, "%s( %s, axes = %s )",
                         ONE_OF(g, "argmax_reduce", "argmin_reduce"), x->name, axes);
    y->dtype = DTYPE_INTEGER;
}

const struct random_part random_sums[] = {
    {add_fixed_sum, 22},
    {add_fixed_quotient, 4},
    {add_sum, 6},
    {add_quotient, 2},
    {add_neutral, 8},
    {add_twice, 3},
    {add_again, 6},
    {add_exchanged, 2},
    {add_fixed_chain, 5},
    {add_exact_function, 5},
    {add_smooth_function, 3},
    {add_bounds, 4},
    {add_reduction, 4},
    {add_jump, 2},
    {add_comparison, 3},
    {add_logic, 2},
    {add_choice, 2},
    {add_place, 1},
    {0},
};
