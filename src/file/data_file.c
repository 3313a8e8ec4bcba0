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
#include <sys/stat.h>
#include <unistd.h>

/* Where to put what was read. */
struct data_target {
    struct tensor *tensor;
    struct item_format *format;
};

/* The array that is meant; NULL after a report, or if an archive need not have it. */
static struct archive_member *find_array(const struct reading *reading, struct container *archive,
                                         const struct data_request *request)
{
    const char *name = container_name(archive);
    struct archive_member *member = NULL;

    if (request->array)
        member = npz_find(archive, request->array);
    else if (container_count(archive) == 1)
        member = container_at(archive, 0);
    if (!member && request->array && !request->optional)
        npz_missing(reading->diag, archive, request->array);
    else if (!member && !request->array)
        diag_file_error(reading->diag, name, DIAG_INPUT_UNKNOWN,
                        "archive has %zu arrays; name one as in '%s:array'",
                        container_count(archive), name);
    return member;
}

static bool read_array(const struct reading *reading, struct container *archive,
                       const struct data_request *request, const struct data_target *to)
{
    enum { SLACK = 16 << 20 };
    const struct shape *shape = request->image.wanted;
    struct npz_request wanted = {find_array(reading, archive, request), reading->budget};
    int64_t limit = reading->budget;

    if (!wanted.member)
        return false;

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

static bool not_known(const struct reading *reading)
{
    return diag_file_error(
        reading->diag, reading->name, DIAG_DATA_HEADER,
        "neither a tensor file (.dat), a NumPy array (.npy, .npz) nor an image (.png)");
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
    return not_known(reading);
}

/* A file that is open, and what is to be read of it. */
struct data_source {
    struct data_request request;
    struct reading reading;
    struct file_view file;
    char *archive; /* its name, if the path names an array, too; to be freed */
};

/* False after a report; the file is closed then. */
static bool open_source(struct diag *diag, const char *path, const struct data_request *request,
                        struct data_source *s)
{
    const char *colon = strrchr(path, ':');

    *s = (struct data_source){.request = request ? *request : (struct data_request){.array = NULL}};
    /* "archive:array", if `path` is no file but the part before the colon is one. */
    if (colon && colon > path && colon[1] && access(path, F_OK) != 0)
        s->archive = text_copy(path, (size_t)(colon - path));
    bool split = s->archive && access(s->archive, F_OK) == 0;
    const char *real = split ? s->archive : path;
    if (split) {
        s->request.array = colon + 1;
        s->request.optional = false;
    }
    if (!s->request.limits)
        s->request.limits = &limits_standard;
    s->reading = (struct reading){diag, file_input_name(real),
                                  s->request.budget ? s->request.budget : INT64_MAX};
    const struct file_request wanted = {.budget = s->reading.budget,
                                        .known = is_known,
                                        .read = s->request.limits->read_files,
                                        .fed = true};
    if (!file_open(diag, real, &wanted, &s->file))
        return false;
    if (!split || npz_recognise(&s->file))
        return true;
    file_close(&s->file);
    return diag_file_error(diag, s->reading.name, DIAG_DATA_HEADER,
                           "not an archive of arrays (.npz), so it has no '%s'", s->request.array);
}

bool data_read(struct diag *diag, const char *path, const struct data_request *request,
               struct tensor *tensor, struct item_format *format)
{
    struct item_format unasked;
    struct data_target to = {tensor, format ? format : &unasked};
    struct data_source s;
    bool ok =
        open_source(diag, path, request, &s) && read_view(&s.reading, &s.file, &s.request, &to);

    free(s.archive);
    return ok;
}

/* The same of an archive, which is taken over. */
static bool read_member_shape(const struct reading *reading, struct file_view *file,
                              const struct data_request *request, struct shape *shape)
{
    int errors = diag_error_count(reading->diag);
    struct container *archive =
        container_open(reading->diag, request->limits, reading->name, file, NULL);
    struct npz_request wanted = {archive ? find_array(reading, archive, request) : NULL,
                                 reading->budget};
    bool ok = wanted.member ? npz_take_shape(reading->diag, archive, &wanted, shape)
                            : diag_error_count(reading->diag) == errors;

    container_close(archive);
    return ok;
}

bool data_read_shape(struct diag *diag, const char *path, const struct data_request *request,
                     struct shape *shape)
{
    struct stat status;
    struct data_source s;
    bool ok;

    *shape = (struct shape){.rank = RANK_UNKNOWN};
    if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
        return true;
    if (!open_source(diag, path, request, &s)) {
        free(s.archive);
        return false;
    }
    if (npz_recognise(&s.file)) {
        ok = read_member_shape(&s.reading, &s.file, &s.request, shape);
    } else {
        ok = dat_recognise(&s.file)   ? dat_read_shape(&s.reading, &s.file, shape)
             : npy_recognise(&s.file) ? npy_read_shape(&s.reading, &s.file, shape)
             : image_recognise(&s.file)
                 ? image_read_shape(&s.reading, &s.file, &s.request.image, shape)
                 : not_known(&s.reading);
        file_close(&s.file);
    }
    free(s.archive);
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
