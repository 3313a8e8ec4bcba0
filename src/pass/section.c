/* section.c - parts of tensors: what slices take */
#include "pass/section.h"

#include "pass/attributes.h"

#include <string.h>

struct section section_whole(const struct shape *shape)
{
    struct section section = {.rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        section.dim[i] = (struct span_of_items){0, 1, shape->extent[i]};
    return section;
}

/* A negative bound counts from the end; what still lies outside is moved to the bounds. */
static int64_t first_of(int64_t begin, int64_t extent)
{
    begin += begin < 0 ? extent : 0;
    return begin < 0 ? 0 : begin < extent ? begin : extent;
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

struct section section_of_slice(const struct pass *pass, const struct node *slice)
{
    const struct shape *from = slice->in[0].value->shape, *to = slice->out[0].shape;
    struct list axes = node_list(pass, slice, "axes"), begin = node_list(pass, slice, "begin"),
                stride = node_list(pass, slice, "stride");
    struct section section = section_whole(from);

    for (int i = 0; i < axes.count; i++) {
        int axis = (int)axes.item[i];
        struct span_of_items span = {.first = first_of(begin.item[i], from->extent[axis]),
                                     .step = stride.count > 0 ? stride.item[i] : 1,
                                     .count = to->extent[axis]};
        section.dim[axis] = simplest(span, from->extent[axis]);
    }
    return section;
}

struct section section_within(const struct section *whole, const struct section *part)
{
    struct section section = {.rank = whole->rank};

    for (int i = 0; i < whole->rank; i++) {
        const struct span_of_items *outer = &whole->dim[i], *inner = &part->dim[i];
        section.dim[i] = (struct span_of_items){outer->first + inner->first * outer->step,
                                                outer->step * inner->step, inner->count};
    }
    return section;
}

static bool is_whole(const struct span_of_items *span, int64_t extent)
{
    return span->count == extent && (extent == 0 || (span->first == 0 && span->step == 1));
}

/* Where the range ends: behind its last item, so that no end is the 0 that means another one. */
static int64_t end_of(const struct span_of_items *span, int64_t extent)
{
    int64_t last = span->first + (span->count - 1) * span->step;

    if (span->step > 0)
        return last + 1;
    return last > 1 ? last - 1 : last - 1 - extent;
}

void section_attrs(struct pass *pass, const struct section *section, const struct shape *shape,
                   struct recipe_attr attrs[SLICE_ATTRS])
{
    struct list axes = {0}, begin = {0}, end = {0}, stride = {0};

    for (int i = 0; i < section->rank; i++) {
        int64_t extent = shape->extent[i];
        struct span_of_items span = simplest(section->dim[i], extent);
        if (is_whole(&span, extent))
            continue;
        list_add(&axes, i);
        list_add(&begin, span.first);
        list_add(&end, end_of(&span, extent));
        list_add(&stride, span.step);
    }
    memset(attrs, 0, SLICE_ATTRS * sizeof *attrs);
    attrs[0] = (struct recipe_attr){"axes", datum_of_list(pass, axes.item, axes.count)};
    attrs[1] = (struct recipe_attr){"begin", datum_of_list(pass, begin.item, begin.count)};
    attrs[2] = (struct recipe_attr){"end", datum_of_list(pass, end.item, end.count)};
    attrs[3] = (struct recipe_attr){"stride", datum_of_list(pass, stride.item, stride.count)};
}

struct value *pass_slice(struct pass *pass, struct value *value, const struct section *section)
{
    struct recipe recipe = {.op = OP_slice, .in = {value}};

    section_attrs(pass, section, value->shape, recipe.attr);
    return pass_make(pass, &recipe);
}
