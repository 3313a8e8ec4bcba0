/* external.c - initializers that refer to another file */
#include "convert/onnx/external.h"

#include "convert/proto/onnx_build.h"
#include "file/file.h"

/* What is smaller stays in the model; pages are what readers map. */
enum { SMALLEST = 1024, PAGE = 4096 };

/* Zeros up to the next page. */
static void align(const struct sink *sink, struct onnx_extern *where)
{
    static const char zeros[PAGE];
    uint64_t gap = (PAGE - where->offset % PAGE) % PAGE;

    sink->put(sink->to, zeros, (size_t)gap);
    where->offset += gap;
}

static bool put_data(struct diag *diag, const struct sink *sink, const struct onnx_tensor *tensor)
{
    if (tensor->produce)
        return tensor->produce(diag, sink, tensor->from);
    sink->put(sink->to, tensor->raw_data.data, tensor->raw_data.size);
    return true;
}

static void refer(struct arena *arena, struct onnx_tensor *tensor, struct onnx_extern *where)
{
    where->length = tensor->raw_data.size;
    tensor->raw_data = (struct onnx_bytes){0};
    tensor->produce = NULL;
    onnx_tensor_external(arena, tensor, where);
    where->offset += where->length;
}

bool onnx_put_external(struct diag *diag, struct arena *arena, struct onnx_model *model,
                       const char *location, const struct sink *sink)
{
    struct onnx_extern where = {.location = location};

    for (struct onnx_tensor *t = model->graph->initializer.first; t; t = t->next) {
        if (t->raw_data.size < SMALLEST)
            continue;
        align(sink, &where);
        if (!put_data(diag, sink, t))
            return false;
        refer(arena, t, &where);
    }
    return true;
}
