/*
 * fuzz_import.c - any bytes as an ONNX model, of which a graph is made
 *
 * What can be made is sound, and can be printed; reports are about the file.
 */
#include "base/arena.h"
#include "convert/onnx/import.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_read.h"
#include "fuzz/fuzz.h"
#include "ir/graph.h"

/* Symbols and inputs that a model may well have. */
static const struct onnx_extent extents[] = {{"batch", 2}, {"N", 3}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *context = fuzz_context();
    struct file_view file = fuzz_view(data, size);
    struct onnx_import_options options = {.file = "net.onnx", .extents = extents, .nextent = 2};
    struct import_memory *memory = NULL;
    struct onnx_model *model = onnx_model_read(context->diag, context->arena, "net.onnx",
                                               (struct onnx_bytes){file.data, file.size});
    struct graph *graph = NULL;

    if (model) {
        onnx_intern_names(context, model);
        graph = onnx_import(context, model, &options, &memory);
    }
    fuzz_expect(graph || diag_error_count(context->diag) > 0, "what is refused is reported");
    fuzz_expect(!graph || diag_error_count(context->diag) == 0, "what is reported is refused");
    if (graph)
        fuzz_inspect(graph);
    import_memory_free(context, memory);
    fuzz_context_free(context);
    file_close(&file);
    return 0;
}
