/* steps.h - where the time of a run goes: step by step of its plan, and by kind of step */
#ifndef NNEFC_DRIVER_STEPS_H
#define NNEFC_DRIVER_STEPS_H

#include "driver/settings.h"

#include <jansson.h>
#include <stdio.h>

/* Have steps measured if the settings ask for it. */
enum nnefc_status steps_measure(const struct settings *settings, struct nnefc_run *run);

/*
 * Tables of what was measured: the steps in their order, then the kinds of them, what took longest first.
 * Speeds are beside what the machine reaches at most, which is measured now.  False if there is not enough
 * memory.
 */
bool steps_print(FILE *out, const struct settings *settings, struct nnefc_run *run);

/* The same as members of an object: "kernels", "peakGflops", "steps", "kinds". */
json_t *steps_json(const struct settings *settings, struct nnefc_run *run);

#endif
