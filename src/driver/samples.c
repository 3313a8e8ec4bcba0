/* samples.c - a file for each sample, or a folder with a file for each parameter */
#include "driver/samples.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_data(const char *path)
{
    return path_ends_in(path, ".npy") || path_ends_in(path, ".dat") || path_ends_in(path, ".png") ||
           path_ends_in(path, ".npz");
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of all files of data in a folder, and of folders if these count; sorted, to be freed
 * with their list.  -1 sets errno. */
static int list_folder(const char *folder, bool folders, char ***list)
{
    DIR *dir = opendir(folder);
    int count = 0;

    *list = NULL;
    if (!dir)
        return -1;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = path_join(folder, entry->d_name);
        struct stat status;
        const bool inner = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (inner ? folders : is_data(path)) {
            if ((count & (count - 1)) == 0)
                *list = resize_items(*list, count > 0 ? 2 * (size_t)count : 1, sizeof **list);
            (*list)[count++] = path;
        } else {
            free(path);
        }
    }
    closedir(dir);
    if (count > 0)
        qsort(*list, (size_t)count, sizeof **list, compare);
    return count;
}

static void free_list(char **list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

enum nnefc_status samples_list(struct samples *samples, const char *path)
{
    struct stat status;
    char **list;

    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        list = zeroed_items(1, sizeof *list);
        list[0] = path_join(path, "");
        list[0][strlen(path)] = '\0'; /* no folder */
        samples->path = list;
        samples->count = 1;
        return NNEFC_OK;
    }
    const int count = list_folder(path, true, &list);
    if (count < 0)
        return usage_report(samples->command, NNEFC_ERROR, "cannot read '%s': %s", path,
                            strerror(errno)) == NNEFC_USAGE
                   ? NNEFC_FILE
                   : NNEFC_OK;
    samples->path = list;
    samples->count = count;
    if (count > 0)
        return NNEFC_OK;
    usage_error(samples->command,
                "there are no samples in '%s': files .npy, .dat, .png or .npz, or folders with a "
                "file for each parameter",
                path);
    return NNEFC_FILE;
}

void samples_free(struct samples *samples)
{
    free_list(samples->path, samples->count);
}

/* A file of a folder is for the parameter of its name. */
static void name_file(struct named_file *to, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t size = dot ? (size_t)(dot - name) : strlen(name);
    char *copy = zeroed_items(size + 1, 1);

    memcpy(copy, name, size);
    copy[size] = '\0';
    *to = (struct named_file){copy, path};
}

static enum nnefc_status feed_files(const struct samples *samples, struct feeding *feeding,
                                    struct nnefc_run *run)
{
    struct feed feed;
    enum nnefc_status status = feed_plan(&feed, samples->command, feeding, samples->model);

    feed.run = run;
    if (status == NNEFC_OK)
        status = feed_step(&feed, 0);
    feed_free(&feed);
    return status;
}

struct option_list samples_files(const struct samples *samples, int index)
{
    const char *path = samples->path[index];
    struct stat status;
    char **list = NULL;

    assert(index >= 0 && index < samples->count);
    const bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    const int listed = folder ? list_folder(path, false, &list) : 1;
    const int count = listed > 0 ? listed : 0;
    struct named_file *files = zeroed_items(count > 0 ? (size_t)count : 1, sizeof *files);
    for (int i = 0; i < count && folder; i++)
        name_file(&files[i], list[i]);
    if (!folder)
        files[0] = (struct named_file){NULL, path};
    free(list); /* whose paths the files have now */
    return (struct option_list){files, count};
}

static void free_text(const char *text)
{
    char *own;

    memcpy(&own, &text, sizeof own);
    free(own);
}

void samples_files_free(struct option_list *list)
{
    struct named_file *files = list->item;

    for (int i = 0; i < list->count; i++)
        if (files[i].name) {
            free_text(files[i].name);
            free_text(files[i].file);
        }
    free(files);
}

enum nnefc_status samples_feed(const struct samples *samples, int index, struct nnefc_run *run)
{
    struct feeding feeding = *samples->feeding;
    char note[256];

    feeding.inputs = samples_files(samples, index);
    enum nnefc_status fed = feed_files(samples, &feeding, run);
    snprintf(note, sizeof note, "in sample '%s'", samples->path[index]);
    nnefc_run_set_note(run, note);
    if (fed == NNEFC_USAGE)
        usage_error(samples->command, "sample '%s' does not fit the model", samples->path[index]);
    samples_files_free(&feeding.inputs);
    return fed;
}
