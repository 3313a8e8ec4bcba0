/* section.c - parts of tensors: what slices take */
#include "pass/section.h"

#include <assert.h>

struct section section_whole(const struct shape *shape)
{
    struct section section = {.rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        section.dim[i] = (struct span_of_items){0, 1, shape->extent[i]};
    return section;
}

/* Steps that are never taken may be as long as they like. */
static struct span_of_items simplest(struct span_of_items span, int64_t extent)
{
    if (span.count == 0)
        span.first = extent;
    if (span.count <= 1)
        span.step = 1;
    return span;
}

struct section section_of_slice(const struct node *slice)
{
    const struct shape *from = slice->in[0].value->shape, *to = slice->out[0].shape;
    const struct slice_attrs *attrs = slice->attrs;
    struct section section = section_whole(from);

    assert(is_op(slice, OP_slice));
    for (int i = 0; i < attrs->axes.count; i++) {
        int axis = (int)attrs->axes.item[i];
        int64_t extent = from->extent[axis], first = attrs->begin.item[i];
        /* A negative bound counts from the end; what still lies outside is moved to the bounds. */
        first += first < 0 ? extent : 0;
        first = first < 0 ? 0 : first < extent ? first : extent;
        struct span_of_items span = {.first = first,
                                     .step = attrs->stride.count > 0 ? attrs->stride.item[i] : 1,
                                     .count = to->extent[axis]};
        section.dim[axis] = simplest(span, extent);
    }
    return section;
}

struct section section_within(const struct section *whole, const struct section *part)
{
    struct section section = {.rank = whole->rank};

    assert(whole->rank == part->rank);
    for (int i = 0; i < whole->rank; i++) {
        const struct span_of_items *outer = &whole->dim[i], *inner = &part->dim[i];
        section.dim[i] = (struct span_of_items){outer->first + inner->first * outer->step,
                                                outer->step * inner->step, inner->count};
    }
    return section;
}

struct slice_attrs section_attrs(struct section_lists *lists, const struct section *section,
                                 const struct shape *shape)
{
    assert(section->rank == shape->rank);
    *lists = (struct section_lists){0};

    for (int i = 0; i < section->rank; i++) {
        int64_t extent = shape->extent[i];
        struct span_of_items span = simplest(section->dim[i], extent);
        if (span.count == extent && (extent == 0 || (span.first == 0 && span.step == 1)))
            continue; /* the dimension is whole */
        /* Behind its last item the range ends, so that no end is the 0 that means another one. */
        int64_t last = span.first + (span.count - 1) * span.step, end = last + 1;
        assert(span.count > 0 || span.step == 1);
        if (span.step < 0)
            end = last > 1 ? last - 1 : last - 1 - extent;
        list_add(&lists->axes, i);
        list_add(&lists->begin, span.first);
        list_add(&lists->end, end);
        list_add(&lists->stride, span.step);
    }
    return (struct slice_attrs){.axes = list_integers(&lists->axes),
                                .begin = list_integers(&lists->begin),
                                .end = list_integers(&lists->end),
                                .stride = list_integers(&lists->stride)};
}

struct value *pass_slice(struct pass *pass, struct value *value, const struct section *section)
{
    struct section_lists lists;
    struct slice_attrs attrs = section_attrs(&lists, section, value->shape);

    return pass_make(pass, &(struct recipe){.op = {OP_slice, &attrs}, .in = {value}});
}
