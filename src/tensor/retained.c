/* retained.c - tensors that last as long as those who refer to them */
#include "tensor/retained.h"

#include "base/arena.h"
#include "base/map.h"
#include "diag/context.h"

#include <stdlib.h>

struct kept_tensor {
    struct tensor tensor;
    struct kept_tensor *next;
};

struct tensor *tensor_keep(struct context *context, struct kept_tensor **list,
                           const struct tensor *tensor)
{
    struct kept_tensor *kept = calloc(1, sizeof *kept);

    if (!kept)
        arena_out_of_memory();
    kept->tensor = *tensor;
    kept->next = *list;
    *list = kept;
    context_hold(context, tensor_memory(tensor));
    return &kept->tensor;
}

static void release(struct context *context, struct kept_tensor *kept)
{
    context_hold(context, -tensor_memory(&kept->tensor));
    tensor_clear(&kept->tensor);
    free(kept);
}

void kept_tensors_free(struct context *context, struct kept_tensor *list)
{
    while (list) {
        struct kept_tensor *next = list->next;
        release(context, list);
        list = next;
    }
}

void kept_tensor_empty(struct context *context, struct kept_tensor *list,
                       const struct tensor *tensor)
{
    for (struct kept_tensor *k = list; k; k = k->next) {
        if (&k->tensor != tensor)
            continue;
        context_hold(context, -tensor_memory(&k->tensor));
        tensor_clear(&k->tensor);
        return;
    }
}

void kept_tensors_drop(struct context *context, struct kept_tensor **list, const struct map *needed)
{
    while (*list) {
        struct kept_tensor *kept = *list;
        if (map_get(needed, &kept->tensor)) {
            list = &kept->next;
            continue;
        }
        *list = kept->next;
        release(context, kept);
    }
}
