/*
 * pass.h - rewriting a graph into one that computes the same
 *
 * Passes are run one after the other, again and again until none of them changes anything.  Each
 * leaves a sound graph (graph_verify()) with the same inputs and outputs: their names, types,
 * shapes and order.  The new value of an updated variable is an output, too.
 */
#ifndef NNEFC_PASS_PASS_H
#define NNEFC_PASS_PASS_H

#include <stdbool.h>
#include <stdint.h>

struct graph;
struct retained_tensor;
struct pool;
struct value;

struct pass_info {
    const char *name;    /* "fuse-bias" */
    const char *purpose; /* a sentence */
    bool by_default;
    bool for_plans; /* it is run before a graph is planned for speed */
};

int pass_count(void);
struct pass_info pass_at(int index);
int pass_find(const char *name); /* -1: there is none */

enum { PASS_ROUNDS = 50, PASS_GROWTH = 1 << 16 }; /* unless something else is asked for */

struct pass_options {
    const bool *enabled; /* by index of the pass */
    int rounds;          /* most */
    int64_t growth;      /* items of a constant that may replace smaller ones */
    bool prune_inputs;   /* drop the inputs that nothing depends on */
    bool remarks;        /* tell what was left, and why */
    bool verify;         /* check the graph after each pass, and stop at the first that broke it */

    /* Values that must stay as they are, with their names, such as those that a quantization file
     * says something about.  NULL: only those that leave the graph. */
    bool (*pinned)(const void *data, const struct value *value);
    const void *pin_data;
    void (*progress)(void *data, int done, int total); /* after each pass of a round; or NULL */
    void *progress_data;

    struct pool *pool; /* where large constants go, which outlives them; NULL: anywhere */
};

/* Something that a pass would change, were it not for the reason. */
struct pass_remark {
    int pass;
    const char *operation, *name; /* name: of its first result, "%7" if it has none */
    const char *reason;
};

struct pass_report {
    int *changes; /* by index of the pass */
    int rounds;
    bool settled;                /* the last round changed nothing */
    struct pass_remark *remarks; /* of the last round */
    int nremark;
};

/*
 * Run the passes.  All variables have their tensors; new ones are added to *kept.  The report lives
 * in the arena of the graph.  False if anything was reported: a limit was exceeded, there is not
 * enough memory, or a pass broke the graph; the graph is not to be used then.
 */
bool passes_run(struct graph *graph, const struct pass_options *options,
                struct retained_tensor **kept, struct pass_report *report);

/*
 * Visit each node once by a pass that is not in the list, and which has `data`.  No tensor of *kept
 * goes.  False as above.
 */
struct pass_desc;
bool pass_run_once(struct graph *graph, const struct pass_desc *desc, void *data,
                   struct retained_tensor **kept);

#endif
