/* test_bytes.c - variables of integers that are bytes, in a graph file and out of it */
#include "convert/graphfile/graphfile.h"

#include "base/arena.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "file/out.h"
#include "ir/graph.h"
#include "op/op_build.h"
#include "sema/sema.h"
#include "tensor/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

enum { COUNT = 4096, PAGE = 64 };

static const struct shape shape = {.rank = 2, .extent = {64, 64}};

static void put(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static void add_variable(struct graph *graph, const char *name, const struct tensor *items)
{
    struct value *value =
        graph_add_source(graph, VALUE_VARIABLE, items->dtype, &shape, (struct span){0});

    value->name = value->source->label = name;
    value->source->made = true;
    value->source->tensor = arena_new_of(graph->context->arena, struct tensor);
    *value->source->tensor = *items;
    const struct op_origin origin = {.generic = items->dtype};
    struct node *node = op_append(graph, op_plain(OP_copy), &value, 1, &origin);
    assert_non_null(node);
    node->out[0].name = name[0] == 'a' ? "ya" : name[0] == 'b' ? "yb" : "yc";
}

/* The file of a graph with variables a, b and c; its size is *size. */
static void *file_of(const struct tensor items[3], size_t *size)
{
    static const char *const names[] = {"a", "b", "c"};
    struct context *context = context_new();
    struct graph *graph = graph_new(context, "net");
    struct text bytes = {0};

    for (int i = 0; i < 3; i++)
        add_variable(graph, names[i], &items[i]);
    assert_true(graphfile_write(graph, NULL, &(struct sink){"file", put, &bytes}));
    *size = bytes.size;
    void *copy = aligned_alloc(PAGE, (bytes.size + PAGE) / PAGE * PAGE);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    text_free(&bytes);
    context_free(context);
    return copy;
}

static void read_back(const void *bytes, size_t size,
                      void check(const struct source *, const struct tensor *),
                      const struct tensor items[3])
{
    struct context *context = context_new();
    const struct tensor_blocks *blocks;
    struct graphfile file = {"net.ng", bytes, size, library_load(context, DIALECT_1_0),
                             true,     false};
    struct graph *graph = graphfile_read(context, &file, &blocks);

    assert_non_null(graph);
    for (const struct source *s = graph->variables.first; s; s = s->next)
        check(s, &items[s->value->name[0] - 'a']);
    context_free(context);
}

static void check_items(const struct source *source, const struct tensor *items)
{
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(tensor_integer(source->tensor, i), tensor_integer(items, i));
}

/* a: -128 to 127; b: 0 to 255; c: 0 to 256, which is no byte.  4096 bytes or 8 times as many. */
static void integers_are_bytes_if_all_fit(void **state)
{
    static int64_t a[COUNT], b[COUNT], c[COUNT];
    const struct tensor items[] = {{.shape = shape, .dtype = DTYPE_INTEGER, .data = a},
                                   {.shape = shape, .dtype = DTYPE_INTEGER, .data = b},
                                   {.shape = shape, .dtype = DTYPE_INTEGER, .data = c}};
    size_t size;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        a[i] = i % 256 - 128;
        b[i] = i % 256;
        c[i] = i % 257;
    }
    void *file = file_of(items, &size);
    assert_in_range(size, COUNT + COUNT + 8 * COUNT, COUNT + COUNT + 8 * COUNT + 1024);
    read_back(file, size, check_items, items);
    free(file);
}

/* The integers of one place and the bytes there, with a sign and without one, are three things. */
static void what_is_at_one_place_is_told_apart(void **state)
{
    static int64_t memory[COUNT];
    const struct tensor items[] = {
        {.shape = shape, .dtype = DTYPE_INTEGER, .data = memory},
        {.shape = shape, .dtype = DTYPE_INTEGER, .bytes = memory},
        {.shape = shape, .dtype = DTYPE_INTEGER, .bytes = memory, .bytes_are_signed = true}};
    size_t size;

    (void)state;
    for (int i = 0; i < COUNT; i++)
        memory[i] = i % 100 + 100;
    void *file = file_of(items, &size);
    read_back(file, size, check_items, items);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_bytes_if_all_fit),
        cmocka_unit_test(what_is_at_one_place_is_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
