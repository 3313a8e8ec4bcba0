/*
 * import_image.c - grids and columns of images
 *
 * Images are [batch, channels, spatial...].  NNEF has no such operations: grids are
 * products with known matrices, columns go by a transposed convolution with known filters.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

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

/* --- columns ------------------------------------------------------------------------------ */

struct columns {
    int count;
    int64_t image[MAX_RANK], block[MAX_RANK];
    int64_t stride[MAX_RANK], dilation[MAX_RANK], pad[MAX_RANK][2];
    int64_t steps[MAX_RANK]; /* of the block over the image */
    int64_t cells, blocks;   /* of the block, in the image */
};

/* All lists of the node, and what follows from them; false after a report. */
static bool read_columns(struct translation *t, struct columns *c)
{
    const struct tensor *image = known_input(t, 1);
    int64_t pads[2 * MAX_RANK] = {0};
    struct integers items;

    if (!image)
        return false;
    int64_t count = shape_volume(&image->shape);
    if (count < 1 || count > MAX_RANK - 2)
        return import_error(t, DIAG_RANK, "makes %" PRId64 " spatial dimensions, expected 1 to %d",
                            count, MAX_RANK - 2);
    *c = (struct columns){.count = (int)count, .cells = 1, .blocks = 1};
    for (int i = 0; i < c->count; i++)
        c->stride[i] = c->dilation[i] = 1;
    const struct {
        const char *shown, *attribute; /* NULL: input 1 or 2 */
        int count;
        int64_t least, most, *to;
    } lists[] = {{"input 1", NULL, c->count, 1, 1 << 20, c->image},
                 {"input 2", NULL, c->count, 1, 1 << 20, c->block},
                 {"'strides'", "strides", c->count, 1, INT32_MAX, c->stride},
                 {"'dilations'", "dilations", c->count, 1, INT32_MAX, c->dilation},
                 {"'pads'", "pads", 2 * c->count, 0, INT32_MAX, pads}};
    for (int k = 0; k < 5 && !t->failed; k++) {
        const char *name = lists[k].attribute;
        if (!(name ? get_ints(t, name, &items) : get_integers(t, "", k + 1, &items)))
            continue; /* the usual ones, unless something was reported */
        if (items.count != lists[k].count)
            return import_error(t, DIAG_ITEM_COUNT, "%s has %d items, expected %d", lists[k].shown,
                                items.count, lists[k].count);
        for (int i = 0; i < items.count; i++) {
            lists[k].to[i] = items.item[i];
            if (items.item[i] < lists[k].least || items.item[i] > lists[k].most)
                return import_error(t, DIAG_ITEM_VALUE,
                                    "%s has an item %" PRId64 ", expected %" PRId64 " or more",
                                    lists[k].shown, items.item[i], lists[k].least);
        }
    }
    for (int i = 0; i < c->count && !t->failed; i++) {
        int64_t room = c->image[i] + pads[i] + pads[c->count + i];
        assert(c->stride[i] > 0 && c->block[i] > 0);
        c->pad[i][0] = pads[i];
        c->pad[i][1] = pads[c->count + i];
        room -= (c->block[i] - 1) * c->dilation[i] + 1;
        if (room < 0 || c->cells > INT32_MAX / c->block[i] ||
            c->blocks > INT32_MAX / (room / c->stride[i] + 1))
            return import_error(t, DIAG_ITEM_VALUE, "has a block that does not fit into the image");
        c->steps[i] = room / c->stride[i] + 1;
        c->cells *= c->block[i];
        c->blocks *= c->steps[i];
    }
    return !t->failed;
}

/* A transposed convolution sets each column into its block, and adds where they overlap. */
struct imported *import_col2im(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct columns c = {.cells = 1};

    if (!read_columns(t, &c))
        return NULL;
    int64_t channels = x->shape.rank == 3 ? x->shape.extent[1] / c.cells : 0;
    if (channels < 1 || channels * c.cells != x->shape.extent[1] || x->shape.extent[2] != c.blocks)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has columns of shape %s, for %" PRId64 " blocks of %" PRId64 " cells",
                             SHAPE_TEXT(&x->shape), c.blocks, c.cells);
    struct shape in = {.rank = c.count + 2, .extent = {x->shape.extent[0], x->shape.extent[1]}};
    struct shape out = {.rank = in.rank, .extent = {x->shape.extent[0], channels}};
    memcpy(in.extent + 2, c.steps, (size_t)c.count * sizeof *c.steps);
    memcpy(out.extent + 2, c.image, (size_t)c.count * sizeof *c.image);
    int32_t type = x->type;
    x = reshape_to(t, x, &in);
    /* For each cell of the block a filter that has 1 there and 0 elsewhere. */
    struct shape block = {.rank = c.count + 2, .extent = {channels * c.cells, 1}};
    struct tensor *items;
    memcpy(block.extent + 2, c.block, (size_t)c.count * sizeof *c.block);
    struct imported *filter = known_new(t, ONNX_FLOAT, &block, &items);
    for (int64_t i = 0; filter && i < block.extent[0]; i++)
        ((float *)items->data)[i * c.cells + i % c.cells] = 1;
    x = make_all(t,
                 OP_SPEC(deconv, .padding = {c.count, (const int64_t(*)[2])c.pad},
                         .stride = {c.count, c.stride}, .dilation = {c.count, c.dilation},
                         .output_shape = {out.rank, out.extent}, .groups = channels),
                 (struct imported *[]){x, filter, literal(t, 0)}, 3);
    return convert(t, x, type);
}
