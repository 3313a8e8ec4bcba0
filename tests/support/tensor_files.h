/* tensor_files.h - reads and writes one file by its path; see dat.h, npy.h, npz.h and image.h */
#ifndef NNEFC_TESTS_SUPPORT_TENSOR_FILES_H
#define NNEFC_TESTS_SUPPORT_TENSOR_FILES_H

#include "file/dat.h"
#include "file/image.h"
#include "file/npy.h"
#include "file/npz.h"

bool dat_read(struct diag *diag, const char *path, struct tensor *tensor, struct dat_info *info);
bool npy_read(struct diag *diag, const char *path, struct tensor *tensor,
              struct item_format *format);
bool image_read(struct diag *diag, const char *path, const struct image_options *options,
                const struct shape *wanted, struct tensor *tensor);

/* As data_put() and npz_put(); the file is whole, or unchanged after a report. */
bool data_write(struct diag *diag, const char *path, const struct tensor *tensor,
                const struct item_format *format);
bool npz_write(struct diag *diag, const char *path, const struct npz_array *arrays, int count);

#endif
