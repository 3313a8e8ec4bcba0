/* fast.h - runs by a backend, behind struct nnefc_run */
#ifndef NNEFC_API_FAST_H
#define NNEFC_API_FAST_H

#include "api/api_priv.h"

struct sink;
struct tensor;

/* False, with nothing made, after a report; *fast is NULL if the reference is asked for. */
bool fast_new(struct nnefc_model *model, const struct nnefc_run_options *options,
              struct fast_run **fast);
void fast_free(const struct nnefc_model *model, struct fast_run *fast);

/* Make the plan, if there is none; and another run by the plan of one that has it.  False after a report. */
bool fast_prepare(struct nnefc_run *run);
bool fast_new_like(struct nnefc_run *run, const struct nnefc_run *like);

void fast_set_threads(struct nnefc_run *run, int threads);
void fast_set_progress(struct nnefc_run *run, nnefc_progress progress, void *data);

/* What is kept has changed: there has to be another plan.  Results and what variables hold go with this one. */
void fast_forget_plan(struct nnefc_run *run);

/* Write the graph as such a run rewrites it, with the weights that its plan packs.  False after a report. */
bool fast_write(struct nnefc_model *model, const struct nnefc_run_options *options,
                const struct sink *sink);

/* One step: what it takes of the model, which is planned if it is the first, and the computing.  Each is
 * false after a report, to the model and to the run. */
bool fast_begin(struct nnefc_run *run);
bool fast_compute(struct nnefc_run *run);

/* As run_tensor() and run_variable(), by a value of the model's graph. */
const struct tensor *fast_output(const struct nnefc_run *run, int index);
const struct tensor *fast_kept(const struct nnefc_run *run, const struct value *value);
const struct tensor *fast_variable(const struct nnefc_run *run, const struct value *variable);

#endif
