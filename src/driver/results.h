/* results.h - the results of a run, summed up for people and in full for programs */
#ifndef NNEFC_DRIVER_RESULTS_H
#define NNEFC_DRIVER_RESULTS_H

#include "driver/record.h"

extern const struct view results_view;

/*
 * {"graph": name, "outputs": [{"name", "type", "shape", "min", "max", "mean", "top", "values"}]};
 * values in row-major order; "top", of index and value, for scores only.  The tensors of the run
 * have to stay until it is printed.
 */
struct record *results_record(const struct nnefc_model *model, const struct nnefc_run *run);

#endif
