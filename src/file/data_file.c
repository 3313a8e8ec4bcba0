/* data_file.c - finds the form of a file and hands it on */
#include "file/data_file.h"

#include "base/limits.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/container.h"
#include "file/dat.h"
#include "file/file.h"
#include "file/npy.h"
#include "file/npz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a tensor is to be put. */
struct data_target {
    struct tensor *tensor;
    struct item_format *format;
};

static bool read_image(const struct reading *reading, struct file_view *file,
                       const struct image_request *request, const struct data_target *to)
{
    bool ok = image_read_view(reading, file, request, to->tensor);

    *to->format = (struct item_format){ITEM_UNSIGNED, 8, false};
    file_close(file);
    return ok;
}

/* --- archives ---------------------------------------------------------------------------- */

static struct archive_member *choose(struct diag *diag, const struct container *archive,
                                     const char *array)
{
    struct archive_member *member = array ? npz_find(archive, array) : NULL;

    if (!array && container_count(archive) == 1)
        return container_at(archive, 0);
    if (!array)
        diag_file_error(diag, container_name(archive), DIAG_INPUT_UNKNOWN,
                        "archive has %zu arrays; name one as in '%s:array'",
                        container_count(archive), container_name(archive));
    else if (!member)
        npz_missing(diag, archive, array);
    return member;
}

/* No array is worth reading that is far larger than what is wanted. */
static int64_t limit_of(const struct shape *wanted)
{
    enum { SLACK = 16 << 20 };

    if (!wanted || !shape_known(wanted))
        return INT64_MAX;
    int64_t budget = item_bytes_most(shape_volume(wanted));
    return budget > INT64_MAX - SLACK ? INT64_MAX : budget + SLACK;
}

static bool read_array(const struct reading *reading, struct container *archive,
                       const struct data_request *request, const struct data_target *to)
{
    struct diag *diag = reading->diag;
    struct npz_request wanted = {choose(diag, archive, request->array), reading->budget};
    int64_t limit = limit_of(request->image.wanted);

    if (!wanted.member)
        return false;
    wanted.member->wanted = true;
    return container_fetch(diag, archive, limit < reading->budget ? limit : reading->budget) &&
           npz_take(diag, archive, &wanted, to->tensor, to->format);
}

/* --- any file ---------------------------------------------------------------------------- */

static bool is_known(const struct file_view *file)
{
    return dat_recognise(file) || npy_recognise(file) || npz_recognise(file) ||
           image_recognise(file);
}

static bool read_view(const struct reading *reading, struct file_view *file,
                      const struct data_request *request, const struct data_target *to)
{
    if (dat_recognise(file)) {
        struct dat_info info = {.provisional = false};
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
    if (image_recognise(file))
        return read_image(reading, file, &request->image, to);
    file_close(file);
    return diag_file_error(
        reading->diag, reading->name, DIAG_DATA_HEADER,
        "neither a tensor file (.dat), a NumPy array (.npy, .npz) nor an image (.png)");
}

/* The archive in "archive:array", to be freed; NULL if that is not what `path` is. */
static char *split_path(const char *path, const char **array)
{
    const char *colon = strrchr(path, ':');

    if (!colon || colon == path || !colon[1] || access(path, F_OK) == 0)
        return NULL;
    struct text archive = {0};
    text_add_bytes(&archive, path, (size_t)(colon - path));
    if (access(archive.data, F_OK) != 0)
        text_free(&archive);
    else
        *array = colon + 1;
    return archive.data;
}

static bool not_an_archive(struct diag *diag, const char *name, struct file_view *file,
                           const char *array)
{
    file_close(file);
    return diag_file_error(diag, name, DIAG_DATA_HEADER,
                           "not an archive of arrays (.npz), so it has no '%s'", array);
}

bool data_read(struct diag *diag, const char *path, const struct data_request *request,
               struct tensor *tensor, struct item_format *format)
{
    struct data_request asked = request ? *request : (struct data_request){.array = NULL};
    struct item_format unasked;
    struct data_target to = {tensor, format ? format : &unasked};
    const char *array = NULL;
    struct file_view file;

    char *archive = split_path(path, &array);
    const char *real = archive ? archive : path;
    asked.array = array ? array : asked.array;
    asked.limits = asked.limits ? asked.limits : &limits_standard;
    struct reading reading = {diag, file_input_name(real), asked.budget ? asked.budget : INT64_MAX};
    struct file_request wanted = {reading.budget, is_known, 0};
    bool ok = file_open_request(diag, real, &wanted, &file);
    if (ok && array && !npz_recognise(&file))
        ok = not_an_archive(diag, reading.name, &file, array);
    else if (ok)
        ok = read_view(&reading, &file, &asked, &to);
    free(archive);
    return ok;
}

bool data_write(struct diag *diag, const char *path, const struct tensor *tensor,
                const struct item_format *format)
{
    size_t size = strlen(path);

    if (size > 4 && strcmp(path + size - 4, ".npy") == 0)
        return npy_write(diag, path, tensor, format);
    return dat_write(diag, path, tensor, format);
}
