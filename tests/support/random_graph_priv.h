/* random_graph_priv.h - what the parts of random graphs are made with */
#ifndef NNEFC_TESTS_SUPPORT_RANDOM_GRAPH_PRIV_H
#define NNEFC_TESTS_SUPPORT_RANDOM_GRAPH_PRIV_H

#include "base/text.h"
#include "exec/random.h"
#include "support/random_graph.h"
#include "tensor/tensor.h"

enum { MOST_STATEMENTS = 160, MOST_RESULTS = 320, MOST_VOLUME = 400 };

/* A tensor of the graph, or a literal. */
struct made {
    const char *name;
    enum dtype dtype;
    struct shape shape;
    double bound;  /* of the absolute values of its items */
    double grain;  /* they are multiples of it, computed without rounding; 0: they are not */
    bool strained; /* errors have grown once, and must not do so again */
    bool fixed;    /* a constant or variable */
    bool output, stays_inside;
    int statement;
};

struct statement {
    const char *target, *value; /* "v1", "neg( v0 )" */
    const char *feed;           /* of an external or variable, or NULL */
    const char *label;          /* of a variable */
    int first, count;           /* its results */
    bool external, gone;
};

struct random_graph {
    struct arena *arena;
    struct random random;
    struct statement statement[MOST_STATEMENTS];
    struct made *made[MOST_RESULTS];
    int nstatement, nmade;
};

/* One or a few operations are added, or nothing if there is nothing they could be added to. */
struct random_part {
    void (*add)(struct random_graph *graph);
    int weight;
};

/* A list each, up to one without function. */
extern const struct random_part random_layers[], random_sums[], random_moves[], random_written[];

/* --- chance ------------------------------------------------------------------------------- */

int below(struct random_graph *g, int count);
bool chance(struct random_graph *g, int percent);
const char *one_of(struct random_graph *g, const char *const *words, int count);
#define ONE_OF(g, ...)                            \
    one_of(g, (const char *const[]){__VA_ARGS__}, \
           (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

/* --- values ------------------------------------------------------------------------------- */

/* Scalars that are computed or given, of a rank within these; made if there is none.  The last ones
 * are picked most often. */
struct made *pick(struct random_graph *g, int least_rank, int most_rank);

/* The same, but items are exact, none larger than `bound`; NULL: there is none. */
struct made *pick_exact(struct random_graph *g, double bound);

/* One of the same type and shape; NULL: there is none but itself. */
struct made *pick_like(struct random_graph *g, const struct made *like);
struct made *pick_of_type(struct random_graph *g, enum dtype dtype);

bool is_exact(const struct made *made);

/* Scalars that are the same in every run: a literal, a constant, a variable or an earlier one. */
enum numbers { ANY_NUMBERS, POSITIVE_NUMBERS, SMALL_NUMBERS };
struct made *fixed(struct random_graph *g, const struct shape *shape, enum numbers numbers);

/* Like fixed(), but always a variable, that an update may change. */
struct made *variable(struct random_graph *g, const struct shape *shape, enum numbers numbers);
struct made *external(struct random_graph *g, const struct shape *shape);

/* Items for `made`, with `between` between them; its range follows from them. */
const char *draw_items(struct random_graph *g, enum numbers numbers, struct made *made,
                       const char *between);

/* Does a statement read it? */
bool is_used(const struct random_graph *g, const struct made *made);

/* --- statements --------------------------------------------------------------------------- */

/* A statement with a result of that type and shape; exact, if and what `from` is: see copy_range().
 */
struct made *add(struct random_graph *g, const struct made *from, const struct shape *shape,
                 const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Statements with several results, each like the one of add(). */
void add_many(struct random_graph *g, const struct made *from, const struct shape *shapes,
              int count, const char *value);

/* "op( a, b )", a sum unless it is "mul"; and x in the place of the "%s" in `form`. */
struct made *add_binary(struct random_graph *g, const char *op, const struct made *a,
                        const struct made *b);
struct made *add_form(struct random_graph *g, const struct made *x, const char *form);

/* An operation's argument for one dimension or several in a row, and what is left of x then. */
const char *some_axes(struct random_graph *g, const struct made *x, struct shape *reduced);

/* What is known of the items. */
void set_range(struct made *made, double bound, double grain);
void combine_sum(struct made *made, const struct made *a, const struct made *b);
void combine_product(struct made *made, const struct made *a, const struct made *b, double terms);
void set_rounded(struct made *made, double bound);

/* "[1, 2, 3]" */
const char *list_text(struct random_graph *g, const int64_t *item, int count);
const char *pairs_text(struct random_graph *g, const int64_t (*item)[2], int count);
const char *format(struct random_graph *g, const char *fmt, ...) PRINTF_LIKE(2, 3);

struct shape shape_of_both(const struct shape *a, const struct shape *b);

#endif
