/*
 * special.c - regions of interest, grids, moved taps, determinants and random numbers, by texts
 *
 * A step is a description and a call.
 */
#include "backend/c/c.h"

#include "exec/planner.h"
#include "op/convolve.h"
#include "op/interpolate.h"

#include <inttypes.h>

/* "1, 2, 3" of the extents from dimension 2 on. */
static void add_spatial(struct text *to, const struct shape *shape)
{
    for (int i = 2; i < shape->rank; i++)
        text_add(to, "%s%" PRId64, i > 2 ? ", " : "", shape_extent(shape, i));
}

static void print_text(struct c_writer *writer, struct text *text)
{
    c_code_v(writer, text->data, text->size);
    text_free(text);
}

/* --- regions of interest ------------------------------------------------------------------------
 */

static void print_regions(struct c_writer *writer, const struct step *step)
{
    static const char *const methods[] = {[RESIZE_METHOD_SYMMETRIC] = "SYMMETRIC",
                                          [RESIZE_METHOD_ASYMMETRIC] = "ASYMMETRIC",
                                          [RESIZE_METHOD_ALIGNED] = "ALIGNED"};
    const struct node *node = step->nodes[0];
    const struct roi_attrs *attrs = node->attrs;
    const struct shape *in = node->in[ROI_INPUT].value->shape, *out = node->out[0].shape;
    bool aligns = is_op(node, OP_avg_roi_align) || is_op(node, OP_max_roi_align);
    bool resamples = is_op(node, OP_roi_resample);
    bool mean = is_op(node, OP_avg_roi_align) || is_op(node, OP_avg_roi_pool);
    struct text text = {0};

    c_needs(writer, C_TEXT_roi);
    c_may_fail(writer);
    text_add(&text,
             "static const struct @_roi roi = {\n%d, @@%s, %d, /* kind, method, rank */\n"
             "%" PRId64 ", %" PRId64 ", %" PRId64 ", /* regions, channels, batch */\n{",
             mean | aligns << 1 | resamples << 2,
             aligns || resamples ? methods[attrs->resize_method] : "SYMMETRIC", in->rank - 2,
             shape_extent(out, 0), shape_extent(in, 1), shape_extent(in, 0));
    add_spatial(&text, in);
    text_add(&text, "}, {");
    add_spatial(&text, out);
    text_add(&text, "}, {");
    for (int i = 0; i < in->rank - 2; i++)
        text_add(&text, "%s%" PRId64, i > 0 ? ", " : "", aligns ? attrs->sampling_rate.item[i] : 1);
    text_add(&text, "},\n};\n\nif (@_regions(&roi, in0, in1, in2, out0) != 0)\n    return 1;\n");
    print_text(writer, &text);
}

/* --- regions of images --------------------------------------------------------------------------
 */

static void print_align(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct shape *in = node->in[ROI_INPUT].value->shape, *out = node->out[0].shape;
    const struct roi_align_attrs *attrs = node->attrs;
    const struct roi_pool_attrs *pool = node->attrs;
    bool pools = is_op(node, OP_roi_pool);
    struct text text = {0};

    c_needs(writer, C_TEXT_roi_align);
    c_may_fail(writer);
    text_add(&text,
             "static const struct @_align roi = {\n"
             "%" PRId64 ", %" PRId64 ", %" PRId64 ", /* regions, channels, batch */\n{",
             shape_extent(out, 0), shape_extent(in, 1), shape_extent(in, 0));
    add_spatial(&text, in);
    text_add(&text, "}, {");
    add_spatial(&text, out);
    text_add(&text, "}, %" PRId64 ", %d, %d, ", pools ? 0 : attrs->sampling_ratio,
             !pools && attrs->align_mode == ALIGN_MODE_MAX, !pools && attrs->half_pixel);
    c_number(&text, pools ? pool->scale : attrs->scale);
    text_add(&text, ",\n};\n\nif (%s != 0)\n    return 1;\n",
             pools ? "@_roi_pool(&roi, in0, in1, out0)" : "@_roi_align(&roi, in0, in1, in2, out0)");
    print_text(writer, &text);
}

/* --- grids --------------------------------------------------------------------------------------
 */

static void print_grid(struct c_writer *writer, const struct step *step)
{
    static const char *const modes[] = {[SAMPLE_MODE_LINEAR] = "LINEAR",
                                        [SAMPLE_MODE_NEAREST] = "NEAREST",
                                        [SAMPLE_MODE_CUBIC] = "CUBIC"};
    const struct node *node = step->nodes[0];
    const struct grid_sample_attrs *attrs = node->attrs;
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    struct text text = {0};

    c_needs(writer, C_TEXT_grid);
    text_add(&text,
             "static const struct @_grid grid = {\n%" PRId64 ", %" PRId64
             ", %d, @@%s, @@%s, %d,\n{",
             shape_extent(out, 0), shape_extent(in, 1), in->rank - 2, modes[attrs->sample_mode],
             attrs->border == BORDER_REPLICATE ? "REPLICATE"
             : attrs->border == BORDER_REFLECT ? "REFLECT"
                                               : "CONSTANT",
             attrs->align_corners);
    add_spatial(&text, in);
    text_add(&text, "}, {");
    add_spatial(&text, out);
    text_add(&text, "},\n};\n\n@_grid_sample(&grid, in0, in1, out0);\n");
    print_text(writer, &text);
}

