/*
 * parts.c - the files that a model is made of, on their way into an archive or a folder
 *
 * The data of a part are looked up, or made, when it is its turn, so that one at a time is in
 * memory.
 */
#include "api/parts.h"

#include "api/weights.h"
#include "base/text.h"
#include "file/dat.h"
#include "file/label.h"
#include "file/packer.h"
#include "file/path.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes over the name of the part. */
static void add_part(struct parts *parts, const struct part *part)
{
    parts->part = heap_list(parts->part, parts->count, sizeof *parts->part);
    parts->part[parts->count++] = *part;
}

void parts_add_text(struct parts *parts, const char *name, const char *text, size_t size)
{
    assert(text);
    add_part(parts,
             &(struct part){.name = text_copy(name, strlen(name)), .text = text, .size = size});
}

void parts_add_data(struct parts *parts, const char *label, const char *as)
{
    assert(label);
    add_part(parts, &(struct part){.name = label_file(as), .label = label});
}

void parts_add_tensor(struct parts *parts, const struct tensor *tensor,
                      const struct item_format *format, const char *label)
{
    assert(tensor);
    add_part(parts, &(struct part){.name = label_file(label), .tensor = tensor, .format = format});
}

void parts_remove(struct parts *parts, const char *name)
{
    parts_add_text(parts, name, "", 0);
    parts->part[parts->count - 1].removed = true;
}

void parts_free(struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        free(parts->part[i].name);
    free(parts->part);
    *parts = (struct parts){0};
}

/* --- the bytes of a part ------------------------------------------------------------------- */

/* Those bytes, while they are needed. */
struct piece {
    const void *data; /* `size` bytes: the text of the part, or what follows */
    size_t size;
    struct file_view view; /* of a file */
    char *path;            /* of that file, for diagnostics, or NULL */
    struct text made;      /* of a tensor */
};

/* Appends bytes to a text, as a sink. */
static void put_text(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

/* False after a report; else the piece is to be closed. */
static bool piece_open(struct nnefc_model *model, const struct part *part, struct piece *piece)
{
    struct diag *diag = model->context->diag;
    const struct sink sink = {part->name, put_text, &piece->made};
    struct found_file found;

    *piece = (struct piece){.data = part->text, .size = part->size, .view.borrowed = true};
    if (part->text)
        return true;
    if (part->tensor) {
        bool ok = dat_put(diag, &sink, part->tensor, part->format);
        piece->data = piece->made.data;
        piece->size = piece->made.size;
        if (!ok)
            text_free(&piece->made);
        return ok;
    }
    /* The bytes of the file as they are, whatever their format. */
    if (!store_data(diag, data_store(model), part->label, &found, NULL))
        return false;
    piece->path = found.path;
    piece->view = found.view; /* piece_close() gives it back */
    piece->data = piece->view.data;
    piece->size = piece->view.size;
    return true;
}

/* Closes nothing of a text. */
static void piece_close(struct piece *piece)
{
    file_close(&piece->view);
    text_free(&piece->made);
    free(piece->path);
}

/* --- into an archive ----------------------------------------------------------------------- */

bool parts_are_packed(const char *path)
{
    return text_ends_in(path, ".tar") || text_ends_in(path, ".tgz") ||
           text_ends_in(path, ".tar.gz");
}

/* Members are in the order of their names, so that equal models make equal bytes. */
bool parts_pack(struct nnefc_model *model, struct parts *parts, const char *path)
{
    enum packer_form form = text_ends_in(path, ".tar") ? PACKER_TAR : PACKER_TAR_GZ;
    struct out_set set = {model->context->diag, model->force, .count = 0};
    struct out_file *file = out_open(&set, path);
    struct piece piece;
    bool ok = true;

    if (!file)
        return out_commit(&set, false);
    struct packer *packer = packer_open(file, form);
    struct sink sink = packer_sink(packer);
    qsort(parts->part, (size_t)parts->count, sizeof *parts->part, compare_by_name);
    for (int i = 0; i < parts->count && ok; i++) {
        ok = piece_open(model, &parts->part[i], &piece);
        if (!ok)
            break;
        packer_begin(packer, parts->part[i].name, (int64_t)piece.size);
        sink.put(sink.to, piece.data, piece.size);
        piece_close(&piece);
    }
    return out_commit(&set, packer_end(set.diag, packer, ok));
}

/* --- into a folder ------------------------------------------------------------------------- */

/* Are the data those of the file at that place already?  Nothing is reported. */
static bool is_in_place(const struct piece *piece, const struct folder_file *place)
{
    struct path_fault fault = {0};
    struct stat from, to;
    char *path = piece->path ? path_find(place, false, &fault) : NULL;
    bool same = path && stat(piece->path, &from) == 0 && stat(path, &to) == 0 &&
                from.st_dev == to.st_dev && from.st_ino == to.st_ino;

    path_fault_clear(&fault);
    free(path);
    return same;
}

/* False after a report if data with other bytes are at that place: `other` is of the same folder,
 * and may need them. */
static bool keeps_data(struct diag *diag, const struct piece *piece,
                       const struct folder_file *place, const char *other)
{
    const struct file_request wanted = {.budget = INT64_MAX, .fed = true};
    struct path_fault fault = {0};
    struct file_view view;
    char *path = path_find(place, false, &fault);
    bool ok = !path || file_open(diag, path, &wanted, &view);

    path_fault_clear(&fault);
    if (path && ok) {
        ok = view.size == piece->size && memcmp(view.data, piece->data, piece->size) == 0;
        file_close(&view);
        if (!ok) {
            diag_file_error(diag, path, DIAG_CANNOT_WRITE,
                            "there are other data already, which may be those of '%s'", other);
            diag_help(diag, "write to a folder of its own, or with --force.");
        }
    }
    free(path);
    return ok;
}

bool parts_place(struct nnefc_model *model, const struct parts *parts, const char *folder,
                 const char *other)
{
    struct out_set set = {model->context->diag, model->force, .count = 0};
    struct out_file *file;
    struct piece piece;
    bool ok = true, made = *folder && mkdir(folder, 0777) == 0;

    if (*folder && !made && errno != EEXIST)
        return diag_file_error(set.diag, folder, DIAG_CANNOT_WRITE, "cannot make the folder: %s",
                               strerror(errno));
    for (int i = 0; ok && i < parts->count; i++) {
        const struct folder_file place = {folder, parts->part[i].name};
        ok = piece_open(model, &parts->part[i], &piece);
        if (!ok)
            break;
        if (!is_in_place(&piece, &place)) {
            ok = !other || parts->part[i].text || keeps_data(set.diag, &piece, &place, other);
            file = ok ? out_open_in(&set, &place) : NULL;
            ok = file;
            if (file && parts->part[i].removed)
                out_remove(file);
            else if (file)
                out_write(file, piece.data, piece.size);
        }
        piece_close(&piece);
    }
    ok = out_commit(&set, ok);
    if (made && !ok) /* a folder with folders in it stays */
        rmdir(folder);
    return ok;
}
