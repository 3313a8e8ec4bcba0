/*
 * section.h - parts of tensors: what slices take (section 4.5.4)
 *
 *     output[.., i, ..] = input[.., first + i * step, ..], 0 <= i < count
 */
#ifndef NNEFC_PASS_SECTION_H
#define NNEFC_PASS_SECTION_H

#include "pass/attributes.h"

struct span_of_items {
    int64_t first, step, count;
};

/* One for each dimension. */
struct section {
    int rank;
    struct span_of_items dim[MAX_RANK];
};

struct section section_whole(const struct shape *shape);

/* The items that a slice of known shapes takes of its operand. */
struct section section_of_slice(const struct node *slice);

/* `part` of what `whole` takes. */
struct section section_within(const struct section *whole, const struct section *part);

/*
 * Attributes of a slice of a tensor of that shape, which refer to *lists.  Equal sections have
 * equal ones: axes that are cut only, in ascending order; with a stride, which is 1 for a single
 * item; and bounds that are not negative, but for an end before the first item, which counts from
 * the other end, as it cannot be said otherwise.
 */
struct section_lists {
    struct dim_list axes, begin, end, stride;
};
struct slice_attrs section_attrs(struct section_lists *lists, const struct section *section,
                                 const struct shape *shape);

/* A slice; NULL after a report. */
struct value *pass_slice(struct pass *pass, struct value *value, const struct section *section);

#endif