/* --- moved taps ---------------------------------------------------------------------------------
 */

static struct window window_of_deform(const struct node *node)
{
    const struct window_source source = {.attrs = node->attrs,
                                         .input = node->in[CONV_INPUT].value->shape,
                                         .filter = node->in[CONV_FILTER].value->shape,
                                         .first = 2,
                                         .rank = node->out[0].shape->rank};

    return window_of(&source, node->out[0].shape);
}

static void print_deform(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct window_attrs *attrs = node->attrs;
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    const struct window window = window_of_deform(node);

    c_needs(writer, C_TEXT_deform);
    c_window(writer, &window);
    c_code(writer,
           "static const struct @_groups groups = {\n%" PRId64 ", %" PRId64 ", %" PRId64
           ", %" PRId64 ", %" PRId64
           ", %d, /* batch, groups, channels; items of one; bias */\n};\n\n"
           "@_deform(&window, &groups, %" PRId64 ", %d, in0, in1, in2, in3, in4, out0);\n",
           shape_extent(out, 0), attrs->groups, shape_extent(in, 1) / attrs->groups,
           shape_extent(out, 1) / attrs->groups, shape_volume_range(in, 2, in->rank),
           shape_volume(node->in[CONV_BIAS].value->shape) > 1, attrs->offset_groups,
           node->in[CONV_BIAS + 2].value->shape->rank == 0);
}

/* --- determinants -------------------------------------------------------------------------------
 */

enum { MATRIX = 64 }; /* rows of the largest one, which lies on the stack */

static void print_determinants(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct shape *shape = node->in[0].value->shape;
    int64_t extent = shape->extent[shape->rank - 1], each = extent * extent;

    c_needs(writer, C_TEXT_determinant);
    c_code(writer,
           "double matrix[%" PRId64 "];\n\nfor (int n = 0; n < %" PRId64 "; n++) {\n"
           "for (int i = 0; i < %" PRId64 "; i++)\n    matrix[i] = (double)in0[n * %" PRId64
           " + i];\nout0[n] = (float)@_determinant(matrix, %" PRId64 ");\n}\n",
           each + !each, shape_volume(node->out[0].shape), each, each, extent);
}

/* --- random numbers -----------------------------------------------------------------------------
 */

static void print_random(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct random_attrs *attrs = node->attrs;
    bool normal = is_op(node, OP_random_normal);
    struct text text = {0};

    c_needs(writer, C_TEXT_random);
    c_reads_state(writer);
    text_add(&text, "@_%s(", normal ? "normal" : "uniform");
    if (attrs->seed < 0)
        text_add(&text, "state->seed");
    else
        c_integer(&text, attrs->seed);
    text_add(&text, ", %" PRId64 "U, state->cycle, ", attrs->stream);
    c_double(&text, normal ? attrs->mean : attrs->low);
    text_add(&text, ", ");
    c_double(&text, normal ? attrs->scale : attrs->high);
    text_add(&text, ", %" PRId64 ", out0);\n", shape_volume(node->out[0].shape));
    print_text(writer, &text);
}

/* --- making -------------------------------------------------------------------------------------
 */

static const struct {
    enum op_id op;
    struct c_kernel kernel;
} specials[] = {
    {OP_avg_roi_pool, C_KERNEL("regions", print_regions)},
    {OP_max_roi_pool, C_KERNEL("regions", print_regions)},
    {OP_roi_resample, C_KERNEL("regions", print_regions)},
    {OP_avg_roi_align, C_KERNEL("regions", print_regions)},
    {OP_max_roi_align, C_KERNEL("regions", print_regions)},
    {OP_roi_align, C_KERNEL("regions", print_align)},
    {OP_roi_pool, C_KERNEL("regions", print_align)},
    {OP_grid_sample, C_KERNEL("grid", print_grid)},
    {OP_deform_conv, C_KERNEL("moved taps", print_deform)},
    {OP_determinant, C_KERNEL("determinant", print_determinants)},
    {OP_random_uniform, C_KERNEL("random", print_random)},
    {OP_random_normal, C_KERNEL("random", print_random)},
};

unsigned c_special_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *shape = node->nin > 0 ? node->in[0].value->shape : node->out[0].shape;

    (void)planner;
    (void)match;
    /* Stacks are small. */
    if (is_op(node, OP_determinant) && shape->extent[shape->rank - 1] > MATRIX)
        return 0;
    if (is_op(node, OP_deform_conv)) {
        const struct window w = window_of_deform(node);
        return group->count == 1 && c_window_fits(&w) ? IN_PLAIN : 0;
    }
    return group->count == 1 ? IN_PLAIN : 0;
}

bool c_special_make(struct planner *planner, const struct group *group, struct step *step)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (is_op(group->nodes[0], specials[i].op))
            return c_make_plain(planner, group, step, &specials[i].kernel);
    return false;
}
