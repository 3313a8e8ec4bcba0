/*
 * fuzz_native.c - any bytes as a graph file; what can be read is written, read and run
 *
 * Lengths and sums of the header are made right first, so that what lies behind them is reached.
 */
#include "fuzz/fuzz.h"

#include "exec/run.h"
#include "ir/graph.h"
#include "native/layout.h"
#include "native/native.h"
#include "sema/sema.h"
#include "tensor/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD_SIZE = HEADER_SIZE + NATIVE_SECTIONS * SECTION_SIZE };

/* The data are the end of the input, and the graph what is before them. */
static void mend(unsigned char *bytes, size_t size)
{
    uint64_t data = bytes_load(bytes + HEADER_SIZE + SECTION_SIZE + SECTION_OFFSET, 8);
    unsigned char *entry = bytes + HEADER_SIZE;

    if (data < HEAD_SIZE || data > size)
        data = size - (size - HEAD_SIZE) % NATIVE_ALIGNMENT;
    for (int i = 0; i < NATIVE_MAGIC_SIZE; i++)
        bytes[i] = (unsigned char)NATIVE_MAGIC[i];
    bytes_store(bytes + HEADER_MAJOR, 2, NATIVE_MAJOR);
    bytes_store(bytes + HEADER_SECTIONS, 4, NATIVE_SECTIONS);
    bytes_store(bytes + HEADER_FILE_SIZE, 8, size);
    for (int i = 0; i < NATIVE_SECTIONS; i++, entry += SECTION_SIZE) {
        uint64_t begin = i == 0 ? HEAD_SIZE : data, end = i == 0 ? data : size;
        for (int k = 0; k < 4; k++)
            entry[SECTION_NAME + k] = (unsigned char)(i == 0 ? SECTION_GRAPH : SECTION_DATA)[k];
        bytes_store(entry + SECTION_OFFSET, 8, begin);
        bytes_store(entry + SECTION_LENGTH, 8, end - begin);
        bytes_store(entry + SECTION_SUM, 4, crc32_z(0, bytes + begin, end - begin));
    }
    bytes_store(bytes + HEADER_SUM, 4, 0);
    bytes_store(bytes + HEADER_SUM, 4, crc32_z(0, bytes, HEAD_SIZE));
}

/* Reports are about the file, not about places in a text. */
static struct context *new_context(void)
{
    struct context *context = context_new();

    context->limits = fuzz_limits;
    return context;
}

static struct graph *read_graph(struct context *context, const void *bytes, size_t size)
{
    const struct native_file file = {"fuzz.ng", bytes, size, library_load(context, DIALECT_1_0),
                                     true};

    return native_read(context, &file);
}

/* What was written once is written the same again. */
static void write_again(struct graph *graph)
{
    struct text first = {0}, second = {0};
    struct context *context = new_context();
    struct sink to_first = fuzz_sink(&first), to_second = fuzz_sink(&second);

    fuzz_expect(native_write(graph, &to_first), "a graph that was read cannot be written");
    void *bytes =
        aligned_alloc(NATIVE_ALIGNMENT, (first.size / NATIVE_ALIGNMENT + 1) * NATIVE_ALIGNMENT);
    fuzz_expect(bytes, "there is not enough memory");
    memcpy(bytes, first.data, first.size);
    struct graph *back = read_graph(context, bytes, first.size);
    fuzz_expect(back && native_write(back, &to_second) && first.size == second.size &&
                    memcmp(first.data, second.data, first.size) == 0,
                "what was written is not read as it was");
    text_free(&first);
    text_free(&second);
    context_free(context);
    free(bytes);
}

static void run_graph(const struct graph *graph)
{
    struct run *run = run_new(graph);

    for (int i = 0; run && i < graph->ninput; i++) {
        const struct value *value = graph->inputs[i].value;
        struct tensor input;
        fuzz_expect(tensor_allocate(&input, value->dtype, value->shape),
                    "there is not enough memory");
        run_set_input(run, i, &input);
    }
    if (run)
        (void)run_step(run);
    run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *context = new_context();
    unsigned char *bytes =
        size < HEAD_SIZE
            ? NULL
            : aligned_alloc(NATIVE_ALIGNMENT, (size / NATIVE_ALIGNMENT + 1) * NATIVE_ALIGNMENT);

    if (bytes) {
        memcpy(bytes, data, size);
        mend(bytes, size);
        struct graph *graph = read_graph(context, bytes, size);
        if (graph) {
            write_again(graph);
            run_graph(graph);
        }
    }
    context_free(context);
    free(bytes);
    return 0;
}
