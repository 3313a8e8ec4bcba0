/* files.c - a model, its weights and its state, all of them or none */
#include "convert/onnx/files.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "file/file.h"

#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 3 };

/* --- weights that refer to another file ------------------------------------------------------ */

/* What is smaller stays in the model; pages are what readers map. */
enum { SMALLEST = 1024, PAGE = 4096 };

/* Zeros up to the next page. */
static void put_gap(const struct sink *sink, struct onnx_extern *where)
{
    static const char zeros[PAGE];
    uint64_t gap = (PAGE - where->offset % PAGE) % PAGE;

    sink->put(sink->to, zeros, (size_t)gap);
    where->offset += gap;
}

static bool put_tensor(struct diag *diag, const struct sink *sink, const struct onnx_tensor *tensor)
{
    if (tensor->produce)
        return tensor->produce(diag, sink, tensor->from);
    sink->put(sink->to, tensor->raw_data.data, tensor->raw_data.size);
    return true;
}

static void refer(struct arena *arena, struct onnx_tensor *tensor, struct onnx_extern *where)
{
    where->length = tensor->raw_data.size;
    tensor->raw_data = (struct onnx_bytes){0};
    tensor->produce = NULL;
    onnx_tensor_external(arena, tensor, where);
    where->offset += where->length;
}

/*
 * Put the data of all larger initializers into the sink, each at an offset that can be mapped, and
 * let them refer to that file by `location`, its path as seen from the model.  False after a report
 * of what makes the data; how the sink fares it tells by itself.
 */
static bool put_external(struct diag *diag, struct arena *arena, struct onnx_model *model,
                         const char *location, const struct sink *sink)
{
    struct onnx_extern where = {.location = location};

    for (struct onnx_tensor *t = model->graph->initializer.first; t; t = t->next) {
        if (t->raw_data.size < SMALLEST)
            continue;
        put_gap(sink, &where);
        if (!put_tensor(diag, sink, t))
            return false;
        refer(arena, t, &where);
    }
    return true;
}

/* --- all files ------------------------------------------------------------------------------- */

struct writing {
    struct diag *diag;
    struct arena *arena;
    struct onnx_model *model;
    const struct onnx_files *files;
    struct out_file file[FILES_MAX]; /* in the order in which they take their names */
    int count;
};

/* Standard output, a device, a pipe: there is no place beside them. */
static bool is_stream(const char *path)
{
    struct stat st;

    return strcmp(path, "-") == 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static const char *path_beside(const struct writing *w, const char *suffix)
{
    struct text path = {0};

    text_add(&path, "%s%s", w->files->path, suffix);
    const char *kept = arena_strndup(w->arena, path.data, path.size);
    text_free(&path);
    return kept;
}

static bool put_weights(struct writing *w)
{
    const char *path = path_beside(w, ".data"), *slash = strrchr(path, '/');
    struct out_file *file = &w->file[w->count];

    if (!out_file_open(w->diag, path, file))
        return false;
    w->count++;
    struct sink sink = out_file_sink(file);
    return put_external(w->diag, w->arena, w->model, slash ? slash + 1 : path, &sink);
}

static bool put_state(struct writing *w)
{
    if (!npz_finish(w->diag, path_beside(w, ".state.npz"), &w->files->state, &w->file[w->count]))
        return false;
    w->count++;
    return true;
}

static bool put_model(struct writing *w)
{
    struct out_file *file = &w->file[w->count];

    if (!out_file_open(w->diag, w->files->path, file))
        return false;
    w->count++;
    struct sink sink = out_file_sink(file);
    return onnx_model_put(w->diag, &sink, w->model);
}

/* May there be files beside the model, if any are needed? */
static bool has_room(const struct writing *w, bool external)
{
    bool state = w->files->state.count > 0;

    if ((!external && !state) || !is_stream(w->files->path))
        return true;
    diag_file_error(w->diag, strcmp(w->files->path, "-") == 0 ? "<stdout>" : w->files->path,
                    DIAG_CANNOT_WRITE,
                    "cannot write %s into a file beside this, expected a regular file",
                    external ? "the weights" : "what the state is at first");
    if (!external)
        diag_help(w->diag, "write it into the model with --state=default.");
    return false;
}

bool onnx_files_write(struct diag *diag, struct arena *arena, struct onnx_model *model,
                      const struct onnx_files *files)
{
    struct writing w = {diag, arena, model, files, .count = 0};
    bool external = files->external || onnx_model_size(model) > files->size;

    if (!has_room(&w, external))
        return false;
    bool ok = (!external || put_weights(&w)) && (files->state.count == 0 || put_state(&w)) &&
              put_model(&w);
    if (ok)
        return out_files_commit(diag, w.file, w.count);
    for (int i = 0; i < w.count; i++)
        out_file_abandon(&w.file[i]);
    return false;
}
