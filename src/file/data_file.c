/* data_file.c - reads and writes tensors in the form that a file has */
#include "file/data_file.h"

#include "base/limits.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/container.h"
#include "file/dat.h"
#include "file/file.h"
#include "file/npy.h"
#include "file/npz.h"
#include "file/out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where to put what was read. */
struct data_target {
    struct tensor *tensor;
    struct item_format *format;
};

static bool read_array(const struct reading *reading, struct container *archive,
                       const struct data_request *request, const struct data_target *to)
{
    enum { SLACK = 16 << 20 };
    const struct shape *shape = request->image.wanted;
    const char *array = request->array, *name = container_name(archive);
    struct npz_request wanted = {.budget = reading->budget};
    int64_t limit = reading->budget;

    if (array)
        wanted.member = npz_find(archive, array);
    else if (container_count(archive) == 1)
        wanted.member = container_at(archive, 0);
    if (!array && !wanted.member)
        return diag_file_error(reading->diag, name, DIAG_INPUT_UNKNOWN,
                               "archive has %zu arrays; name one as in '%s:array'",
                               container_count(archive), name);
    if (!wanted.member)
        return npz_missing(reading->diag, archive, array);

    /* An array that is far larger than the wanted shape is not worth reading. */
    if (shape && shape_known(shape)) {
        int64_t most = item_bytes_most(shape_volume(shape));
        if (most <= INT64_MAX - SLACK && most + SLACK < limit)
            limit = most + SLACK;
    }
    wanted.member->wanted = true;
    return container_fetch(reading->diag, archive, limit) &&
           npz_take(reading->diag, archive, &wanted, to->tensor, to->format);
}

/* Whether the rest of a pipe is worth reading. */
static bool is_known(const struct file_view *file)
{
    return dat_recognise(file) || npy_recognise(file) || npz_recognise(file) ||
           image_recognise(file);
}

static bool read_view(const struct reading *reading, struct file_view *file,
                      const struct data_request *request, const struct data_target *to)
{
    if (dat_recognise(file)) {
        struct dat_info info;
        bool ok = dat_read_view(reading, file, to->tensor, &info);
        *to->format = info.format;
        return ok;
    }
    if (npy_recognise(file))
        return npy_read_view(reading, file, to->tensor, to->format);
    if (npz_recognise(file)) {
        struct container *archive =
            container_open(reading->diag, request->limits, reading->name, file, NULL);
        bool read = archive && read_array(reading, archive, request, to);
        container_close(archive);
        return read;
    }
    if (image_recognise(file)) {
        bool ok = image_read_view(reading, file, &request->image, to->tensor);
        *to->format = (struct item_format){ITEM_UNSIGNED, 8, false};
        file_close(file);
        return ok;
    }
    file_close(file);
    return diag_file_error(
        reading->diag, reading->name, DIAG_DATA_HEADER,
        "neither a tensor file (.dat), a NumPy array (.npy, .npz) nor an image (.png)");
}

bool data_read(struct diag *diag, const char *path, const struct data_request *request,
               struct tensor *tensor, struct item_format *format)
{
    struct data_request asked = request ? *request : (struct data_request){.array = NULL};
    struct item_format unasked;
    struct data_target to = {tensor, format ? format : &unasked};
    const char *colon = strrchr(path, ':');
    char *archive = NULL;
    struct file_view file;

    /* "archive:array", if `path` is no file but the part before the colon is one. */
    if (colon && colon > path && colon[1] && access(path, F_OK) != 0)
        archive = text_copy(path, (size_t)(colon - path));
    bool split = archive && access(archive, F_OK) == 0;
    const char *real = split ? archive : path;
    asked.array = split ? colon + 1 : asked.array;
    asked.limits = asked.limits ? asked.limits : &limits_standard;
    struct reading reading = {diag, file_input_name(real), asked.budget ? asked.budget : INT64_MAX};
    const struct file_request wanted = {
        .budget = reading.budget, .known = is_known, .read = asked.limits->read_files, .fed = true};
    bool ok = file_open(diag, real, &wanted, &file);
    if (ok && split && !npz_recognise(&file)) {
        file_close(&file);
        ok = diag_file_error(diag, reading.name, DIAG_DATA_HEADER,
                             "not an archive of arrays (.npz), so it has no '%s'", asked.array);
    } else if (ok)
        ok = read_view(&reading, &file, &asked, &to);
    free(archive);
    return ok;
}

bool data_put(struct out_set *set, const char *path, const struct tensor *tensor,
              const struct item_format *format)
{
    struct out_file *file = out_open(set, path);

    if (!file)
        return false;
    struct sink sink = out_sink(file);
    return (text_ends_in(path, ".npy") ? npy_put : dat_put)(set->diag, &sink, tensor, format);
}
