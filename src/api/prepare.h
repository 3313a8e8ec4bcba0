/* prepare.h - the plan of a run by a backend, which is made when it is first needed */
#ifndef NNEFC_API_PREPARE_H
#define NNEFC_API_PREPARE_H

#include "api/api_priv.h"

struct backend;
struct sink;

/* That of the name, NULL for the reference.  False after a report. */
bool backend_choose(const struct nnefc_model *model, const char *name,
                    const struct backend **backend);

/* Let it have its plan, if it has none; and the plan that another run has.  False after a
 * report. */
bool run_prepare(struct nnefc_run *run);
bool run_prepare_like(struct nnefc_run *run, const struct nnefc_run *like);

/* What the plan is made for has changed, or the run is over: results and what variables hold go
 * with it.  A run of the reference has one plan for all. */
void run_forget_plan(struct nnefc_run *run);

/* Write the graph as such a run rewrites it, with the weights that its plan packs.  False after a
 * report. */
bool model_write_packed(struct nnefc_model *model, const struct nnefc_run_options *options,
                        const struct sink *sink);

#endif
