/* outputs.c - the files of the results */
#include "driver/outputs.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* symbolic links in a row, as Linux has it */

/* --- planning ---------------------------------------------------------------------------- */

/* Where all results go, which may be one place of each kind. */
static enum nnefc_status set_place(const struct command *command, const struct named_file *output,
                                   const char *kind, const char **place)
{
    if (output->name)
        return usage_error(command, "'%s' is a %s, but '%s' is one result", output->file, kind,
                           output->name);
    if (*place)
        return usage_error(command, "two %ss for the results: '%s' and '%s'", kind, *place,
                           output->file);
    *place = output->file;
    return NNEFC_OK;
}

/* Tell folder and archive among the outputs from the files, of which there are *count. */
static enum nnefc_status sort_outputs(struct outputs *outputs, const struct list *given,
                                      struct named_file *file, int *count)
{
    const struct named_file *output = given->item;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < given->count && status == NNEFC_OK; i++, output++) {
        if (path_is_folder(output->file))
            status = set_place(outputs->command, output, "folder", &outputs->folder);
        else if (path_ends_in(output->file, ".npz"))
            status = set_place(outputs->command, output, ".npz archive", &outputs->archive);
        else
            file[(*count)++] = *output;
    }
    return status;
}

/* Some result has a file, but only because it is the next one: say which have none. */
static void warn_of_rest(const struct outputs *outputs, const char *const *file,
                         const struct named_file *given, int count)
{
    char names[512] = "";
    size_t used = 0;
    bool by_order = false;

    for (int i = 0; i < count; i++)
        by_order |= !given[i].name;
    for (int i = 0; i < nnefc_model_outputs(outputs->model)->count && used < sizeof names; i++)
        if (!file[i])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                                     nnefc_model_outputs(outputs->model)->at[i]->name);
    if (by_order && used && !outputs->folder && !outputs->archive)
        usage_warning(outputs->command, "not written: %s; give each NAME=FILE, or a folder for all",
                      names);
}

static void add_target(struct outputs *outputs, struct target target)
{
    if (target.path)
        outputs->target[outputs->count++] = target;
}

static char *path_in_folder(const struct outputs *outputs, int result)
{
    return path_of_result(outputs->folder, nnefc_model_outputs(outputs->model)->at[result]->name);
}

static enum nnefc_status set_targets(struct outputs *outputs, const char *const *file)
{
    int count = nnefc_model_outputs(outputs->model)->count, wanted = 0;

    for (int i = 0; i < count; i++) {
        wanted += file[i] || outputs->folder;
        if (file[i])
            add_target(outputs, (struct target){.path = strdup(file[i]), .result = i});
        else if (outputs->folder)
            add_target(outputs, (struct target){path_in_folder(outputs, i), NULL, i, true});
    }
    wanted += outputs->archive != NULL;
    if (outputs->archive)
        add_target(outputs, (struct target){.path = strdup(outputs->archive), .result = -1});
    return outputs->count == wanted ? NNEFC_OK : NNEFC_INTERNAL;
}

static enum nnefc_status check_targets(const struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++)
        if (!path_is_writable(outputs->target[i].path, outputs->target[i].in_folder))
            return file_error(outputs->command, outputs->target[i].path, strerror(errno));
    return NNEFC_OK;
}

enum nnefc_status outputs_plan(struct outputs *outputs, const struct command *command,
                               const struct list *given, struct nnefc_model *model)
{
    struct side side = side_of_outputs(model);
    struct named_file *single = calloc((size_t)given->count + 1, sizeof *single);
    const char **file = calloc((size_t)side.count + 2, sizeof *file);
    enum nnefc_status status = NNEFC_INTERNAL;
    int count = 0;

    *outputs = (struct outputs){.command = command, .model = model};
    outputs->target = calloc((size_t)side.count + 2, sizeof *outputs->target);
    if (single && file && outputs->target)
        status = sort_outputs(outputs, given, single, &count);
    if (status == NNEFC_OK)
        status = files_assign(command, &side, single, count, file);
    if (status == NNEFC_OK)
        status = set_targets(outputs, file);
    if (status == NNEFC_OK)
        status = check_targets(outputs);
    if (status == NNEFC_OK)
        warn_of_rest(outputs, file, single, count);
    assert(outputs->count <= side.count + 1);
    free(single);
    free(file);
    return status;
}

