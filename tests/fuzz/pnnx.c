/* pnnx.c - a text of PNNX, with data for its weights, becomes a graph; see pnnx.h */
#include "fuzz/pnnx.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/import.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/document.h"
#include "convert/pnnx/import.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "ir/graph.h"

#include <string.h>

static const struct onnx_extent extents[] = {{"batch", 2}, {"h", 3}};

/* Bytes of an attribute; 0 if they are none, or too many. */
static int64_t bytes_of(const struct pnnx_shape *shape)
{
    int64_t bytes = pnnx_type_size(shape->type);

    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i].extent < 0 || shape->dim[i].extent > fuzz_limits.volume)
            return 0;
        bytes *= shape->dim[i].extent;
        if (bytes > fuzz_limits.volume)
            return 0;
    }
    return bytes;
}

/* False if there are some that have none. */
static bool give_data(struct context *context, struct pnnx_document *document)
{
    for (struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next) {
            a->size = (size_t)bytes_of(a->shape);
            a->data = arena_alloc(context->arena, a->size + 1);
            if (a->size == 0)
                return false;
        }
    return true;
}

static struct graph *import(struct context *context, struct pnnx_document *document,
                            struct import_memory **memory)
{
    struct onnx_import_options options = {.file = "m.param", .extents = extents, .nextent = 2};

    if (!pnnx_check_operators(context, document) || !give_data(context, document))
        return NULL;
    struct graph *graph = pnnx_import(context, document, &options, memory);
    fuzz_expect(graph || diag_error_count(context->diag) > 0, "what is refused is reported");
    fuzz_expect(!graph || diag_error_count(context->diag) == 0, "what is reported is refused");
    return graph;
}

static void collect(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static struct text write_text(const struct pnnx_document *document)
{
    struct text text = {0};

    pnnx_write_text(document, &(struct sink){"m.param", collect, &text});
    return text;
}

/* What is written is read again, and written the same. */
static void expect_written(const struct pnnx_document *document)
{
    struct context *context = fuzz_context();
    struct text first = write_text(document);
    uint32_t base = sources_add(context->sources, "m.param", first.data, first.size);
    struct pnnx_document *again = pnnx_read(context, base, first.data, first.size);

    fuzz_expect(again, "what is written can be read");
    struct text second = write_text(again);
    fuzz_expect(first.size == second.size && memcmp(first.data, second.data, first.size) == 0,
                "it is written the same again");
    text_free(&first);
    text_free(&second);
    pnnx_document_free(again);
    fuzz_context_free(context);
}

void fuzz_pnnx(const struct fuzz_text *text)
{
    struct context *context = fuzz_context();
    struct import_memory *memory = NULL;
    uint32_t base = sources_add(context->sources, "m.param", text->data, text->size);
    struct pnnx_document *document = pnnx_read(context, base, text->data, text->size);

    fuzz_expect(document || diag_error_count(context->diag) > 0, "what is refused is reported");
    fuzz_expect(!document || diag_error_count(context->diag) == 0, "what is reported is refused");
    if (document)
        expect_written(document);
    struct graph *graph = document ? import(context, document, &memory) : NULL;
    if (graph)
        fuzz_inspect(graph);
    import_memory_free(context, memory);
    pnnx_document_free(document);
    fuzz_context_free(context);
}
