/* plan_sound.h - what must be true of every plan */
#ifndef NNEFC_TESTS_SUPPORT_PLAN_SOUND_H
#define NNEFC_TESTS_SUPPORT_PLAN_SOUND_H

#include <stdbool.h>

struct plan;
struct text;

/*
 * Whatever is read was written before or is there from the start, lies in the arena as far as it
 * has its place there, and apart from all that is needed at the same time.  False with a reason
 * added to `why`.
 */
bool plan_is_sound(const struct plan *plan, struct text *why);

/* Does a step take fewer products than the definition of what it computes has?  What is not finite
 * may spread then. */
bool plan_shortens(const struct plan *plan);

#endif
