/*
 * fuzz_native.c - any bytes as a graph file; what can be read is written, read and run
 *
 * Lengths and sums of the header are made right first, so that what lies behind them is reached.
 * Packed weights are used by a plan.
 */
#include "fuzz/fuzz.h"

#include "convert/graphfile/graphfile.h"
#include "convert/graphfile/layout.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/packed.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "ir/graph.h"
#include "sema/sema.h"
#include "tensor/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The graph and the data, and perhaps blocks. */
static const enum graphfile_section sections[] = {SECTION_GRAPH, SECTION_DATA, SECTION_INDEX,
                                                  SECTION_BLOCKS};
enum { LEAST_SECTIONS = 2, LEAST_SIZE = HEADER_SIZE + LEAST_SECTIONS * ENTRY_SIZE };

static int sections_of(const unsigned char *bytes, size_t size)
{
    const int most = sizeof sections / sizeof *sections;
    bool has_blocks = bytes[HEADER_SECTIONS] == most;

    return has_blocks && size >= HEADER_SIZE + (size_t)most * ENTRY_SIZE ? most : LEAST_SECTIONS;
}

/* Where a section ends: where the table has the next one begin, if that can be; the last one at the
 * end. */
static uint64_t end_of(const unsigned char *next, uint64_t begin, size_t size)
{
    uint64_t end = next ? bytes_load(next + ENTRY_OFFSET, 8) : size;

    return end < begin || end > size ? size - (size - begin) % GRAPHFILE_ALIGNMENT : end;
}

/* Sections lie one behind the other, and the last one ends with the input. */
static void mend(unsigned char *bytes, size_t size)
{
    int count = sections_of(bytes, size);
    size_t head = HEADER_SIZE + (size_t)count * ENTRY_SIZE;
    uint64_t begin = head;

    for (int i = 0; i < GRAPHFILE_MAGIC_SIZE; i++)
        bytes[i] = (unsigned char)GRAPHFILE_MAGIC[i];
    bytes_store(bytes + HEADER_MAJOR, 2, GRAPHFILE_MAJOR);
    bytes_store(bytes + HEADER_SECTIONS, 4, (uint64_t)count);
    bytes_store(bytes + HEADER_FILE_SIZE, 8, size);
    for (int i = 0; i < count; i++) {
        unsigned char *entry = bytes + HEADER_SIZE + (size_t)i * ENTRY_SIZE;
        uint64_t end = end_of(i + 1 < count ? entry + ENTRY_SIZE : NULL, begin, size);
        memcpy(entry + ENTRY_NAME, graphfile_sections[sections[i]].name, 4);
        bytes_store(entry + ENTRY_OFFSET, 8, begin);
        bytes_store(entry + ENTRY_LENGTH, 8, end - begin);
        bytes_store(entry + ENTRY_SUM, 4, crc32_z(0, bytes + begin, end - begin));
        begin = end;
    }
    bytes_store(bytes + HEADER_SUM, 4, 0);
    bytes_store(bytes + HEADER_SUM, 4, crc32_z(0, bytes, head));
}

/* Reports are about the file, not about places in a text. */
static struct context *new_context(void)
{
    struct context *context = context_new();

    context->limits = fuzz_limits;
    return context;
}

static struct graph *read_graph(struct context *context, const void *bytes, size_t size,
                                const struct tensor_blocks **blocks)
{
    const struct graphfile file = {"fuzz.ng", bytes, size, library_load(context, DIALECT_1_0),
                                   true,      false};

    return graphfile_read(context, &file, blocks);
}

/* What was written once is written the same again. */
static void write_again(struct graph *graph)
{
    struct text first = {0}, second = {0};
    struct context *context = new_context();
    struct sink to_first = fuzz_sink(&first), to_second = fuzz_sink(&second);
    const struct tensor_blocks *blocks;

    fuzz_expect(graphfile_write(graph, NULL, &to_first), "a graph that was read cannot be written");
    void *bytes = aligned_alloc(GRAPHFILE_ALIGNMENT,
                                (first.size / GRAPHFILE_ALIGNMENT + 1) * GRAPHFILE_ALIGNMENT);
    fuzz_expect(bytes, "there is not enough memory");
    memcpy(bytes, first.data, first.size);
    struct graph *back = read_graph(context, bytes, first.size, &blocks);
    fuzz_expect(back && graphfile_write(back, NULL, &to_second) && first.size == second.size &&
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

static void execute(const struct graph *graph, const struct plan *plan)
{
    struct execution *execution = execution_new(plan, graph->context->diag, NULL);
    struct tensor *input = calloc((size_t)graph->ninput + 1, sizeof *input);

    fuzz_expect(execution && input, "there is not enough memory");
    for (int i = 0; i < graph->ninput; i++) {
        const struct value *value = graph->inputs[i].value;
        fuzz_expect(tensor_allocate(&input[i], value->dtype, value->shape),
                    "there is not enough memory");
        execution_set_input(execution, i, &input[i]);
    }
    (void)execution_step(execution);
    for (int i = 0; i < graph->ninput; i++)
        tensor_clear(&input[i]);
    free(input);
    execution_free(execution);
}

/* Whoever packed them, they are taken if they look like what is wanted. */
static void run_packed(const struct graph *graph, const struct tensor_blocks *blocks)
{
    struct tensor_blocks ours = packed_nothing(graph->context->arena).blocks;
    const struct plan_options options = {
        .backend = &backend_portable, .threads = 1, .packed = blocks ? &ours : NULL};

    if (blocks) {
        ours.block = blocks->block;
        ours.count = blocks->count;
    }
    struct plan *plan = plan_new(graph, &options);
    if (plan)
        execute(graph, plan);
    plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *context = new_context();
    const struct tensor_blocks *blocks;
    unsigned char *bytes =
        size < LEAST_SIZE ? NULL
                          : aligned_alloc(GRAPHFILE_ALIGNMENT,
                                          (size / GRAPHFILE_ALIGNMENT + 1) * GRAPHFILE_ALIGNMENT);

    if (bytes) {
        memcpy(bytes, data, size);
        mend(bytes, size);
        struct graph *graph = read_graph(context, bytes, size, &blocks);
        if (graph) {
            write_again(graph);
            run_graph(graph);
            run_packed(graph, blocks);
        }
    }
    context_free(context);
    free(bytes);
    return 0;
}
