/* kept.c - tensors that last as long as those who refer to them */
#include "tensor/kept.h"

#include "base/arena.h"
#include "base/context.h"

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

void kept_tensors_free(struct context *context, struct kept_tensor *list)
{
    while (list) {
        struct kept_tensor *next = list->next;
        context_hold(context, -tensor_memory(&list->tensor));
        tensor_clear(&list->tensor);
        free(list);
        list = next;
    }
}
