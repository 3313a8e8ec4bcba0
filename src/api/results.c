/* results.c - recorded results: tensors in files or in an archive, by their names (compare.h) */
#include "api/api_priv.h"
#include "base/text.h"
#include "file/container.h"
#include "file/npz.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A result that was recorded. */
struct entry {
    char *name;                    /* first, as compare_by_name() wants it */
    char *path;                    /* of a file in a folder, else NULL */
    struct archive_member *member; /* in the archive, else NULL */
};

struct nnefc_results {
    struct nnefc_model *model;            /* what reports go to; not the results' own */
    struct arena *arena;                  /* of the list */
    const struct nnefc_result_list *list; /* of the names, in their order */
    struct container *archive;            /* NULL: a folder */
    struct entry *entry;                  /* in the order of their names */
    int count;
};

const struct nnefc_model *results_model(const struct nnefc_results *results)
{
    return results ? results->model : NULL;
}

/* --- lists ------------------------------------------------------------------------------- */

/* Length of `file` without its suffix; 0 if it is not one of a tensor. */
static size_t stem_of(const char *file)
{
    static const char *const suffixes[] = {".dat", ".npy"};
    size_t size = strlen(file);

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (text_ends_in(file, suffixes[i]))
            return size - strlen(suffixes[i]);
    return 0;
}

/* An entry of that name, without a place yet. */
static struct entry *add_entry(struct nnefc_results *results, const char *name, size_t size)
{
    results->entry = heap_list(results->entry, results->count, sizeof *results->entry);
    struct entry *entry = &results->entry[results->count];

    *entry = (struct entry){.name = text_copy(name, size)};
    results->count++;
    return entry;
}

/* In names of files "%2F" stands for '/': they have not all characters that names of results
 * have. */
static void decode_name(char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    char *to = name;

    for (const char *c = name; *c; c++) {
        const char *high = *c == '%' && c[1] ? strchr(digits, c[1]) : NULL;
        const char *low = high && c[2] ? strchr(digits, c[2]) : NULL;
        *to++ = low ? (char)((high - digits) * 16 + (low - digits)) : *c;
        c += low ? 2 : 0;
    }
    *to = '\0';
}

/* --- folders and archives ----------------------------------------------------------------- */

/* The files of a folder that may be tensors; others are none of ours. */
static bool list_folder(struct nnefc_results *results, const char *path)
{
    DIR *folder = opendir(path);
    struct text file = {0};

    for (const struct dirent *item; folder && (errno = 0, item = readdir(folder));) {
        size_t stem = stem_of(item->d_name), size = strlen(path);
        if (stem == 0)
            continue;
        text_add(&file, "%s%s%s", path, size > 0 && path[size - 1] == '/' ? "" : "/", item->d_name);
        struct entry *entry = add_entry(results, item->d_name, stem);
        entry->path = file.data;
        decode_name(entry->name);
        file = (struct text){0};
    }
    int error = errno; /* of opendir(), or of the last readdir() */
    if (folder)
        closedir(folder);
    return error == 0 || diag_file_error(results->model->context->diag, path, DIAG_CANNOT_READ,
                                         "cannot read: %s", strerror(error));
}

/* The members of an archive, by their names without suffix. */
static bool list_members(struct nnefc_results *results, const char *path)
{
    const struct context *context = results->model->context;
    const struct file_request wanted = {
        .budget = context_budget(context), .read = context->limits.read_files, .fed = true};
    struct file_view file;

    if (!file_open(context->diag, path, &wanted, &file))
        return false;
    results->archive = container_open(context->diag, &context->limits, path, &file, NULL);
    for (size_t i = 0; results->archive && i < container_count(results->archive); i++) {
        struct archive_member *member = container_at(results->archive, i);
        size_t stem = stem_of(member->name);
        if (member->is_file)
            add_entry(results, member->name, stem ? stem : strlen(member->name))->member = member;
    }
    return results->archive;
}

/* Also of results that could not be opened. */
static void free_results(struct nnefc_results *results)
{
    for (int i = 0; i < results->count; i++) {
        free(results->entry[i].name);
        free(results->entry[i].path);
    }
    container_close(results->archive);
    arena_free(results->arena);
    free(results->entry);
    free(results);
}

/* The list is sorted, whatever order a folder or archive has. */
struct nnefc_results *api_results_open(struct nnefc_model *model, const char *path)
{
    if (!model || !path) {
        misuse(model, "there is no folder or archive to read results from");
        return NULL;
    }
    struct diag *diag = model->context->diag;
    struct nnefc_results *results = heap_array(1, sizeof *results);
    results->model = model;
    bool ok = (nnefc_is_npz(path) ? list_members : list_folder)(results, path);
    if (ok && results->count == 0)
        ok = diag_file_error(diag, path, DIAG_CANNOT_READ,
                             "there are no results in it, expected .npy or .dat files named "
                             "after outputs");
    results->arena = arena_new();
    struct list *list = list_new(results->arena);
    struct entry *entry = results->entry;
    assert(!ok || entry);
    if (ok)
        qsort(entry, (size_t)results->count, sizeof *entry, compare_by_name);
    for (int i = 0; ok && i < results->count; i++) {
        LIST_ADD(list, (struct nnefc_result){entry[i].name});
        if (i > 0 && strcmp(entry[i - 1].name, entry[i].name) == 0)
            ok = diag_file_error(diag, path, DIAG_CANNOT_READ,
                                 "there are two files of result '%s', expected .npy or .dat",
                                 entry[i].name);
    }
    results->list = (const void *)list;
    if (ok) {
        model_lock(model);
        model->results++;
        model_unlock(model);
        return results;
    }
    free_results(results);
    return NULL;
}

void nnefc_results_free(struct nnefc_results *results)
{
    if (!results)
        return;
    struct nnefc_model *model = results->model;

    free_results(results);
    model_lock(model);
    model->results--;
    model_unlock(model);
    model_release(model);
}

/* --- what is in them ----------------------------------------------------------------------- */

const struct nnefc_result_list *nnefc_results_list(const struct nnefc_results *results)
{
    return results ? results->list : list_nothing();
}

struct nnefc_tensor *api_results_read(struct nnefc_results *results, int index)
{
    struct tensor tensor;

    if (!results || index < 0 || index >= results->count) {
        misuse(results ? results->model : NULL, "there is no result %d to read", index);
        return NULL;
    }
    const struct entry *entry = &results->entry[index];
    const struct context *context = results->model->context;
    assert(!entry->member != !entry->path);
    if (entry->path)
        return api_tensor_read(results->model, entry->path);
    const struct npz_request request = {entry->member, context_budget(context)};
    bool ok = npz_take(context->diag, results->archive, &request, &tensor, NULL);
    return ok ? own_tensor(&tensor) : NULL;
}
