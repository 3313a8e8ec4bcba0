/* files.c - files given with and without names */
#include "driver/files.h"

#include "driver/message.h"

bool file_is_for_all(const struct named_file *input)
{
    return !input->name && nnefc_is_npz(input->file);
}

int files_find_input(void *model, const char *name)
{
    return nnefc_model_find_input(model, name);
}

int files_find_output(void *model, const char *name)
{
    return nnefc_model_find_output(model, name);
}

static enum nnefc_status assign_named(const struct side *side, const struct named_file *given,
                                      const char **file)
{
    int index = side->find(side->data, given->name);

    if (index < 0)
        return NNEFC_USAGE;
    if (file[index])
        return usage_error(side->settings, "two files as %s '%s': '%s' and '%s'", side->what,
                           given->name, file[index], given->file);
    file[index] = given->file;
    return NNEFC_OK;
}

static enum nnefc_status assign_next(const struct side *side, const struct named_file *given,
                                     const char **file)
{
    int index = 0;

    while (index < side->count && file[index])
        index++;
    if (index == side->count)
        return usage_error(side->settings, "no %s is left for '%s': the graph has %d", side->what,
                           given->file, side->count);
    file[index] = given->file;
    return NNEFC_OK;
}

enum nnefc_status files_assign(const struct side *side, const struct named_file *given, int count,
                               const char **file)
{
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < count && status == NNEFC_OK; i++)
        if (given[i].name)
            status = assign_named(side, &given[i], file);
    for (int i = 0; i < count && status == NNEFC_OK; i++)
        if (!given[i].name)
            status = assign_next(side, &given[i], file);
    return status;
}
