/* tensor_files.c - reads and writes one file by its path */
#include "support/tensor_files.h"

#include "diag/diag.h"
#include "file/data_file.h"
#include "file/file.h"
#include "file/out.h"

bool dat_read(struct diag *diag, const char *path, struct tensor *tensor, struct dat_info *info)
{
    struct reading reading = {diag, file_input_name(path), INT64_MAX};
    struct file_view file;

    return file_open(diag, path, &(struct file_request){.budget = INT64_MAX}, &file) &&
           dat_read_view(&reading, &file, tensor, info);
}

bool npy_read(struct diag *diag, const char *path, struct tensor *tensor,
              struct item_format *format)
{
    struct reading reading = {diag, file_input_name(path), INT64_MAX};
    struct file_view file;

    return file_open(diag, path, &(struct file_request){.budget = INT64_MAX}, &file) &&
           npy_read_view(&reading, &file, tensor, format);
}

bool image_read(struct diag *diag, const char *path, const struct image_options *options,
                const struct shape *wanted, struct tensor *tensor)
{
    struct reading reading = {diag, file_input_name(path), INT64_MAX};
    struct image_request request = {options, wanted};
    struct file_view file;

    if (!file_open(diag, path, &(struct file_request){.budget = INT64_MAX}, &file))
        return false;
    bool ok = image_read_view(&reading, &file, &request, tensor);
    file_close(&file);
    return ok;
}

bool data_write(struct diag *diag, const char *path, const struct tensor *tensor,
                const struct item_format *format)
{
    struct out_set set = {diag, .force = true};
    bool ok = data_put(&set, path, tensor, format);

    return out_commit(&set, ok);
}

bool npz_write(struct diag *diag, const char *path, const struct npz_array *arrays, int count)
{
    struct out_set set = {diag, .force = true};
    struct out_file *file = out_open(&set, path);
    bool ok = file && npz_put(diag, file, &(struct npz_list){arrays, count});

    return out_commit(&set, ok);
}
