/* prepare.h - the plan of a run by a backend, which is made when it is first needed.  All functions
 * report why they give false; the caller holds the lock of the model. */
#ifndef NNEFC_API_PREPARE_H
#define NNEFC_API_PREPARE_H

#include "api/api_priv.h"

struct backend;
struct graph;
struct plan;
struct sink;

/* The backend of that name, NULL for the reference: "auto", "portable", "reference". */
bool backend_choose(const struct nnefc_model *model, const char *name,
                    const struct backend **backend);

/* run.c: how many threads a client may have that asks for so many; 0: one for each core. */
int threads_allowed(int threads);

/* run.c: a run of a graph, which has the parameters of that of the model; NULL after a report. */
struct nnefc_run *run_new_of(struct nnefc_model *model, const struct graph *graph, int threads);

/* The plan of a graph, which passes rewrite, with the settings of the run; the caller drops it. */
struct prepared *prepared_new(struct nnefc_run *run, struct graph *graph);
void prepared_drop(struct context *context, struct prepared *prepared);
const struct graph *prepared_graph(const struct prepared *prepared);
const struct plan *prepared_plan(const struct prepared *prepared);

/* Let a run have the plan of another one, if that has one; api_run_prepare() makes its own.  What
 * is kept, and how many threads there are, is part of it. */
bool run_prepare_like(struct nnefc_run *run, const struct nnefc_run *like);

/* Whatever the plan is made for has changed, or the run is over: results and what variables hold go
 * with it.  A run of the reference has one plan for all. */
void run_forget_plan(struct nnefc_run *run);

/* Write the graph as such a run rewrites it, with the weights that its plan packs. */
bool model_write_packed(struct nnefc_model *model, const struct nnefc_run_options *options,
                        const struct sink *sink);

#endif
