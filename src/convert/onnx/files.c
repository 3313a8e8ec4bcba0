/*
 * files.c - writes a model, its weights and its state: all of the files or none
 *
 * Files take their names when all of them are written; see out_files_commit().
 */
#include "convert/onnx/files.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "file/file.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 3 };

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
    struct out_file file[FILES_MAX]; /* in the order in which they take their names */
    int count;
};

/*
 * Puts the data of all larger initializers into PATH.data, and lets them refer to that file by its
 * path as seen from the model.  False after a report.
 */
static bool put_weights(struct writing *w)
{
    static const char zeros[PAGE];
    const char *path = text_format(w->arena, "%s.data", w->files->path);
    const char *slash = strrchr(path, '/');
    struct onnx_extern where = {.location = slash ? slash + 1 : path};
    struct out_file *file = &w->file[w->count];

    assert(w->count < FILES_MAX);
    if (!out_file_open(w->diag, path, file))
        return false;
    w->count++;
    struct sink sink = out_file_sink(file);
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
    return true;
}

/* May there be files beside the model, if any are needed? */
static bool has_room(const struct writing *w, bool external)
{
    bool state = w->files->state.count > 0, stdout_wanted = strcmp(w->files->path, "-") == 0;
    struct stat st;

    /* Standard output, a device, a pipe: there is no place beside them. */
    bool stream = stdout_wanted ||
                  (stat(w->files->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
    if ((!external && !state) || !stream)
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
    struct writing w = {diag, arena, model, files, .count = 0};
    bool external = files->external || onnx_model_size(model) > files->size;

    if (!has_room(&w, external))
        return false;
    bool ok = !external || put_weights(&w);
    if (ok && files->state.count > 0) {
        ok = npz_finish(diag, text_format(arena, "%s.state.npz", files->path), &files->state,
                        &w.file[w.count]);
        w.count += ok;
    }
    if (ok && (ok = out_file_open(diag, files->path, &w.file[w.count]))) {
        struct sink sink = out_file_sink(&w.file[w.count++]);
        ok = onnx_model_put(diag, &sink, model);
    }
    assert(w.count <= FILES_MAX);
    if (ok)
        return out_files_commit(diag, w.file, w.count);
    for (int i = 0; i < w.count; i++)
        out_file_abandon(&w.file[i]);
    return false;
}
