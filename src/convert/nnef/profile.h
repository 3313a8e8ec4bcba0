/* profile.h - how a document says what NNEF has no operation for */
#ifndef NNEFC_CONVERT_NNEF_PROFILE_H
#define NNEFC_CONVERT_NNEF_PROFILE_H

#include "sema/sema.h"

struct graph;

enum nnef_profile {
    PROFILE_STRICT,   /* by operations of NNEF only */
    PROFILE_COMPOUND, /* by fragments with bodies, one invocation each */
    PROFILE_CUSTOM,   /* by declarations without bodies, likewise */
};

/*
 * A graph that can be written so: the same, or a copy in which operations of our extensions are
 * expanded and unrolled as far as they have to be.  NULL after a report.
 */
struct graph *profile_apply(struct graph *graph, const struct library *library,
                            enum nnef_profile profile);

#endif
