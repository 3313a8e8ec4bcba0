/*
 * fuzz_convert.c - any text as an ONNX model: what is written comes back the same, as do its bytes
 *
 * The opset is told by the size of the text.
 */
#include "fuzz/text_target.h"

#include "convert/onnx/export.h"
#include "convert/onnx/export_rules.h"
#include "convert/proto/onnx_read.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "support/onnx_message.h"

#include <string.h>

static void read_back(struct context *c, const struct onnx_model *model, const struct text *bytes)
{
    struct text where = {0};
    const struct onnx_model *back =
        onnx_model_read(c->diag, c->arena, "model", (struct onnx_bytes){bytes->data, bytes->size});

    fuzz_expect(back, "what is written can be read");
    fuzz_expect(onnx_models_same(model, back, &where), "what is written comes back the same");
    text_free(&where);
}

static void export(const struct graph *graph, int opset, struct text *bytes)
{
    struct context *c = graph->context;
    struct sink sink = fuzz_sink(bytes);
    int before = diag_error_count(c->diag);
    const struct onnx_model *model =
        onnx_export(graph, &(struct onnx_options){.opset = opset}, NULL);

    fuzz_expect(!model == (diag_error_count(c->diag) > before), "a model is made or has errors");
    if (model && onnx_model_put(c->diag, &sink, model))
        read_back(c, model, bytes);
}

static void convert(const struct fuzz_text *document, int opset, struct text *bytes)
{
    struct context *c = fuzz_context();
    const struct graph *graph =
        fuzz_lower(c, document, NULL, &(struct lower_options){.keep = export_keeps});
    struct tensor *weights;

    if (graph) {
        if (fuzz_weights(graph, &weights))
            export(graph, opset, bytes);
        fuzz_weights_clear(weights, graph->variables.count);
    }
    fuzz_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_text document = {(const char *)data, size};
    int opset = EMIT_OPSET_MIN + (int)(size % (EMIT_OPSET_MAX - EMIT_OPSET_MIN + 1));
    struct text once = {0}, again = {0};

    convert(&document, opset, &once);
    convert(&document, opset, &again);
    fuzz_expect(once.size == again.size &&
                    (once.size == 0 || memcmp(once.data, again.data, once.size) == 0),
                "the same text makes the same bytes");
    text_free(&once);
    text_free(&again);
    return 0;
}
