/*
 * closed.c - models whose extents are open, loaded for extents that fit
 *
 * A graph needs extents.  If nobody gives them, first axes are 1, because they most often count a
 * batch, and the other extents are the first of a few numbers for which the graph can be made.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Extents of names, and shapes of inputs that have extents without a name. */
struct closing {
    const struct nnefc_open_list *open;
    const struct nnefc_port_list *inputs;
    struct loading loading;
    struct named_shape *extent, *shape; /* those that are added, and before them the options' */
};

static struct named_shape *copy_of(const struct option_list *list, int more)
{
    const size_t count = (size_t)list->count + (size_t)more + 1;
    struct named_shape *copy = zeroed_items(count, sizeof *copy);

    if (list->count > 0)
        memcpy(copy, list->item, (size_t)list->count * sizeof *copy);
    return copy;
}

/* Are there extents to be chosen, and nothing else? */
static bool can_close(const struct closing *c)
{
    bool can = c->open->count > 0;

    for (int i = 0; i < c->open->count; i++)
        can &= !c->open->at[i]->decides && c->open->at[i]->axis != NNEFC_UNKNOWN;
    return can;
}

/* The extent that is added for a name; NULL: none yet. */
static const struct named_shape *find_extent(const struct closing *c, int before, const char *name)
{
    const struct named_shape *found = NULL;

    for (int i = before; i < c->loading.extents.count && !found; i++)
        found = strcmp(c->extent[i].name, name) == 0 ? &c->extent[i] : NULL;
    return found;
}

/* Let extents be `base`, but those of first axes `first`. */
static void choose(struct closing *c, const struct loading *given, int64_t first, int64_t base)
{
    const int shapes = given->shapes.count, extents = given->extents.count;

    c->loading.extents.count = extents;
    c->loading.shapes.count = shapes;
    for (int i = 0; i < c->open->count; i++) {
        const struct nnefc_open *open = c->open->at[i];
        if (open->name && !find_extent(c, extents, open->name))
            c->extent[c->loading.extents.count++] =
                (struct named_shape){open->name, 1, {open->axis == 0 ? first : base}};
    }
    for (int i = 0; i < c->open->count; i++) {
        const struct nnefc_open *open = c->open->at[i];
        const struct nnefc_port *input = c->inputs->at[open->input];
        struct named_shape *last = &c->shape[c->loading.shapes.count];
        if (open->name)
            continue;
        if (c->loading.shapes.count == shapes || last[-1].name != input->name) {
            *last = (struct named_shape){.name = input->name, .rank = input->type.rank};
            memcpy(last->extent, input->type.extent, sizeof last->extent);
            c->loading.shapes.count++;
        }
    }
    for (int i = 0; i < c->open->count; i++)
        for (int k = shapes; k < c->loading.shapes.count; k++) {
            const struct nnefc_open *open = c->open->at[i];
            if (c->shape[k].name != c->inputs->at[open->input]->name)
                continue;
            c->shape[k].extent[open->axis] = open->name
                                                 ? find_extent(c, extents, open->name)->extent[0]
                                             : open->axis > 0 ? base
                                                              : first;
        }
}

/* Say which extents were chosen, by options that give them. */
static void tell(const struct command *command, const struct closing *c,
                 const struct loading *given, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = must_have(open_memstream(&text, &size));

    for (int i = given->extents.count; i < c->loading.extents.count; i++)
        print_word(to, "--dim=%s=%lld", c->extent[i].name, (long long)c->extent[i].extent[0]);
    for (int i = given->shapes.count; i < c->loading.shapes.count; i++) {
        char list[NNEFC_MAX_RANK * 24] = "";
        size_t used = 0;
        for (int k = 0; k < c->shape[i].rank; k++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld", k > 0 ? "," : "",
                                     (long long)c->shape[i].extent[k]);
        print_word(to, "--shape=%s=%s", c->shape[i].name, list);
    }
    if (fclose(to) != 0)
        end_without_memory();
    usage_note(command, "'%s' has open extents, which are chosen as by%s", path, text);
    free(text);
}

/* NULL: there are no extents to be chosen, or none of those that are tried fits. */
static struct nnefc_model *load_for_chosen(const struct command *command,
                                           const struct loading *given, const char *path)
{
    static const int64_t bases[] = {64, 16, 1, 224, 1024};
    enum { COUNT = sizeof bases / sizeof *bases };
    struct loading opening = *given;
    struct nnefc_model *found = NULL;

    opening.keeps_open = true;
    struct nnefc_model *open = load_model(&opening, path);
    struct closing c = {nnefc_model_open(open), nnefc_model_inputs(open), *given, NULL, NULL};
    const bool can = nnefc_model_status(open) == NNEFC_OK && can_close(&c);
    c.loading.extents.item = c.extent = copy_of(&given->extents, c.open->count);
    c.loading.shapes.item = c.shape = copy_of(&given->shapes, c.open->count);
    for (int i = 0; i < 2 * COUNT && can && !found; i++) {
        choose(&c, given, i < COUNT ? 1 : bases[i % COUNT], bases[i % COUNT]);
        found = load_model(&c.loading, path);
        if (nnefc_model_status(found) != NNEFC_OK) {
            nnefc_model_free(found);
            found = NULL;
        }
    }
    if (found)
        tell(command, &c, given, path);
    free(c.extent);
    free(c.shape);
    nnefc_model_free(open);
    return found;
}

struct nnefc_model *load_closed(const struct command *command, const struct loading *loading,
                                const char *path)
{
    struct nnefc_model *model = load_model(loading, path);
    struct nnefc_model *chosen = NULL;

    if (nnefc_model_status(model) != NNEFC_OK && !is_standard(path))
        chosen = load_for_chosen(command, loading, path);
    if (chosen)
        nnefc_model_free(model);
    return chosen ? chosen : model;
}
