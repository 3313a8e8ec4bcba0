/*
 * backend.h - the part of nnefc.h about runs by faster means than the reference interpreter
 *
 * nnefc_run_new() computes with the reference kernels, plain loops with sums in double precision,
 * by which everything else is judged.  Other backends plan a run first: operations are done
 * together, weights packed, memory shared.  Their results agree with those of the reference up to
 * the rounding of 32-bit floats. What a backend has no kernel for is computed by the reference
 * kernel.
 */
#ifndef NNEFC_BACKEND_H
#define NNEFC_BACKEND_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nnefc_run_options {
    size_t size;         /* sizeof(struct nnefc_run_options) */
    const char *backend; /* "auto", "portable", "reference"; NULL: auto, which is portable */
    int threads;         /* as for nnefc_run_set_threads() */
    bool exact;          /* no algorithm that trades accuracy for speed, such as Winograd's and
                            Strassen's */
};

/* The names that `backend` may have; NULL at the end of the list. */
NNEFC_API const char *nnefc_backend_name(int index);

/*
 * Which kernels the backend has here: those of "portable" are "avx512", "avx2" or "generic".  Empty
 * for the others, NULL behind the end of the list.
 */
NNEFC_API const char *nnefc_backend_facts(int index);

/*
 * As nnefc_run_new(), but by the backend of the options; NULL: all of them are 0, which is fast.
 * Only runs of the reference stop at operations (compare.h, a step in parts).
 *
 * Results are also gone, and NULL, once such a run gets another number of threads or keeps more.
 */
NNEFC_API struct nnefc_run *nnefc_run_new_with(struct nnefc_model *model,
                                               const struct nnefc_run_options *options);

/* The backend by which it runs: any of the names but "auto"; NULL: there is no run. */
NNEFC_API const char *nnefc_run_backend(const struct nnefc_run *run);

/* How many threads it has at most: the number that was set, if there are as many processors, or one
 * for each core; 0: there is no run. */
NNEFC_API int nnefc_run_threads(const struct nnefc_run *run);

/*
 * Make the plan, which the first step does otherwise.  Tensors that are kept (nnefc_run_keep())
 * should be named before: they take another plan.
 */
NNEFC_API enum nnefc_status nnefc_run_prepare(struct nnefc_run *run);

/*
 * As nnefc_run_set_input(), but the `size` bytes of items stay where they are, row by row and
 * aligned as their type is.  Steps read them there, and they may be changed between steps, until
 * the parameter is given another input or the run is freed.  NNEFC_USAGE if the parameter has not
 * that many.
 */
NNEFC_API enum nnefc_status nnefc_run_view_input(struct nnefc_run *run, int index,
                                                 const void *items, size_t size);

/* --- several at a time ------------------------------------------------------------------------ */

/*
 * Another run of the same backend, threads, images and kept tensors, without inputs, and by its
 * plan, which is made if there is none: packed weights are there once, and memory for tensors,
 * threads and what variables hold belong to each.  NULL after a report.  Each of them is freed, in
 * any order; one that gets another number of threads or keeps more makes a plan of its own, and its
 * variables begin with their data again.
 *
 *     struct nnefc_run *other = nnefc_run_new_like(run);   then a thread calls nnefc_run_step(run),
 * and another one nnefc_run_step(other)
 *
 * This and all other functions of runs, those of the reference included, may be called in several
 * threads at a time, if each run is in the hands of one of them.  What they do to the model they do
 * in turns; computing goes on at a time.  Functions of the model, and of its diagnostics, are for
 * when no other thread is within such a call.
 */
NNEFC_API struct nnefc_run *nnefc_run_new_like(struct nnefc_run *like);

/* --- looking at it ---------------------------------------------------------------------------- */

/*
 * The plan as stable text: steps in their order, what computes them, what they read and write and
 * where that lies.  It is made if it is not there yet.  The caller frees it with free(); NULL after
 * a failure, and of the reference, which has none.
 */
NNEFC_API char *nnefc_run_dump_plan(struct nnefc_run *run);

/* Convolutions and products of the plan, once it is made, those of them that are computed with
 * integers, and their multiplications; all 0 of the reference, and of models in parts. */
struct nnefc_layers {
    int count, integers;
    int64_t macs, integer_macs;
};
NNEFC_API struct nnefc_layers nnefc_run_layers(const struct nnefc_run *run);

/* --- where the time goes ---------------------------------------------------------------------- */

/* When a thread worked on a step, in seconds by a clock that is never set. */
struct nnefc_span {
    int thread; /* 0: that of the caller */
    double begin, end;
};
NNEFC_LIST_OF(nnefc_span);

/* One step of a plan. */
struct nnefc_step {
    const char *name;       /* of its result; NULL: that has none */
    const char *operations; /* "conv + add + relu"; NULL: data is only moved */
    const char *kind;       /* "conv", "depthwise", "product", "items", "move", "reorder", ...; the
                               first operation's name if it is none of these */
    const char *backend;    /* "portable"; "reference": no backend has a kernel */
    const char *kernel;     /* the algorithm, such as "direct" or "winograd F(4,3)" */
    const char *layout;     /* "plain", "channels-last" */
    int64_t work;           /* multiplications and additions by definition; 0: it has none */
    bool shortens;          /* the kernel takes fewer of them, as Winograd's and Strassen's do */
    int64_t runs;
    double least, total; /* seconds */
    /* Its last run: first all of it, in the thread of the caller, then the part of each thread that
     * helped.  Empty without runs. */
    const struct nnefc_span_list *last;
    /* Whose result it leaves, among nnefc_model_operations(); -1: it only moves data, or the model
     * is open. */
    int operation;
};
NNEFC_LIST_OF(nnefc_step);

/* Take the time of every step from now on.  The reference has no steps. */
NNEFC_API enum nnefc_status nnefc_run_measure(struct nnefc_run *run);

/* The steps of the plan, once it is made, with their times so far.  Of a model in parts they are
 * those of the first part, of all graphs of other parts, and last the nodes that the reference
 * computes. The list lives until it is asked for again. */
NNEFC_API const struct nnefc_step_list *nnefc_run_steps(struct nnefc_run *run);

/*
 * Multiplications and additions a second that so many threads (nnefc_run_set_threads()) reach at
 * most: with nothing but registers, the widest that kernels are made for.  It is measured by
 * the call, for 50 ms.
 */
NNEFC_API double nnefc_peak_flops(int threads);

/* What the portable kernels are made for here: "avx512", "avx2", "generic". */
NNEFC_API const char *nnefc_kernels_name(void);

#ifdef __cplusplus
}
#endif

#endif
