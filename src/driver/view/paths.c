/*
 * paths.c - which groups an operation is in, by fragments and by names
 *
 * Fragments of the model come first.  Without them, the name of a node of ONNX, or of a result, or
 * the label of a variable may be a path, such as "/layers.0/attn/MatMul".  An operation without a
 * path is in the groups that those before and behind it share.  Fragments of the library are inside
 * of both.
 */
#include "driver/memory.h"
#include "driver/view/net.h"

#include <string.h>

bool path_part_equal(const struct path_part *a, const struct path_part *b)
{
    return a->kind == b->kind && a->key == b->key && a->size == b->size &&
           memcmp(a->name, b->name, a->size) == 0;
}

static void add_part(struct path *path, struct path_part part)
{
    if (path->depth < MOST_DEPTH)
        path->part[path->depth++] = part;
}

/* Fragments of the model, or of the library, from outside; the outermost of too many. */
static void add_expansions(struct path *path, const struct nnefc_expansion *innermost,
                           bool standard)
{
    struct path_part part[MOST_DEPTH];
    int count = 0;

    for (const struct nnefc_expansion *e = innermost; e; e = e->caller)
        if (e->standard == standard)
            part[count++ % MOST_DEPTH] =
                (struct path_part){GROUP_FRAGMENT, e, e->fragment, strlen(e->fragment)};
    for (int i = count; i > 0 && i > count - MOST_DEPTH; i--)
        add_part(path, part[(i - 1) % MOST_DEPTH]);
}

/* The folders of a path, up to `end`; the last part is a name.  False: there are none. */
static bool add_folders(struct path *path, const char *text, const char *end)
{
    int before = path->depth;

    while (text < end) {
        const char *slash = memchr(text, '/', (size_t)(end - text));
        if (!slash)
            break;
        if (slash > text)
            add_part(path, (struct path_part){GROUP_NAME, NULL, text, (size_t)(slash - text)});
        text = slash + 1;
    }
    return path->depth > before;
}

/* The name in "node 3 'NAME' (Conv)", which may have any characters. */
static bool add_node_folders(struct path *path, const char *node)
{
    const char *begin = node ? strchr(node, '\'') : NULL, *end = begin ? strrchr(node, '\'') : NULL;

    return begin && end > begin && add_folders(path, begin + 1, end);
}

static void add_names(struct path *path, const struct nnefc_operation *o)
{
    const char *name = o->results->at[0]->name;

    if (add_node_folders(path, o->node) || add_folders(path, name, name + strlen(name)))
        return;
    for (int i = 0; i < o->operands->count; i++) {
        const char *label = o->operands->at[i]->label;
        if (label && add_folders(path, label, label + strlen(label)))
            return;
    }
}

/* Give operations without a path what those before and behind share: `next` is the one behind. */
static void fill_gap(struct path *path, int begin, int end, int count)
{
    struct path shared = {0};

    if (begin > 0 && end < count)
        while (
            shared.depth < path[begin - 1].depth && shared.depth < path[end].depth &&
            path_part_equal(&path[begin - 1].part[shared.depth], &path[end].part[shared.depth])) {
            shared.part[shared.depth] = path[end].part[shared.depth];
            shared.depth++;
        }
    for (int i = begin; i < end; i++)
        path[i] = shared;
}

struct path *net_paths(const struct net *net)
{
    const struct nnefc_operation_list *operations = net->operations;
    struct path *path = zeroed_items((size_t)operations->count + 1, sizeof *path);

    for (int i = 0; i < operations->count; i++) {
        add_expansions(&path[i], operations->at[i]->expansion, false);
        if (!path[i].depth)
            add_names(&path[i], operations->at[i]);
    }
    for (int begin = 0, end; begin < operations->count; begin = end) {
        for (end = begin; end < operations->count && !path[end].depth;)
            end++;
        fill_gap(path, begin, end, operations->count);
        while (end < operations->count && path[end].depth)
            end++;
    }
    for (int i = 0; i < operations->count; i++)
        add_expansions(&path[i], operations->at[i]->expansion, true);
    return path;
}
