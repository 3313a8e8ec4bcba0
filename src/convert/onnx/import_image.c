/*
 * import_image.c - grids over images
 *
 * NNEF has no such operation: grids are products with known matrices.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>

/* --- grids -------------------------------------------------------------------------------- */

/*
 * A row for each item of the grid: its places, of the last axis first, and 1.  Places go from -1 to
 * 1, from the middle of the first item to that of the last (`corners`), or from edge to edge.
 */
static struct imported *places(struct translation *t, const struct integers *extents, bool corners)
{
    struct shape shape = {.rank = 3, .extent = {1, 1, extents->count + 1}};
    struct tensor *items;

    for (int i = 0; i < extents->count; i++)
        shape.extent[1] *= extents->item[i];
    struct imported *imported = known_new(t, ONNX_FLOAT, &shape, &items);
    for (int64_t row = 0; imported && row < shape.extent[1]; row++) {
        float *to = (float *)items->data + row * shape.extent[2];
        int64_t rest = row;
        for (int i = extents->count - 1; i >= 0; i--) {
            int64_t extent = extents->item[i];
            double at = (double)(rest % extent);
            if (!corners)
                at = (2 * at + 1) / (double)extent - 1;
            else
                at = extent > 1 ? 2 * at / (double)(extent - 1) - 1 : -1;
            *to++ = (float)at;
            rest /= extent;
        }
        *to = 1;
    }
    return imported;
}

/* Each item of the grid is a product of its place and the matrix of its batch, [2,3] or [3,4]. */
struct imported *import_affine_grid(struct translation *t)
{
    struct imported *theta = input_at(t, 0);
    struct integers size, extents;

    if (!get_integers(t, "size", 1, &size))
        return NULL;
    extents = (struct integers){size.count - 2, size.item + 2};
    bool ok = (extents.count == 2 || extents.count == 3) && theta->shape.rank == 3 &&
              theta->shape.extent[1] == extents.count &&
              theta->shape.extent[2] == extents.count + 1 && theta->shape.extent[0] == size.item[0];
    struct shape shape = {.rank = ok ? extents.count + 2 : 0};
    for (int i = 0; ok && i < extents.count; i++) {
        ok = extents.item[i] >= 1 && extents.item[i] <= 1 << 20;
        shape.extent[1 + i] = extents.item[i];
    }
    if (!ok)
        return import_refuse(t, DIAG_ONNX_GRAPH, "has matrices of shape %s for %d extents",
                             SHAPE_TEXT(&theta->shape), size.count);
    shape.extent[0] = size.item[0];
    shape.extent[shape.rank - 1] = extents.count;
    struct imported *all = places(t, &extents, get_int(t, "align_corners", 0));
    int32_t type = theta->type;
    theta = convert(t, theta, ONNX_FLOAT);
    return convert(t, reshape_to(t, matmul(t, all, transpose_last(t, theta)), &shape), type);
}
