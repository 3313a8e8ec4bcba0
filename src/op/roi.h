/* roi.h - regions of interest: what kernels and emitters of ONNX share (section 4.6) */
#ifndef NNEFC_OP_ROI_H
#define NNEFC_OP_ROI_H

#include "op/interpolate.h"

enum { ROI_INPUT, ROI_ROIS, ROI_BATCH_INDEX };

/* Coordinates farther out are as good as this one. */
#define ROI_FAR 0x1p40

#endif
