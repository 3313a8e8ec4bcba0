/* names.c - lists of names of tensors */
#include "driver/names.h"

#include "driver/memory.h"

#include <string.h>

void add_name(struct names *names, const char *name)
{
    names->at = resize_items(names->at, (size_t)names->count + 1, sizeof *names->at);
    names->at[names->count++] = name;
}

int index_of(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return i;
    return -1;
}

void add_name_once(struct names *names, const char *name)
{
    if (index_of(names, name) < 0)
        add_name(names, name);
}

struct names names_of(const struct option_list *given)
{
    char **list = given->item;
    struct names names = {0};

    for (int i = 0; i < given->count; i++) {
        char *rest = list[i];
        for (const char *name; (name = next_listed(&rest));)
            add_name(&names, name);
    }
    return names;
}

enum nnefc_status extract_between(struct nnefc_model *model, const struct names *from,
                                  const struct names *to)
{
    static const char *const nothing[1];
    const struct nnefc_extract how = {.size = sizeof how,
                                      .from = !from      ? NULL
                                              : from->at ? from->at
                                                         : nothing,
                                      .from_count = from ? from->count : 0,
                                      .to = to->at,
                                      .to_count = to->count};

    return nnefc_model_extract(model, &how);
}
