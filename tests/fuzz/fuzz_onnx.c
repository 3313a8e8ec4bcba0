/*
 * fuzz_onnx.c - any bytes as an ONNX model; what can be read is written and comes back the same
 *
 * Also decodes its initializers, whose data may be in any field and of any type.
 */
#include "fuzz/fuzz.h"

#include "base/arena.h"
#include "convert/proto/onnx_data.h"
#include "convert/proto/onnx_read.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "file/out.h"
#include "support/onnx_message.h"
#include "tensor/tensor.h"

#include <stdlib.h>

static void put(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_again(struct diag *diag, struct arena *arena, const struct onnx_model *model)
{
    struct text bytes = {0}, where = {0};

    require(onnx_model_put(diag, &(struct sink){"again", put, &bytes}, model));
    const struct onnx_model *back =
        onnx_model_read(diag, arena, "again", (struct onnx_bytes){bytes.data, bytes.size});
    require(back && onnx_models_same(model, back, &where));
    text_free(&bytes);
}

static void decode(struct diag *diag, const struct onnx_graph *graph)
{
    struct tensor items;

    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        if (onnx_tensor_items(diag, "initializer", t, NULL, &items))
            tensor_clear(&items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct diag *diag = diag_new(NULL);
    const struct onnx_model *model =
        onnx_model_read(diag, arena, "file", (struct onnx_bytes){data, size});

    require(!model == (diag_error_count(diag) == 1));
    if (model) {
        read_again(diag, arena, model);
        decode(diag, model->graph);
    }
    diag_free(diag);
    arena_free(arena);
    return 0;
}
