/* roi.h - regions of interest: what kernels and emitters of ONNX share (section 4.6) */
#ifndef NNEFC_OP_ROI_H
#define NNEFC_OP_ROI_H

#include "op/interpolate.h"

struct emit;

struct roi_attrs {
    struct integers output_size, sampling_rate;
    int method;
};

enum { ROI_INPUT, ROI_ROIS, ROI_BATCH_INDEX };

/* Coordinates farther out are as good as this one. */
#define ROI_FAR 0x1p40

bool emit_avg_roi_pool(const struct emit *e);
bool emit_max_roi_pool(const struct emit *e);
bool emit_roi_resample(const struct emit *e);
bool emit_avg_roi_align(const struct emit *e);
bool emit_max_roi_align(const struct emit *e);

#endif
