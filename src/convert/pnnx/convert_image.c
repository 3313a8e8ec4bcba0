/* convert_image.c - images at the places of grids, and regions of them */
#include "convert/pnnx/convert.h"

struct imported *convert_grid_sample(struct pnnx_call *c, struct imported *x)
{
    struct imported *in[] = {x, tensor_named(c, "grid", 1)};

    return in[1] ? compose(c, "GridSample", in, 2, NULL) : NULL;
}

/* Matrices, for a shape that is known. */
struct imported *convert_affine_grid(struct pnnx_call *c, struct imported *theta)
{
    struct integers size;

    if (!arg_ints(c, "size", &size))
        return import_refuse(&c->t, DIAG_PNNX_VALUE, "does not say the size of its grid");
    return check_affine_grid(&c->t, &theta->shape, &size)
               ? compose(c, "AffineGrid", &theta, 1, &size)
               : NULL;
}

struct imported *convert_roi_align(struct pnnx_call *c, struct imported *x)
{
    struct imported *in[] = {x, tensor_named(c, "boxes", 1)};
    struct integers size;
    int64_t square[2];

    if (!in[1])
        return NULL;
    if (!arg_ints(c, "output_size", &size))
        return import_refuse(&c->t, DIAG_PNNX_VALUE, "does not say the size of its result");
    if (in[1]->shape.rank != 2 || in[1]->shape.extent[1] != 5)
        return import_refuse(&c->t, DIAG_SHAPE_MISMATCH, "has boxes of shape %s, expected [N,5]",
                             SHAPE_TEXT(&in[1]->shape));
    if (size.count == 1) {
        square[0] = square[1] = size.item[0];
        size = (struct integers){2, square};
    }
    return compose(c, "RoIAlign", in, 2, &size);
}
