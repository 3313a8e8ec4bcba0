/* common.c - what the targets of the fuzzer share */
#include "fuzz/fuzz.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "op/graph_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct limits fuzz_limits = {
    .nesting = 256, /* the standard one: what it allows must fit the stack */
    .expansion_depth = 64,
    .nodes = 256,
    .array_length = 1024,
    .work = 10000,
    .growth = 4 << 20,
    .volume = 1024,
    .kernel_work = 100000,
    .total_work = 10000000,
    .text = 1 << 20,
    .members = 1000,
    .unpacked = 1 << 20,
    .memory = 32 << 20,
};

void fuzz_expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* --- compilations ------------------------------------------------------------------------ */

struct context *fuzz_context(void)
{
    struct context *context = context_new();

    context->limits = fuzz_limits;
    return context;
}

static bool is_place(const struct sources *sources, struct span at)
{
    struct location where;
    size_t size;

    if (at.begin == 0 && at.end == 0)
        return true;
    sources_text(sources, at, &size);
    return at.begin <= at.end && size == at.end - at.begin &&
           sources_locate(sources, at.begin, &where);
}

static void check_report(const struct context *context, int index)
{
    const struct diag *diag = context->diag;
    struct diag_report note;
    const struct diag_fix *fix;

    fuzz_expect(is_place(context->sources, diag_at(diag, index).at), "a report has its place");
    for (int i = 0; (note = diag_note_at(diag, index, i)).text; i++)
        fuzz_expect(is_place(context->sources, note.at), "a note has its place");
    for (int i = 0; (fix = diag_fix_at(diag, index, i)); i++)
        fuzz_expect(is_place(context->sources, fix->at) && fix->at.begin > 0,
                    "a change has its place");
}

void fuzz_context_free(struct context *context)
{
    FILE *nowhere = fopen("/dev/null", "w");
    int count = diag_count(context->diag);

    if (!nowhere)
        abort();
    for (int i = 0; i < count; i++)
        check_report(context, i);
    diag_print(context->diag, nowhere, (enum diag_style)(count % 3), count % 2);
    fclose(nowhere);
    context_free(context);
}

/* --- bytes and tensors ------------------------------------------------------------------- */

struct file_view fuzz_view(const uint8_t *data, size_t size)
{
    struct file_view view = {.data = malloc(size ? size : 1), .size = size};

    if (!view.data)
        arena_out_of_memory();
    if (size)
        memcpy(view.data, data, size);
    return view;
}

static void put(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

struct sink fuzz_sink(struct text *to)
{
    return (struct sink){.name = "output", .put = put, .to = to};
}

bool fuzz_same_tensor(const struct tensor *a, const struct tensor *b)
{
    bool same = a->dtype == b->dtype && shape_equal(&a->shape, &b->shape);

    for (int64_t i = 0; same && i < shape_volume(&a->shape); i++) {
        double x = tensor_item(a, i), y = tensor_item(b, i);
        same = x == y || (isnan(x) && isnan(y));
    }
    return same;
}

void fuzz_inspect(struct graph *graph)
{
    struct text text = {0};
    bool sound = graph_verify(graph, &text);

    fuzz_expect(sound, text.data);
    graph_print(graph, &text);
    text_free(&text);
}
