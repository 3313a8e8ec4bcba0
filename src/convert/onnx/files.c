/*
 * files.c - writes a model, its weights and its state: all of the files or none
 *
 * Files take their names when all of them are written, the model last (file/out.h).
 */
#include "convert/onnx/files.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/stamp.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "file/out.h"

#include <assert.h>
#include <string.h>

enum {
    SMALLEST = 1024, /* bytes of weights that leave the model */
    PAGE = 4096      /* weights begin at pages, so that readers can map them */
};

/* The files of one model while they are written. */
struct writing {
    struct diag *diag;
    struct arena *arena;
    struct onnx_model *model;
    const struct onnx_files *files;
    struct out_set set;
};

/* The file of the weights, and the digest of what was put there. */
struct weights_file {
    struct sink to;
    struct sha1 sha1;
};

static void put_counted(void *to, const void *data, size_t size)
{
    struct weights_file *file = to;

    sha1_add(&file->sha1, data, size);
    file->to.put(file->to.to, data, size);
}

/*
 * Puts the data of all larger initializers into PATH.data, with a stamp at the end, and lets them
 * refer to that file by its path as seen from the model, and by its digest.  False after a report.
 */
static bool put_weights(struct writing *w)
{
    static const char zeros[PAGE];
    const char *path = text_format(w->arena, "%s.data", w->files->path);
    const char *slash = strrchr(path, '/');
    struct onnx_extern where = {.location = slash ? slash + 1 : path};
    struct out_file *file = out_open(&w->set, path);

    if (!file)
        return false;
    struct weights_file weights = {.to = out_sink(file)};
    struct sink sink = {weights.to.name, put_counted, &weights};
    sha1_begin(&weights.sha1);
    for (struct onnx_tensor *t = w->model->graph->initializer.first; t; t = t->next) {
        size_t size = t->raw_data.size;
        uint64_t gap = (PAGE - where.offset % PAGE) % PAGE;
        if (size < SMALLEST)
            continue;
        sink.put(sink.to, zeros, (size_t)gap);
        if (!t->produce)
            sink.put(sink.to, t->raw_data.data, size);
        else if (!t->produce(w->diag, &sink, t->from))
            return false;
        where.offset += gap;
        where.length = size;
        t->raw_data = (struct onnx_bytes){0};
        t->produce = NULL;
        onnx_tensor_external(w->arena, t, &where);
        where.offset += size;
    }
    char stamp[STAMP_SIZE];
    sink.put(sink.to, zeros, (STAMP_SIZE - where.offset % STAMP_SIZE) % STAMP_SIZE);
    stamp_make(&weights.sha1, stamp);
    sink.put(sink.to, stamp, sizeof stamp);
    char *digits = arena_alloc(w->arena, SHA1_DIGITS + 1);
    sha1_end(&weights.sha1, digits);
    for (struct onnx_tensor *t = w->model->graph->initializer.first; t; t = t->next)
        if (t->data_location == ONNX_LOCATION_EXTERNAL)
            onnx_entry_add(w->arena, &t->external_data, "checksum", digits);
    return true;
}

/* May there be files beside the model, if any are needed? */
static bool has_room(const struct writing *w, bool external)
{
    bool state = w->files->state.count > 0, stdout_wanted = strcmp(w->files->path, "-") == 0;

    /* Standard output, a device, a pipe: there is no place beside them. */
    if ((!external && !state) || !out_is_stream(w->files->path))
        return true;
    diag_file_error(w->diag, stdout_wanted ? "<stdout>" : w->files->path, DIAG_CANNOT_WRITE,
                    "cannot write %s into a file beside this, expected a regular file",
                    external ? "the weights" : "what the state is at first");
    if (!external)
        diag_help(w->diag, "write it into the model with --state=default.");
    return false;
}

/* The model is written last, as its initializers refer to the file of the weights by then. */
bool onnx_files_write(struct diag *diag, struct arena *arena, struct onnx_model *model,
                      const struct onnx_files *files)
{
    struct writing w = {diag, arena, model, files, .set = {diag, files->force, .count = 0}};
    bool external = files->external || onnx_model_size(model) > files->size;
    struct out_file *file;

    if (!has_room(&w, external))
        return false;
    bool ok = !external || put_weights(&w);
    if (ok && files->state.count > 0) {
        file = out_open(&w.set, text_format(arena, "%s.state.npz", files->path));
        ok = file && npz_put(diag, file, &files->state);
    }
    file = ok ? out_open(&w.set, files->path) : NULL;
    if (file) {
        struct sink sink = out_sink(file);
        ok = onnx_model_put(diag, &sink, model);
    }
    return out_commit(&w.set, ok && file);
}
