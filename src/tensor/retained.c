/* retained.c - lists of tensors that are kept alive beyond their last use */
#include "tensor/retained.h"

#include "base/arena.h"
#include "base/map.h"
#include "diag/context.h"

#include <stdlib.h>

struct retained_tensor {
    struct tensor tensor;
    struct retained_tensor *next;
};

struct tensor *tensor_retain(struct context *context, struct retained_tensor **list,
                             const struct tensor *tensor)
{
    struct retained_tensor *kept = calloc(1, sizeof *kept);

    if (!kept)
        arena_out_of_memory();
    kept->tensor = *tensor;
    kept->next = *list;
    *list = kept;
    context_account(context, tensor_memory(tensor));
    return &kept->tensor;
}

static void release(struct context *context, struct retained_tensor *kept)
{
    context_account(context, -tensor_memory(&kept->tensor));
    tensor_clear(&kept->tensor);
    free(kept);
}

void retained_tensors_free(struct context *context, struct retained_tensor *list)
{
    while (list) {
        struct retained_tensor *next = list->next;
        release(context, list);
        list = next;
    }
}

void retained_tensor_clear(struct context *context, struct retained_tensor *list,
                           const struct tensor *tensor)
{
    for (struct retained_tensor *k = list; k; k = k->next) {
        if (&k->tensor != tensor)
            continue;
        context_account(context, -tensor_memory(&k->tensor));
        tensor_clear(&k->tensor);
        return;
    }
}

void retained_tensors_prune(struct context *context, struct retained_tensor **list,
                            const struct map *needed)
{
    while (*list) {
        struct retained_tensor *kept = *list;
        if (map_get(needed, &kept->tensor)) {
            list = &kept->next;
            continue;
        }
        *list = kept->next;
        release(context, kept);
    }
}
