/* steps.h - where the time of a run goes, step by step of its plan */
#ifndef NNEFC_DRIVER_STEPS_H
#define NNEFC_DRIVER_STEPS_H

#include "driver/settings.h"

#include <jansson.h>
#include <stdio.h>

/* Have steps measured if the settings ask for it. */
enum nnefc_status steps_measure(const struct settings *settings, struct nnefc_run *run);

/* A table of what was measured, in the order of the steps. */
void steps_print(FILE *out, struct nnefc_run *run);

/* The same as an array. */
json_t *steps_json(struct nnefc_run *run);

#endif
