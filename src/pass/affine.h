/*
 * affine.h - multiplying each channel by a constant, and adding another
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

/* Does the value have one number for each channel, or one for all? */
bool value_is_per_channel(const struct value *value, int64_t channels);

/* The number of the channel, for a value of which value_is_per_channel() is true and the items are
 * known. */
double value_channel_item(const struct value *value, int64_t channel);

/* The result for an item `x` of the channel. */
double affine_of(const struct affine *affine, int64_t channel, double x);

/* Sets the affine that leaves the channels of `x` as they are.  Its arrays last as long as the
 * visit (pass_scratch()).  NULL, or why there is none: the channels are not known. */
const char *affine_begin(struct pass *pass, const struct value *x, struct affine *affine);

/* Sets the affine of a batch normalization.  NULL, or why its numbers are not known. */
const char *affine_of_norm(struct pass *pass, const struct node *norm, struct affine *affine);

/* The same with all centers 0, if other operations with constants of these numbers may stand for
 * the batch normalization.  NULL, or why not. */
const char *affine_instead(struct pass *pass, const struct node *norm, struct affine *affine);

/* Is there a channel with a factor other than 1? */
bool affine_scales(const struct affine *affine);

/* Are the numbers finite when rounded to 32 bits? */
bool numbers_in_range(const double *numbers, int64_t count);

/* The numbers of the channels, which are in range, as a constant [1,channels], or a literal if all
 * are equal.  pass_fixed() labels it like `like`.  NULL after a report. */
struct value *affine_constant(struct pass *pass, const double *numbers, int64_t channels,
                              const struct value *like);

#endif
