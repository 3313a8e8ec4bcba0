/* planner.h - a plan in the making; shared by the files that make it, see plan.h */
#ifndef NNEFC_EXEC_PLANNER_H
#define NNEFC_EXEC_PLANNER_H

#include "exec/backend.h"
#include "exec/check.h"
#include "exec/group.h"
#include "exec/plan.h"
#include "exec/step.h"
#include "exec/storage.h"
#include "exec/view.h"

struct arena;
struct diag;
struct shared_key;

/* A variable takes over the result of its update when the next run begins. */
struct renewal {
    int storage; /* which variable */
    int buffer;
    size_t size;
    bool swaps; /* the variable takes over the memory; else items are copied */
};

/* Memory that the plan has of its pool. */
struct plan_block {
    void *memory;
    size_t size;
};

struct plan {
    const struct graph *graph;
    const struct backend *backend; /* NULL: the reference */
    const struct kernels *kernels; /* of this processor, which finding out takes its time */
    struct arena *arena;           /* of all that is small */
    struct step *steps;
    int nstep;
    struct buffer *buffers;
    int nbuffer;
    int *inputs; /* by parameter: its buffer; NO_BUFFER: nothing reads it */
    int *shown;  /* by value id: the buffer of an output or retained value, NO_BUFFER */
    struct renewal *renewals;
    int nrenewal;
    struct storage storage;  /* of the variables as they are when planned */
    size_t tensors;          /* bytes of the arena of a run */
    size_t scratch;          /* bytes of the scratch memory of a run */
    struct pool *pool, *own; /* of plan_memory(); own: NULL if the caller owns the pool */
    struct plan_block *blocks;
    int nblock;
    size_t packed;       /* bytes that were taken from it */
    int packings, taken; /* see plan_packings() */
    int threads;
    bool exact, warm; /* see struct plan_options */
};

/* A plan of the reference has a step for each live node, and memory for each result. */
static inline bool plan_is_reference(const struct plan *plan)
{
    return !plan->backend;
}

enum { NO_BUFFER = -1 };

/* The buffers of a value, by layout; NO_BUFFER: it is not there in that layout. */
struct placement {
    int buffer[LAYOUT_COUNT];
};

/* Integers that lie in memory as bytes or words: results whose operation says that they fit. */
enum byte_kind { NO_BYTES, UNSIGNED_BYTES, SIGNED_BYTES, UNSIGNED_WORDS, SIGNED_WORDS };

enum { PACKED = 16 };

struct row_range {
    int first, end;
};

struct planner {
    struct plan *plan;
    struct arena *scratch; /* of what is not needed once the plan is made */
    const struct graph *graph;
    const struct plan_options *options;
    struct diag *diag;
    struct live live;
    struct placement *placement;        /* by value id */
    uint32_t *left;                     /* by value id: as live.holds, of what is not planned yet */
    bool *varies;                       /* by storage: an update changes it */
    uint8_t *depth;                     /* by value id: see target_prepare() */
    enum byte_kind *bytes;              /* by value id; NULL: no integers lie as bytes */
    uint32_t *order;                    /* by node id: its place in the graph */
    const struct group **due;           /* by node id: the group that it completes; NULL: none */
    struct row_range *rows;             /* by operator: its rows of the backend lie there */
    const struct value *packed[PACKED]; /* constants that the step in the making has copied */
    int npacked;
    struct team *team; /* see plan_team(); NULL: not made yet */
    size_t charged;    /* bytes of the plan's memory that belong to steps already added */
};

/*
 * Memory of that key, which the plans of other graphs of the model have, too.  *made: nobody has
 * had it before, so that the caller fills it in.  NULL: this one is not shared.  Frees the key.
 */
void *plan_share(struct shared_key *key, size_t size, bool *made);

/* Decide which nodes are done together: fills planner->due. */
void find_groups(struct planner *planner);

/* Does the result lie in memory as the operand does, in some layout?  Then it takes no step.
 * alias_make(): false after a report. */
bool alias_fits(const struct planner *planner, const struct node *node);
bool alias_make(struct planner *planner, const struct node *node);

/* A step for a single node, by its reference kernel. */
bool reference_make(struct planner *planner, struct step *step);

/* bytes.c: find the integers that lie in memory as bytes. */
void bytes_find(struct planner *planner);

/* Bytes of an item in memory, and of all items. */
size_t plan_item_size(const struct planner *planner, const struct value *value);
size_t plan_size(const struct planner *planner, const struct value *value);

/* Integers of a constant that lie as bytes or words, of that size each. */
void narrow_fill(void *to, const struct tensor *from, size_t size, int64_t count);

/* Operands and results of a step of the reference, whose integers have 64 bits: bytes are made
 * wider for it, and narrower behind it.  False after a report. */
bool plan_read_wide(struct planner *planner, struct step *step, const struct value *value);
bool plan_write_wide(struct planner *planner, struct step *step, const struct value *value,
                     struct step *behind);

/* A step that puts a buffer into another layout; the same at once, for a constant. */
void reorder_now(const struct planner *planner, const struct value *value, const void *from,
                 void *to, enum layout layout);
void reorder_make(struct planner *planner, const struct value *value, int from, int to,
                  enum layout layout);

/* A step that copies a buffer in plain layout; returns the buffer of the copy. */
int copy_make(struct planner *planner, const struct value *value, int from);

/* Append a step; its buffers are in use until then. */
void add_step(struct planner *planner, const struct step *step);

/* A new buffer for a result, or for a part of another, `at` bytes from the beginning of its root.
 */
int result_buffer(struct planner *planner, const struct value *value);
int part_buffer(struct planner *planner, const struct value *value, int whole, size_t at);

/* The buffer that has the memory of this one; itself if it is not part of another. */
static inline int buffer_root(const struct plan *plan, int buffer)
{
    return plan->buffers[buffer].whole == STEP_NONE ? buffer : plan->buffers[buffer].whole;
}

/* Add the step of a group that has none yet; false after a report. */
bool emit_group(struct planner *planner, const struct group *group);

/* Threads to write so many bytes with; NULL: one thread is as fast. */
struct team *plan_team(struct planner *planner, size_t bytes);

/* The buffer of a value in that layout; NO_BUFFER after a report. */
int buffer_of(struct planner *planner, const struct value *value, enum layout layout);

/* Once a step is made, give back the memory of constants that it has copied. */
void unload_packed(struct planner *planner);

/*
 * Results that steps write into other results, see write_into.c.  target_begun(): has a step
 * written a part of the result of this concat, transposition or reshape?
 */
void target_prepare(struct planner *planner);
bool target_begun(const struct planner *planner, const struct group *group);

/* Steps that read an operand before it is transposed or cut, see read_strided.c: such a node gets a
 * step only when somebody needs its result in order. */
bool postpone_fits(const struct planner *planner, const struct group *group);
bool postpone_make(struct planner *planner, const struct value *value);

/* Give every buffer of the arena its place. */
void place_buffers(struct plan *plan, struct arena *scratch);

#endif
