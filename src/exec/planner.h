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

/* A variable takes over what its update has computed when the next run begins. */
struct renewal {
    int storage; /* which variable */
    int buffer;
    size_t size;
};

struct plan {
    const struct graph *graph;
    const struct backend *backend; /* NULL: the reference */
    struct arena *arena;           /* of all that is small */
    struct step *steps;
    int nstep, step_room;
    struct buffer *buffers;
    int nbuffer, buffer_room;
    int *inputs; /* by parameter: the buffer that stands for it; NO_BUFFER: nothing reads it */
    int *shown;  /* by value id: the buffer of an output or kept value, NO_BUFFER */
    struct renewal *renewals;
    int nrenewal;
    size_t tensors;          /* bytes of the arena of a run */
    size_t scratch;          /* bytes of the scratch memory of a run */
    struct pool *pool, *own; /* of plan_memory(); own: NULL if it is somebody else's */
    size_t packed;           /* bytes that were taken of it */
    int packings, taken;     /* see plan_packings() */
    int threads;
    bool exact;
};

/* Of the reference: a step for each live node, and each result in memory of its own. */
static inline bool plan_is_reference(const struct plan *plan)
{
    return !plan->backend;
}

enum { NO_BUFFER = -1 };

/* Where a value is to be found, by layout. */
struct placement {
    int buffer[LAYOUT_COUNT];
};

enum { PACKED = 16 };

struct planner {
    struct plan *plan;
    const struct graph *graph;
    const struct plan_options *options;
    struct diag *diag;
    struct live live;
    struct storage storage;
    struct placement *placement;        /* by value id */
    uint32_t *left;                     /* by value id: as live.holds, of what is not planned yet */
    bool *varies;                       /* by storage: an update changes it */
    uint8_t *depth;                     /* by value id: see within_prepare() */
    uint32_t *order;                    /* by node id: its place in the graph */
    const struct group **due;           /* by node id: the group that is over with it; NULL: none */
    const struct value *packed[PACKED]; /* constants that the step in the making has copied */
    int npacked;
    struct team *team; /* see plan_team(); NULL: not made yet */
    size_t charged;    /* bytes of the plan's memory that a step has been told to need */
};

/* Decide which nodes are done together: fills planner->due. */
void find_groups(struct planner *planner);

/* The group is whole: fills in who takes it, which is the first row of the plan's backend that
 * does. */
void match_group(const struct planner *planner, struct group *group);

/* Does the result lie in memory as the operand does, in some layout?  Then it takes no step.
 * view_make(): false after a report. */
bool alias_fits(const struct planner *planner, const struct node *node);
bool alias_make(struct planner *planner, const struct node *node);

/* A step for a single node, by its reference kernel. */
bool reference_make(struct planner *planner, struct step *step);

/* A step that puts a buffer into another layout. */
void reorder_make(struct planner *planner, const struct value *value, int from, int to,
                  enum layout layout);

/* A step that copies a buffer in which a value lies plainly; the buffer it is in then. */
int copy_make(struct planner *planner, const struct value *value, int from);

void add_step(struct planner *planner, const struct step *step);

/* A new buffer, for a result; and for a part of another, at bytes from the begin of its root. */
int result_buffer(struct planner *planner, const struct value *value);
int part_buffer(struct planner *planner, const struct value *value, int whole, size_t at);

/* The buffer that has the memory of this one; itself if it is not part of another. */
static inline int buffer_root(const struct plan *plan, int buffer)
{
    return plan->buffers[buffer].whole == STEP_NONE ? buffer : plan->buffers[buffer].whole;
}

/* The step that computes a group that has no step yet; false after a report. */
bool emit_group(struct planner *planner, const struct group *group);

/* Threads to write so many bytes with; NULL: it is as well done by one. */
struct team *plan_team(struct planner *planner, size_t bytes);

/* The buffer of a value in that layout; NO_BUFFER after a report. */
int buffer_of(struct planner *planner, const struct value *value, enum layout layout);

/* The step is made: give back what constants took that it has copied. */
void unload_packed(struct planner *planner);

/*
 * Results that are written where they are wanted, see write_into.c.  A concat, or what gives its
 * operand another shape or order, has begun when the first of its parts was written into its
 * result.
 */
void target_prepare(struct planner *planner);
bool target_begun(const struct planner *planner, const struct group *group);

/* Operands that are read as they lie before they are transposed or cut, see read_strided.c: the
 * step of such a node is postponed until somebody needs its result in order. */
bool postpone_fits(const struct planner *planner, const struct group *group);
bool postpone_make(struct planner *planner, const struct value *value);

/* Give every buffer of the arena its place. */
void place_buffers(struct plan *plan);

#endif
