/* summary.h - results on standard output, for people and for programs */
#ifndef NNEFC_DRIVER_SUMMARY_H
#define NNEFC_DRIVER_SUMMARY_H

#include "nnefc/nnefc.h"

#include <jansson.h>

void summary_print(const struct nnefc_model *model, const struct nnefc_run *run);

/*
 * One object: {"graph": name, "outputs": [{"name", "type", "shape", "min", "max", "mean", "top",
 * "values"}]}; values in row-major order, null for what is not finite; "top", index and value, for
 * scores only.  Then the members of `more`, an object that it takes over.  False if there is not enough
 * memory.
 */
bool summary_print_json(const struct nnefc_model *model, const struct nnefc_run *run, json_t *more);

#endif
