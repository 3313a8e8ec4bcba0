/* convert_resize.c - other extents by interpolation */
#include "convert/pnnx/convert_functions.h"

#include <string.h>

static bool has(const char *type, const char *word)
{
    return strstr(type, word) != NULL;
}

static const char *mode_of(struct say *s)
{
    const char *type = s->op->type;
    const char *own = has(type, "ilinear") ? "bilinear" : "nearest";

    return say_text(s, "mode", own);
}

/* How an item of the result lies in the input. */
static void put_mode(struct say *s, const char *mode)
{
    bool exact = strcmp(mode, "nearest-exact") == 0, near = exact || strcmp(mode, "nearest") == 0;
    bool old = has(s->op->type, "Bilinear2d") || has(s->op->type, "upsample_bilinear");
    bool corners = !near && say_flag(s, "align_corners", old);

    node_text(s, "mode", near ? "nearest" : has(mode, "cubic") ? "cubic" : "linear");
    node_text(s, "coordinate_transformation_mode",
              exact     ? "tf_half_pixel_for_nn"
              : near    ? "asymmetric"
              : corners ? "align_corners"
                        : "half_pixel");
    node_text(s, "nearest_mode", "floor");
    node_int(s, "antialias", say_flag(s, "antialias", false));
}

static struct imported *reals(struct say *s, const double *items, int count, int rank)
{
    struct shape shape = {.rank = 1, .extent = {rank}};
    struct tensor *to;
    struct imported *imported = known_new(&s->t, ONNX_FLOAT, &shape, &to);

    for (int i = 0; imported && i < rank; i++)
        ((float *)to->data)[i] = i < 2 ? 1 : (float)items[count == 1 ? 0 : i - 2];
    return imported;
}

static struct imported *whole(struct say *s, const struct shape *shape, const struct integers *size)
{
    int64_t extents[MAX_RANK];

    for (int i = 0; i < shape->rank; i++)
        extents[i] = i < 2 ? shape->extent[i] : size->item[size->count == 1 ? 0 : i - 2];
    return known_integers(&s->t, extents, shape->rank);
}

struct imported *say_resize(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *in[4] = {x, NULL, NULL, NULL};
    struct integers size = {0};
    const double *scales = NULL;
    int count = 0;

    if (!x)
        return NULL;
    bool by_size = say_ints(s, "size", &size);
    bool given = by_size || say_reals(s, "scale_factor", &scales, &count);
    count = by_size ? size.count : count;
    if (!given || (count != 1 && count != x->shape.rank - 2) || x->shape.rank < 3)
        return s->t.failed ? NULL
                           : say_refuse(s, "has %d sizes or scales for shape %s", count,
                                        SHAPE_TEXT(&x->shape));
    in[by_size ? 3 : 2] =
        by_size ? whole(s, &x->shape, &size) : reals(s, scales, count, x->shape.rank);
    say_begin(s, "Resize");
    put_mode(s, mode_of(s));
    return say_end(s, in, 4, NULL, 1);
}
