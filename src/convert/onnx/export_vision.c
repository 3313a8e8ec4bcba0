/* export_vision.c - images at the places of grids, and regions of them */
#include "convert/onnx/export_rules.h"

#include "op/interpolate.h"

/* Modes have other names before opset 20, and images two dimensions. */
const char *export_grid_sample(const struct emit *e)
{
    static const char *const modes[] = {[SAMPLE_MODE_LINEAR] = "linear",
                                        [SAMPLE_MODE_NEAREST] = "nearest",
                                        [SAMPLE_MODE_CUBIC] = "cubic"};
    static const char *const older[] = {[SAMPLE_MODE_LINEAR] = "bilinear",
                                        [SAMPLE_MODE_NEAREST] = "nearest",
                                        [SAMPLE_MODE_CUBIC] = "bicubic"};
    const struct grid_sample_attrs *attrs = e->attrs;
    const int rank = emit_shape(e, 0)->rank, least = rank > 4 ? 20 : 16;

    if (e->opset < least) {
        emit_refuse(e, "needs opset %d", least);
        return NULL;
    }
    const char *y = emit(e, "GridSample", emit_in(e, 0), emit_in(e, 1), NULL);
    emit_attr_string(e, "mode", (e->opset < 20 ? older : modes)[attrs->sample_mode]);
    emit_attr_string(e, "padding_mode",
                     attrs->border == BORDER_CONSTANT    ? "zeros"
                     : attrs->border == BORDER_REPLICATE ? "border"
                                                         : "reflection");
    emit_attr_int(e, "align_corners", attrs->align_corners);
    return y;
}

/* Before opset 16 corners are not shifted. */
const char *export_region_align(const struct emit *e)
{
    const struct roi_align_attrs *attrs = e->attrs;

    if (e->opset < 16 && attrs->half_pixel) {
        emit_refuse(e, "needs opset 16");
        return NULL;
    }
    const char *y = emit(e, "RoiAlign", emit_in(e, ROI_INPUT), emit_in(e, ROI_ROIS),
                         emit_in(e, ROI_BATCH_INDEX), NULL);
    if (e->opset >= 16)
        emit_attr_string(e, "coordinate_transformation_mode",
                         attrs->half_pixel ? "half_pixel" : "output_half_pixel");
    emit_attr_string(e, "mode", attrs->align_mode == ALIGN_MODE_MAX ? "max" : "avg");
    emit_attr_int(e, "output_height", attrs->output_size.item[0]);
    emit_attr_int(e, "output_width", attrs->output_size.item[1]);
    emit_attr_int(e, "sampling_ratio", attrs->sampling_ratio);
    emit_attr_float(e, "spatial_scale", attrs->scale);
    return y;
}
