/*
 * test_graph_file.c - a graph in a graph file is the graph again, and a damaged file is refused
 *
 * Every document of tests/ that computes something is written, read and written again: the bytes are
 * the same, and so is what it computes.
 */
#include "support/again.h"
#include "support/doc.h"
#include "support/files.h"
#include "support/t.h"

#include "base/context.h"
#include "base/diag.h"
#include "base/file.h"
#include "exec/run.h"
#include "ir/graph.h"
#include "native/layout.h"
#include "native/native.h"
#include "op/op.h"
#include "tensor/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static bool write_to(struct graph *graph, struct text *bytes)
{
    return native_write(graph, &(struct sink){"file", put, bytes});
}

static struct graph *read_from(struct context *context, const void *bytes, size_t size)
{
    struct native_file file = {"net.ng", bytes, size, library_load(context, DIALECT_1_0), true};

    return native_read(context, &file);
}

/* Bytes that are aligned as those of a mapped file are. */
static void *aligned_copy(const struct text *bytes)
{
    size_t room = (bytes->size + NATIVE_ALIGNMENT) / NATIVE_ALIGNMENT * NATIVE_ALIGNMENT;
    void *copy = aligned_alloc(NATIVE_ALIGNMENT, room);

    assert_non_null(copy);
    memcpy(copy, bytes->data, bytes->size);
    return copy;
}

/* --- there and back ------------------------------------------------------------------------ */

struct tally {
    int written, refused;
};

static void there_and_back(void *to, const struct doc *doc, struct graph *graph,
                           const struct run *run)
{
    struct tally *tally = to;
    struct context *context = context_new();
    struct text first = {0}, second = {0};

    if (!write_to(graph, &first)) {
        assert_int_equal(first.size, 0);
        tally->refused++;
        context_free(context);
        return;
    }
    void *bytes = aligned_copy(&first);
    struct graph *again = read_from(context, bytes, first.size);
    if (!again) {
        print_error("%s\n", doc->path);
        diag_print(context->diag, stderr, DIAG_STYLE_SHORT, false);
        fail();
        return;
    }
    assert_true(write_to(again, &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    again_computes_same(again, run, graph);
    tally->written++;
    text_free(&first);
    text_free(&second);
    context_free(context);
    free(bytes);
}

static void try_document(void *to, const char *path)
{
    const struct doc_watcher watcher = {.computed = there_and_back, .to = to};
    struct doc doc;

    doc_read(&doc, path);
    if (doc.has_values)
        doc_watch(&doc, &watcher);
    doc_clear(&doc);
}

static void graphs_come_back_as_they_were(void **state)
{
    struct tally tally = {0};

    (void)state;
    assert_true(files_below("tests/op", ".nnef", try_document, &tally));
    assert_true(files_below("tests/lower", ".nnef", try_document, &tally));
    assert_true(files_below("tests/language", ".nnef", try_document, &tally));
    print_message("%d written, %d refused\n", tally.written, tally.refused);
    assert_true(tally.written > 200);
}

/* --- damage -------------------------------------------------------------------------------- */

/* The file of one document, and what is said of changed ones. */
struct fixture {
    struct text bytes;
};

static void keep(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    struct fixture *f = to;

    (void)doc;
    (void)run;
    assert_true(write_to(graph, &f->bytes));
}

static int setup(void **state)
{
    static struct fixture f;
    const struct doc_watcher watcher = {.computed = keep, .to = &f};
    struct doc doc;

    f = (struct fixture){{0}};
    doc_read(&doc, "tests/op/conv/conv.nnef");
    doc_watch(&doc, &watcher);
    doc_clear(&doc);
    *state = &f;
    return f.bytes.size ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    text_free(&f->bytes);
    return 0;
}

/* What is said first; 0 if it is read without a word. */
static int first_code(const void *bytes, size_t size)
{
    struct context *context = context_new();
    const struct graph *graph = read_from(context, bytes, size);
    int code = diag_count(context->diag) ? (int)diag_at(context->diag, 0).code : 0;

    assert_true(!graph == (diag_error_count(context->diag) > 0));
    context_free(context);
    return code;
}

static void every_prefix_is_refused(void **state)
{
    const struct fixture *f = *state;

    for (size_t size = NATIVE_MAGIC_SIZE; size < f->bytes.size; size++)
        assert_int_equal(first_code(f->bytes.data, size), DIAG_NATIVE_FILE);
}

static void every_byte_counts(void **state)
{
    const struct fixture *f = *state;

    for (size_t i = NATIVE_MAGIC_SIZE; i < f->bytes.size; i++) {
        f->bytes.data[i] ^= 0x10;
        int code = first_code(f->bytes.data, f->bytes.size);
        f->bytes.data[i] ^= 0x10;
        assert_true(code == DIAG_NATIVE_FILE || code == DIAG_NATIVE_VERSION);
    }
}

/* --- versions ------------------------------------------------------------------------------ */

/* The header says so, and its sum is right. */
static int code_of_version(struct fixture *f, unsigned major, unsigned minor)
{
    unsigned char *head = (unsigned char *)f->bytes.data;

    bytes_store(head + HEADER_MAJOR, 2, major);
    bytes_store(head + HEADER_MINOR, 2, minor);
    bytes_store(head + HEADER_SUM, 4, 0);
    bytes_store(head + HEADER_SUM, 4,
                crc32_z(0, head, HEADER_SIZE + NATIVE_SECTIONS * SECTION_SIZE));
    return first_code(head, f->bytes.size);
}

static void a_newer_minor_version_is_a_warning(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(code_of_version(f, NATIVE_MAJOR, NATIVE_MINOR), 0);
    assert_int_equal(code_of_version(f, NATIVE_MAJOR, NATIVE_MINOR + 10), DIAG_NATIVE_VERSION);
}

static void a_newer_major_version_is_refused(void **state)
{
    assert_int_equal(code_of_version(*state, NATIVE_MAJOR + 1, 0), DIAG_NATIVE_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_come_back_as_they_were),
        cmocka_unit_test_setup_teardown(every_prefix_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(every_byte_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_minor_version_is_a_warning, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_major_version_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
