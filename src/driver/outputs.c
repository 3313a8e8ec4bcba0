/*
 * outputs.c - the files of the results: planned before the run, all written or none
 *
 * Each file is written under another name beside its place and renamed when all are complete.
 * Streams cannot be taken back and come in between.
 */
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

/* The results go there by their names. */
static bool is_for_all(const struct named_file *output)
{
    return path_is_folder(output->file) || path_ends_in(output->file, ".npz");
}

/* Files without a name are for the results in their order: say which results are left over. */
static void warn_of_rest(const struct outputs *outputs, const char *const *file)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(outputs->model);
    char names[512] = "";
    size_t used = 0;

    for (int i = 0; i < results->count && used < sizeof names; i++)
        if (!file[i])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                                     results->at[i]->name);
    if (used)
        usage_warning(outputs->command, "not written: %s; give each NAME=FILE, or a folder for all",
                      names);
}

/* Takes over the path, which is NULL if memory ran out. */
static enum nnefc_status add_target(struct outputs *outputs, char *path, int result, bool in_folder)
{
    if (!path)
        return NNEFC_INTERNAL;
    outputs->target[outputs->count++] =
        (struct target){.path = path, .result = result, .in_folder = in_folder};
    if (!path_is_writable(path, in_folder))
        return file_error(outputs->command, path, strerror(errno));
    return NNEFC_OK;
}

/* `file` is that of each result, NULL where none is given. */
static enum nnefc_status set_targets(struct outputs *outputs, const char *const *file)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(outputs->model);
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < results->count && status == NNEFC_OK; i++)
        if (file[i])
            status = add_target(outputs, strdup(file[i]), i, false);
        else if (outputs->folder)
            status =
                add_target(outputs, path_of_result(outputs->folder, results->at[i]->name), i, true);
    if (outputs->archive && status == NNEFC_OK)
        status = add_target(outputs, strdup(outputs->archive), -1, false);
    assert(outputs->count <= results->count + 1);
    return status;
}

enum nnefc_status outputs_plan(struct outputs *outputs, const struct command *command,
                               const struct option_list *given, struct nnefc_model *model)
{
    struct side side = side_of_outputs(model);
    const struct named_file *output = given->item;
    const char **file = calloc((size_t)side.count + 1, sizeof *file);
    enum nnefc_status status = NNEFC_OK;
    bool by_order = false;

    side.is_for_all = is_for_all;
    *outputs = (struct outputs){.command = command, .model = model};
    outputs->target = calloc((size_t)side.count + 1, sizeof *outputs->target);
    if (!file || !outputs->target)
        status = NNEFC_INTERNAL;
    for (int i = 0; i < given->count && status == NNEFC_OK; i++) {
        if (path_is_folder(output[i].file))
            status = set_place(command, &output[i], "folder", &outputs->folder);
        else if (is_for_all(&output[i]))
            status = set_place(command, &output[i], ".npz archive", &outputs->archive);
        else
            by_order |= !output[i].name;
    }
    if (status == NNEFC_OK)
        status = files_assign(command, &side, given, file);
    if (status == NNEFC_OK)
        status = set_targets(outputs, file);
    if (status == NNEFC_OK && by_order && !outputs->folder && !outputs->archive)
        warn_of_rest(outputs, file);
    free(file);
    return status;
}

bool outputs_agree(const struct command *command, const struct option_list *given)
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

/* To a file that is not there yet, or to a stream. */
static enum nnefc_status write_as(struct outputs *outputs, const struct nnefc_run *run, int result,
                                  const char *path)
{
    if (result < 0)
        return nnefc_run_write_outputs(run, path);
    return nnefc_tensor_write(outputs->model, nnefc_run_output(run, result), path);
}

/* Under another name in the folder of the file, so that rename() can replace that at once. */
static enum nnefc_status write_temporary(struct outputs *outputs, const struct nnefc_run *run,
                                         int index)
{
    struct target *target = &outputs->target[index];
    const char *suffix = path_ends_in(target->path, ".npz")   ? ".npz"
                         : path_ends_in(target->path, ".npy") ? ".npy"
                                                              : ".dat";
    struct stat old;

    assert(!target->temporary);

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
        if (outputs->target[i].temporary) {
            struct target *target = &outputs->target[i];
            if (rename(target->temporary, target->path) != 0)
                return file_error(outputs->command, target->path, strerror(errno));
            free(target->temporary);
            target->temporary = NULL;
        }
    return status;
}
