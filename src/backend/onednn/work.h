/*
 * work.h - a step that one primitive of oneDNN does
 *
 * The primitive and what it has packed belong to the plan.  What holds pointers to the data of a run is
 * made for each execution: several may go on at a time.
 */
#ifndef NNEFC_BACKEND_ONEDNN_WORK_H
#define NNEFC_BACKEND_ONEDNN_WORK_H

#include "backend/onednn/dnnl_api.h"
#include "exec/backend.h"

enum { WORK_ARGUMENTS = TASK_NODES + 6, WORK_NAME = 64 };

enum origin { ORIGIN_OPERAND, ORIGIN_RESULT, ORIGIN_PLAN, ORIGIN_SCRATCH };

struct argument {
    int name; /* DNNL_ARG_SRC etc. */
    enum origin origin;
    int index;  /* OPERAND: of the step */
    void *data; /* PLAN */
    struct md md;
};

struct work {
    struct kernel kernel;
    char name[WORK_NAME];
    dnnl_engine_t engine;
    dnnl_primitive_t primitive;
    struct argument argument[WORK_ARGUMENTS];
    int count;
    int threads;
    int sum; /* operand that is in the result before anything is added; STEP_NONE */
    size_t sum_size;
};

/* A work without primitive or arguments yet; NULL: not enough memory. */
struct work *work_new(const struct planner *planner);
void work_drop(void *state);

/* One more argument, with a copy of its descriptor. */
bool work_add(struct work *work, const struct argument *argument);

/*
 * Memory of the plan that holds `data`, which lies as `from` says, as `to` says.  NULL after a report,
 * or silently if the library cannot.
 */
void *work_pack(struct planner *planner, const struct work *work, void *data, const struct md *from,
                const struct md *to);

/*
 * Compute by this implementation, which it takes over, whatever it returns.  False, silently, if it
 * is not worth using.
 */
bool work_use(struct work *work, struct step *step, dnnl_primitive_desc_t pd);

/* The number of threads of the library, for this thread.  Returns what it was. */
int work_set_threads(int threads);

/* A loop on the threads of the library. */
team_call work_call;

/* How a value lies in memory in that layout; false: there is no such descriptor. */
bool md_of(struct md *md, const struct shape *shape, enum layout layout);

#endif
