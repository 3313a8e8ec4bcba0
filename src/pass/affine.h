/*
 * affine.h - what multiplies each channel by a constant and adds another
 *
 * Channels are dimension 1.  Batch normalization, and products, quotients, sums and differences
 * with one constant number for each channel or for all, make factor[c] * (x - center[c]) + term[c]
 * of the items x of channel c.
 */
#ifndef NNEFC_PASS_AFFINE_H
#define NNEFC_PASS_AFFINE_H

#include "pass/edit.h"

struct affine {
    int64_t channels;
    double *factor, *center, *term; /* by channel */
    const struct value *like; /* the constant that `term` comes from, for its label, or NULL */
};

enum { CHANNEL = 1 };
enum { NORM_INPUT, NORM_MEAN, NORM_VARIANCE, NORM_OFFSET, NORM_SCALE };

/* One number for each channel, or one for all? */
bool value_is_per_channel(const struct value *value, int64_t channels);
double value_channel_item(const struct value *value, int64_t channel);

double affine_of(const struct affine *affine, int64_t channel, double x);

/* What leaves the channels of `x` as they are.  NULL, or why there is no such thing. */
const char *affine_begin(struct pass *pass, const struct value *x, struct affine *affine);

/* Has the constant one number for each channel, or one for all?  NULL, or why not. */
const char *affine_obstacle(const struct affine *affine, const struct value *constant);

/* What a batch normalization does.  NULL, or why that cannot be said. */
const char *affine_of_norm(struct pass *pass, const struct node *norm, struct affine *affine);

/* The same with all centers 0, if other operations with constants of these numbers may stand for
 * it. */
const char *affine_instead(struct pass *pass, const struct node *norm, struct affine *affine);

/* Is there a channel that is multiplied? */
bool affine_scales(const struct affine *affine);

/* Are they finite when rounded? */
bool numbers_in_range(const double *numbers, int64_t count);

/* Numbers by channel as a constant [1,channels], or a literal if all are equal; they are in range.
 * NULL after a report. */
struct value *affine_constant(struct pass *pass, const double *numbers, int64_t channels,
                              const struct value *like);

#endif
