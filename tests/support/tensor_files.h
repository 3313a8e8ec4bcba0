/* tensor_files.h - readers of one kind of file, by path; see dat.h, npy.h and image.h */
#ifndef NNEFC_TESTS_SUPPORT_TENSOR_FILES_H
#define NNEFC_TESTS_SUPPORT_TENSOR_FILES_H

#include "file/dat.h"
#include "file/image.h"
#include "file/npy.h"

bool dat_read(struct diag *diag, const char *path, struct tensor *tensor, struct dat_info *info);
bool npy_read(struct diag *diag, const char *path, struct tensor *tensor,
              struct item_format *format);
bool image_read(struct diag *diag, const char *path, const struct image_options *options,
                const struct shape *wanted, struct tensor *tensor);

#endif
