/* outputs.c - the files of the results: planned before the run, and all written or none */
#include "driver/path.h"
#include "driver/report.h"
#include "driver/run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- planning ---------------------------------------------------------------------------- */

/* Set the folder or the archive for all results; there may be one of each. */
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

/* In a folder or an archive, results go by their names. */
static bool is_for_all(const struct named_file *output)
{
    return path_is_folder(output->file) || path_ends_in(output->file, ".npz");
}

/* Takes over the path. */
static enum nnefc_status add_target(struct outputs *outputs, char *path, int result, bool in_folder)
{
    outputs->target[outputs->count++] =
        (struct target){.path = path, .result = result, .in_folder = in_folder};
    for (int i = 0; i < outputs->count - 1; i++)
        if (!path_is_stream(path) && path_same(path, outputs->target[i].path))
            return usage_error(outputs->command, "two results are to be written to '%s'", path);
    if (!path_is_writable(path, in_folder))
        return file_error(outputs->command, path, strerror(errno));
    return NNEFC_OK;
}

enum nnefc_status outputs_plan(struct outputs *outputs, const struct command *command,
                               const struct option_list *given, struct nnefc_model *model)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(model);
    struct side side = side_of(model, true);
    const struct named_file *output = given->item;
    const char **file = zeroed_items((size_t)side.count, sizeof *file); /* by result, or NULL */
    enum nnefc_status status = NNEFC_OK;
    bool by_order = false;
    char names[512] = "";
    size_t used = 0;

    side.is_for_all = is_for_all;
    *outputs = (struct outputs){.command = command, .model = model};
    outputs->target = zeroed_items((size_t)side.count + 1, sizeof *outputs->target);
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
    for (int i = 0; i < results->count && status == NNEFC_OK; i++)
        if (file[i])
            status = add_target(outputs, must_have(strdup(file[i])), i, false);
        else if (outputs->folder)
            status =
                add_target(outputs, path_of_result(outputs->folder, results->at[i]->name), i, true);
    if (outputs->archive && status == NNEFC_OK)
        status = add_target(outputs, must_have(strdup(outputs->archive)), -1, false);
    assert(outputs->count <= results->count + 1);

    /* Files without a name are for the results in their order: say which results are left over. */
    by_order &= status == NNEFC_OK && !outputs->folder && !outputs->archive;
    for (int i = 0; i < results->count && by_order && used < sizeof names; i++)
        if (!file[i])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                                     results->at[i]->name);
    if (used)
        usage_warning(command, "not written: %s; give each NAME=FILE, or a folder for all", names);
    free(file);
    return status;
}

bool outputs_agree(const struct command *command, const struct option_list *given)
{
    const struct named_file *output = given->item;

    for (int i = 0; i < given->count; i++) {
        const char *path = output[i].file, *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;
        if (path_is_folder(path) || path_is_stream(path) || path_ends_in(name, ".dat") ||
            path_ends_in(name, ".npy") || path_ends_in(name, ".npz"))
            continue;
        if (strchr(name + 1, '.'))
            usage_error(command, "cannot write '%s': results are .dat, .npy or .npz files", path);
        else /* a name without a suffix may mean a folder */
            usage_error(command,
                        "cannot write '%s': results are .dat, .npy or .npz files; write '%s/' for "
                        "a folder",
                        path, path);
        return false;
    }
    return true;
}

void outputs_free(struct outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++)
        free(outputs->target[i].path);
    free(outputs->target);
}

/* The path with the number of a step, a folder or a part of the name; to be freed. */
static char *path_of_step(const struct target *target, int step)
{
    const char *slash = strrchr(target->path, '/'), *name = slash ? slash + 1 : target->path;
    const char *at = target->in_folder ? name : strrchr(name, '.');
    size_t size = strlen(target->path) + 16;
    char *path = zeroed_items(size, 1);

    if (step == 0 || !at) /* a stream has no suffix */
        snprintf(path, size, "%s", target->path);
    else
        snprintf(path, size, target->in_folder ? "%.*s%d/%s" : "%.*s.%d%s",
                 (int)(at - target->path), target->path, step, at);
    return path;
}

enum nnefc_status outputs_write(const struct outputs *outputs, const struct nnefc_run *run,
                                int step)
{
    struct nnefc_output_file *file = zeroed_items((size_t)outputs->count + 1, sizeof *file);
    char **path = zeroed_items((size_t)outputs->count + 1, sizeof *path);
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < outputs->count && status == NNEFC_OK; i++) {
        path[i] = path_of_step(&outputs->target[i], step);
        file[i] = (struct nnefc_output_file){outputs->target[i].result, path[i]};
        if ((outputs->target[i].in_folder) && !path_make_folders(path[i]))
            status = file_error(outputs->command, path[i], strerror(errno));
    }
    if (outputs->count > 0 && status == NNEFC_OK)
        status = nnefc_run_write_files(run, file);
    for (int i = 0; i < outputs->count; i++)
        free(path[i]);
    free(path);
    free(file);
    return status;
}
