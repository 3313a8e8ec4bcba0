/* data_file.c - finds the form of a file and hands it on */
#include "tensor/data_file.h"

#include "base/diag.h"
#include "base/file.h"
#include "tensor/dat.h"
#include "tensor/npy.h"

#include <string.h>

static bool read_dat(struct diag *diag, const char *name, struct file_view *file,
                     struct tensor *tensor, struct item_format *format)
{
    struct dat_info info;
    bool ok = dat_read_view(diag, name, file, tensor, &info);

    *format = info.format;
    return ok;
}

static bool read_image(struct diag *diag, const char *name, struct file_view *file,
                       const struct image_request *request, struct tensor *tensor)
{
    static const struct image_request none;
    bool ok = image_read_view(diag, name, file, request ? request : &none, tensor);

    file_close(file);
    return ok;
}

static bool unknown(struct diag *diag, const char *name, struct file_view *file)
{
    bool archive = file->size >= 4 && memcmp(file->data, "PK\3\4", 4) == 0;

    file_close(file);
    if (archive)
        return diag_file_error(diag, name, DIAG_NOT_SUPPORTED,
                               "archives of arrays (.npz) are not supported, expected .npy");
    return diag_file_error(
        diag, name, DIAG_DATA_HEADER,
        "neither a tensor file (.dat), a NumPy array (.npy) nor an image (.png)");
}

bool data_read(struct diag *diag, const char *path, const struct image_request *request,
               struct tensor *tensor, struct item_format *format)
{
    const char *name = file_input_name(path);
    struct item_format unasked;
    struct file_view file;

    format = format ? format : &unasked;
    if (!file_open(diag, path, &file))
        return false;
    if (dat_recognise(&file))
        return read_dat(diag, name, &file, tensor, format);
    if (npy_recognise(&file))
        return npy_read_view(diag, name, &file, tensor, format);
    if (!image_recognise(&file))
        return unknown(diag, name, &file);
    *format = (struct item_format){ITEM_UNSIGNED, 8, false};
    return read_image(diag, name, &file, request, tensor);
}

bool data_write(struct diag *diag, const char *path, const struct tensor *tensor,
                const struct item_format *format)
{
    size_t size = strlen(path);

    if (size > 4 && strcmp(path + size - 4, ".npy") == 0)
        return npy_write(diag, path, tensor, format);
    return dat_write(diag, path, tensor, format);
}
