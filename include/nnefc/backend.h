/*
 * backend.h - the part of nnefc.h about runs that are faster than those of the reference
 *
 * nnefc_run_new() computes with the reference kernels: plain loops with sums in double precision,
 * which define the right results.  Other backends plan a run first: they fuse operations, pack
 * weights and share memory.  Their results agree with those of the reference up to the rounding of
 * 32-bit floats.  If a backend has no kernel for an operation, the reference kernel computes it.
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
                            Strassen's of floats */
};

/* The names that `backend` may have; NULL at the end of the list. */
NNEFC_API const char *nnefc_backend_name(int index);

/*
 * The kernels that the backend uses on this processor: "avx512", "avx2" or "generic" for
 * "portable", "" for other backends.  NULL at the end of the list.
 */
NNEFC_API const char *nnefc_backend_facts(int index);

/*
 * As nnefc_run_new(), but with the backend of the options.  With NULL all options are 0, which is
 * fast.  Only runs of the reference can stop at operations (compare.h, a step in parts).
 *
 * Setting the number of threads, or keeping another tensor, also drops the results of such a run:
 * they are NULL then.
 */
NNEFC_API struct nnefc_run *nnefc_run_new_with(struct nnefc_model *model,
                                               const struct nnefc_run_options *options);

/* The backend of a run: any of the names but "auto"; NULL: there is no run. */
NNEFC_API const char *nnefc_run_backend(const struct nnefc_run *run);

/* The largest number of threads of a run: the number that was set, but at most the number of
 * processors; or one for each core.  0: there is no run. */
NNEFC_API int nnefc_run_threads(const struct nnefc_run *run);

/*
 * Make the plan; otherwise the first step makes it.  Call nnefc_run_keep() before, because keeping
 * another tensor needs a new plan.
 */
NNEFC_API enum nnefc_status nnefc_run_prepare(struct nnefc_run *run);

/*
 * As nnefc_run_set_input(), but without a copy: steps read the `size` bytes where they are.  Items
 * lie in row-major order and are aligned as their type.  They must stay there until the parameter
 * is given another input or the run is freed; the client may change them between steps.
 * NNEFC_USAGE if the parameter has another size.
 */
NNEFC_API enum nnefc_status nnefc_run_view_input(struct nnefc_run *run, int index,
                                                 const void *items, size_t size);

/* --- several at a time ------------------------------------------------------------------------ */

/*
 * A new run with the same backend, number of threads, images and kept tensors, but without inputs.
 * It shares the plan of `like`, which is made if there is none, and so the packed weights.  It has
 * its own memory for tensors, threads and values of variables.  NULL after a report.  Runs may be
 * freed in any order.  If one of them gets another number of threads or keeps another tensor, it
 * makes a plan of its own, and its variables begin with their data again.
 *
 *     struct nnefc_run *other = nnefc_run_new_like(run);
 *
 *     nnefc_run_step(run);       in one thread
 *     nnefc_run_step(other);     in another thread, at the same time
 *
 * This and all other functions of runs, those of the reference included, may be called in several
 * threads at the same time, if no two threads use one run.  Such calls lock the model while they
 * change it, but not while they compute.  Functions of the model and of its diagnostics must not be
 * called while another thread is in such a call.
 */
NNEFC_API struct nnefc_run *nnefc_run_new_like(struct nnefc_run *like);

/* --- looking at it ---------------------------------------------------------------------------- */

/*
 * The plan as stable text: the steps in their order, with their kernels, and with the tensors that
 * they read and write and the places of these.  The plan is made if there is none.  The caller
 * frees the text with free().  NULL after a failure, and for the reference, which has no plan.
 */
NNEFC_API char *nnefc_run_dump_plan(struct nnefc_run *run);

/* The number of convolutions and products of the plan, once it is made, and of those among them
 * that compute with integers, and the multiply-adds of both.  All are 0 for the reference and for
 * models in parts. */
struct nnefc_layers {
    int count, integers;
    int64_t macs, integer_macs;
};
NNEFC_API struct nnefc_layers nnefc_run_layers(const struct nnefc_run *run);

/* --- where the time goes ---------------------------------------------------------------------- */

/* The time that a thread worked on a step, in seconds of a monotonic clock. */
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
    /* The last run of the step: first the whole of it, in the thread of the caller, then the part
     * of each thread that helped.  Empty if the step did not run yet. */
    const struct nnefc_span_list *last;
    /* Whose result it leaves, among nnefc_model_operations(); -1: it only moves data, or the model
     * is open. */
    int operation;
};
NNEFC_LIST_OF(nnefc_step);

/* Measure the time of every step from now on.  The reference has no steps. */
NNEFC_API enum nnefc_status nnefc_run_measure(struct nnefc_run *run);

/* The steps of the plan, once it is made, with their times so far.  If a model runs in parts, these
 * are the steps of the first part, then those of all graphs of other parts, then the nodes that the
 * reference computes.  The list is valid until the next call. */
NNEFC_API const struct nnefc_step_list *nnefc_run_steps(struct nnefc_run *run);

/*
 * The peak of the machine, in multiplications and additions a second: what so many threads
 * (nnefc_run_set_threads()) reach if they compute in the widest registers of the kernels and use no
 * memory.  The call measures it for 50 ms.
 */
NNEFC_API double nnefc_peak_flops(int threads);

/* The portable kernels that this processor runs: "avx512", "avx2" or "generic". */
NNEFC_API const char *nnefc_kernels_name(void);

#ifdef __cplusplus
}
#endif

#endif