bool outputs_agree(const struct command *command, const struct list *given)
{
    const struct named_file *output = given->item;
    bool ok = true;

    for (int i = 0; i < given->count && ok; i++)
        ok = path_is_for_results(command, output[i].file);
    return ok;
}

void outputs_free(struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        if (outputs->target[i].temporary)
            unlink(outputs->target[i].temporary);
        free(outputs->target[i].temporary);
        free(outputs->target[i].path);
    }
    free(outputs->target);
}

/* --- writing ----------------------------------------------------------------------------- */

/* A link is followed, for it is what it leads to that is written, be it there or not. */
static void follow_links(struct target *target)
{
    char link[PATH_MAX];

    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t size = readlink(target->path, link, sizeof link);
        if (size <= 0 || (size_t)size == sizeof link)
            return;
        const char *slash = link[0] == '/' ? NULL : strrchr(target->path, '/');
        int folder = slash ? (int)(slash - target->path) + 1 : 0;
        size_t room = (size_t)folder + (size_t)size + 1;
        char *path = malloc(room);
        if (!path)
            return;
        snprintf(path, room, "%.*s%.*s", folder, target->path, (int)size, link);
        free(target->path);
        target->path = path;
    }
}

static const char *suffix_of(const char *path)
{
    return path_ends_in(path, ".npz") ? ".npz" : path_ends_in(path, ".npy") ? ".npy" : ".dat";
}

/* Beside the file. */
static char *temporary_name(const char *path, const char *suffix, int number)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t room = strlen(path) + 64;
    char *name = malloc(room);

    if (name)
        snprintf(name, room, "%.*s.nnefc-%ld-%d%s", folder, path, (long)getpid(), number, suffix);
    return name;
}

static enum nnefc_status write_as(struct outputs *outputs, const struct nnefc_run *run, int result,
                                  const char *path)
{
    if (result < 0)
        return nnefc_run_write_outputs(run, path);
    return nnefc_tensor_write(outputs->model, nnefc_run_output(run, result), path);
}

static enum nnefc_status write_temporary(struct outputs *outputs, const struct nnefc_run *run,
                                         int index)
{
    struct target *target = &outputs->target[index];
    const char *suffix = suffix_of(target->path);
    struct stat old;

    if (target->in_folder && !path_make_folders(target->path))
        return file_error(outputs->command, target->path, strerror(errno));
    follow_links(target);
    target->temporary = temporary_name(target->path, suffix, index);
    if (!target->temporary)
        return NNEFC_INTERNAL;
    enum nnefc_status status = write_as(outputs, run, target->result, target->temporary);
    if (status == NNEFC_OK && stat(target->path, &old) == 0)
        (void)chmod(target->temporary, old.st_mode & 0777);
    return status;
}

static enum nnefc_status name_file(const struct outputs *outputs, struct target *target)
{
    if (!target->temporary)
        return NNEFC_OK;
    if (rename(target->temporary, target->path) != 0)
        return file_error(outputs->command, target->path, strerror(errno));
    free(target->temporary);
    target->temporary = NULL;
    return NNEFC_OK;
}

enum nnefc_status outputs_write(struct outputs *outputs, const struct nnefc_run *run)
{
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < outputs->count && status == NNEFC_OK; i++)
        if (!path_is_stream(outputs->target[i].path))
            status = write_temporary(outputs, run, i);
    for (int i = 0; i < outputs->count && status == NNEFC_OK; i++)
        if (path_is_stream(outputs->target[i].path))
            status = write_as(outputs, run, outputs->target[i].result, outputs->target[i].path);
    for (int i = 0; i < outputs->count && status == NNEFC_OK; i++)
        status = name_file(outputs, &outputs->target[i]);
    return status;
}
