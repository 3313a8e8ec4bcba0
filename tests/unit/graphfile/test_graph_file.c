/*
 * test_graph_file.c - a graph in a graph file is the graph again, and a damaged file is refused
 *
 * Every document of tests/ that computes something is written, read and written again: the bytes
 * are the same, and so is what it computes.
 */
#include "support/again.h"
#include "support/doc.h"
#include "support/files.h"
#include "support/t.h"

#include "convert/graphfile/graphfile.h"
#include "convert/graphfile/layout.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/run.h"
#include "file/file.h"
#include "file/out.h"
#include "ir/graph.h"
#include "op/op.h"
#include "tensor/blocks.h"
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
    return graphfile_write(graph, NULL, &(struct sink){"file", put, bytes});
}

static struct graph *read_with(struct context *context, const void *bytes, size_t size,
                               const struct tensor_blocks **blocks)
{
    struct graphfile file = {"net.ng", bytes, size, library_load(context, DIALECT_1_0),
                             true,     false};

    return graphfile_read(context, &file, blocks);
}

static struct graph *read_from(struct context *context, const void *bytes, size_t size)
{
    const struct tensor_blocks *blocks;

    return read_with(context, bytes, size, &blocks);
}

/* Bytes that are aligned as those of a mapped file are. */
static void *aligned_copy(const struct text *bytes)
{
    size_t room = (bytes->size + GRAPHFILE_ALIGNMENT) / GRAPHFILE_ALIGNMENT * GRAPHFILE_ALIGNMENT;
    void *copy = aligned_alloc(GRAPHFILE_ALIGNMENT, room);

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
    size_t step; /* from one place that is damaged to the next */
};

static void keep(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    struct fixture *f = to;

    (void)doc;
    (void)run;
    assert_true(write_to(graph, &f->bytes));
}

/* What the blocks of the test hold, one of which has pages of its own. */
enum { BLOCKS = 3, LARGE = GRAPHFILE_PAGE + 100 };

static const char *const keys[BLOCKS] = {"one", "", "another one"};
static const size_t sizes[BLOCKS] = {1, LARGE, 70};

static unsigned char letter(int block, size_t at)
{
    return (unsigned char)((size_t)block * 50 + at % 47);
}

static void keep_with_blocks(void *to, const struct doc *doc, struct graph *graph,
                             const struct run *run)
{
    static unsigned char items[BLOCKS][LARGE];
    const struct source *first =
        graph->variables.first ? graph->variables.first : graph->constants.first;
    struct tensor_block block[BLOCKS];
    const struct tensor_blocks blocks = {"me", "letters", block, BLOCKS};
    struct fixture *f = to;

    (void)doc;
    (void)run;
    for (int i = 0; i < BLOCKS; i++) {
        for (size_t at = 0; at < sizes[i]; at++)
            items[i][at] = letter(i, at);
        block[i] = (struct tensor_block){keys[i], first->tensor->data, items[i], sizes[i]};
    }
    assert_true(graphfile_write(graph, &blocks, &(struct sink){"file", put, &f->bytes}));
}

/* Scalars of 16 bits in the first output, as foreign models may have them. */
static void keep_typed(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    graph->outputs[0].items = (struct item_format){ITEM_FLOAT, 16, false};
    keep(to, doc, graph, run);
}

typedef void keep_function(void *to, const struct doc *doc, struct graph *graph,
                           const struct run *run);

static int setup_from(void **state, const char *path, keep_function *function, size_t step)
{
    static struct fixture f;
    const struct doc_watcher watcher = {.computed = function, .to = &f};
    struct doc doc;

    f = (struct fixture){.step = step};
    doc_read(&doc, path);
    doc_watch(&doc, &watcher);
    doc_clear(&doc);
    *state = &f;
    return f.bytes.size ? 0 : -1;
}

static int setup_by(void **state, keep_function *function, size_t step)
{
    return setup_from(state, "tests/op/conv/conv.nnef", function, step);
}

static int setup(void **state)
{
    return setup_by(state, keep, 1);
}

static int setup_with_blocks(void **state)
{
    return setup_by(state, keep_with_blocks, 41);
}

static int setup_typed(void **state)
{
    return setup_by(state, keep_typed, 1);
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

    for (size_t size = GRAPHFILE_MAGIC_SIZE; size < f->bytes.size; size += f->step)
        assert_int_equal(first_code(f->bytes.data, size), DIAG_NATIVE_FILE);
}

static void every_byte_counts(void **state)
{
    const struct fixture *f = *state;

    for (size_t i = GRAPHFILE_MAGIC_SIZE; i < f->bytes.size; i += f->step) {
        f->bytes.data[i] ^= 0x10;
        int code = first_code(f->bytes.data, f->bytes.size);
        f->bytes.data[i] ^= 0x10;
        assert_true(code == DIAG_NATIVE_FILE || code == DIAG_NATIVE_VERSION);
    }
}

/* --- sections ------------------------------------------------------------------------------ */

/* Let the sum of the header be right. */
static void mend_head(unsigned char *bytes)
{
    size_t count = bytes_load32(bytes + HEADER_SECTIONS);

    bytes_store(bytes + HEADER_SUM, 4, 0);
    bytes_store(bytes + HEADER_SUM, 4, crc32_z(0, bytes, HEADER_SIZE + count * ENTRY_SIZE));
}

/* The entry of a section is refused where the table has it. */
static void refuses_entry(const struct fixture *f, size_t entry)
{
    struct context *context = context_new();
    char expected[80];

    mend_head((unsigned char *)f->bytes.data);
    snprintf(expected, sizeof expected, "at byte %zu: a section reaches past the end", entry);
    assert_null(read_from(context, f->bytes.data, f->bytes.size));
    assert_string_equal(diag_at(context->diag, 0).text, expected);
    context_free(context);
}

static void sections_end_within_the_file(void **state)
{
    const struct fixture *f = *state;
    unsigned char *bytes = (unsigned char *)f->bytes.data;

    for (size_t i = 0; i < bytes_load32(bytes + HEADER_SECTIONS); i++) {
        size_t at = HEADER_SIZE + i * ENTRY_SIZE;
        unsigned char *offset = bytes + at + ENTRY_OFFSET, *length = bytes + at + ENTRY_LENGTH;
        uint64_t right[] = {bytes_load(offset, 8), bytes_load(length, 8)};
        bytes_store(length, 8, f->bytes.size - right[0] + 1);
        refuses_entry(f, at);
        bytes_store(length, 8, UINT64_MAX);
        refuses_entry(f, at);
        bytes_store(length, 8, 0);
        bytes_store(offset, 8, f->bytes.size + 1);
        refuses_entry(f, at);
        bytes_store(offset, 8, right[0]);
        bytes_store(length, 8, right[1]);
    }
}

/* --- blocks -------------------------------------------------------------------------------- */

static void blocks_come_back_as_they_were(void **state)
{
    const struct fixture *f = *state;
    struct context *context = context_new();
    void *bytes = aligned_copy(&f->bytes);
    const struct tensor_blocks *blocks;
    const struct graph *graph = read_with(context, bytes, f->bytes.size, &blocks);

    assert_non_null(graph);
    assert_non_null(blocks);
    assert_string_equal(blocks->maker, "me");
    assert_string_equal(blocks->kind, "letters");
    assert_int_equal(blocks->count, BLOCKS);
    const struct source *first =
        graph->variables.first ? graph->variables.first : graph->constants.first;
    for (int i = 0; i < BLOCKS; i++) {
        const struct tensor_block *block = &blocks->block[i];
        const unsigned char *items = block->items;
        assert_string_equal(block->key, keys[i]);
        assert_ptr_equal(block->source, first->tensor->data);
        assert_int_equal(block->size, sizes[i]);
        assert_int_equal((items - (unsigned char *)bytes) %
                             (sizes[i] < GRAPHFILE_PAGE ? GRAPHFILE_ALIGNMENT : GRAPHFILE_PAGE),
                         0);
        for (size_t at = 0; at < sizes[i]; at++)
            assert_int_equal(items[at], letter(i, at));
    }
    context_free(context);
    free(bytes);
}

static void a_file_without_blocks_has_none(void **state)
{
    const struct fixture *f = *state;
    struct context *context = context_new();
    const struct tensor_blocks *blocks;

    assert_non_null(read_with(context, f->bytes.data, f->bytes.size, &blocks));
    assert_null(blocks);
    context_free(context);
}

/* Let the sums of the sections and that of the header be right. */
static void mend_sums(unsigned char *bytes)
{
    size_t count = bytes_load32(bytes + HEADER_SECTIONS);

    for (size_t i = 0; i < count; i++) {
        unsigned char *entry = bytes + HEADER_SIZE + i * ENTRY_SIZE;
        const unsigned char *section = bytes + bytes_load(entry + ENTRY_OFFSET, 8);
        bytes_store(entry + ENTRY_SUM, 4,
                    crc32_z(0, section, (size_t)bytes_load(entry + ENTRY_LENGTH, 8)));
    }
    mend_head(bytes);
}

/* Whatever is told of them, they are within the file. */
static void check_blocks(const unsigned char *bytes, size_t size)
{
    struct context *context = context_new();
    const struct tensor_blocks *blocks;
    const struct graph *graph = read_with(context, bytes, size, &blocks);

    for (int i = 0; graph && blocks && i < blocks->count; i++) {
        const struct tensor_block *block = &blocks->block[i];
        const unsigned char *items = block->items;
        assert_true(items >= bytes && block->size <= (size_t)(bytes + size - items));
        assert_true(block->size > 0 && block->key);
    }
    assert_true(!graph == (diag_error_count(context->diag) > 0));
    context_free(context);
}

static void what_is_told_of_blocks_is_not_trusted(void **state)
{
    static const unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
    struct fixture *f = *state;
    unsigned char *bytes = (unsigned char *)f->bytes.data;
    const unsigned char *index = bytes + HEADER_SIZE + (size_t)SECTION_TYPES * ENTRY_SIZE;
    size_t begin = (size_t)bytes_load(index + ENTRY_OFFSET, 8);

    for (size_t i = begin; i < begin + 80; i++)
        for (size_t k = 0; k < sizeof odd; k++) {
            unsigned char right = bytes[i];
            bytes[i] = odd[k];
            mend_sums(bytes);
            check_blocks(bytes, f->bytes.size);
            bytes[i] = right;
        }
}

/* --- types of inputs and outputs ----------------------------------------------------------- */

static void types_come_back_as_they_were(void **state)
{
    const struct fixture *f = *state;
    struct context *context = context_new();
    const struct graph *graph = read_from(context, f->bytes.data, f->bytes.size);

    assert_non_null(graph);
    assert_int_equal(diag_count(context->diag), 0);
    assert_int_equal(graph->inputs[0].items.bits, 0);
    assert_int_equal(graph->outputs[0].items.type, ITEM_FLOAT);
    assert_int_equal(graph->outputs[0].items.bits, 16);
    context_free(context);
}

/* The type of the first output follows those of the inputs, which are not known. */
static void a_type_is_one_that_the_value_can_have(void **state)
{
    static const struct {
        unsigned char bits, type;
        int code;
    } cases[] = {
        {16, ITEM_FLOAT, 0},
        {0, 0, 0},
        {15, ITEM_FLOAT, DIAG_NATIVE_FILE},
        {64, ITEM_UNSIGNED, DIAG_NATIVE_FILE}, /* its items are scalars */
        {16, ITEM_TYPE_COUNT, DIAG_NATIVE_FILE},
        {0, ITEM_SIGNED, DIAG_NATIVE_FILE},
    };
    const struct fixture *f = *state;
    unsigned char *bytes = (unsigned char *)f->bytes.data;
    const unsigned char *entry = bytes + HEADER_SIZE + (size_t)SECTION_TYPES * ENTRY_SIZE;
    unsigned char *type = bytes + bytes_load(entry + ENTRY_OFFSET, 8);

    assert_memory_equal(entry, "TYPE", 4);
    while (*type == 0)
        type++;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        type[0] = cases[i].bits;
        type[1] = cases[i].type;
        mend_sums(bytes);
        assert_int_equal(first_code(bytes, f->bytes.size), cases[i].code);
    }
}

/* --- generic types ------------------------------------------------------------------------- */

static int setup_generic(void **state)
{
    return setup_from(state, "tests/language/blanks.nnef", keep, 1);
}

/* The first node follows the only operation, which has no attributes: how many nodes there are, of
 * which operation it is, and its type. */
static unsigned char *generic_type(const struct fixture *f, const char *operation)
{
    const unsigned char between[] = {0, 1, 0};
    size_t length = strlen(operation);
    char *at = f->bytes.data;

    while (memcmp(at, operation, length) != 0)
        at++;
    assert_memory_equal(at + length, between, sizeof between);
    return (unsigned char *)at + length + sizeof between;
}

static void a_generic_type_is_one_that_there_is(void **state)
{
    const struct fixture *f = *state;
    unsigned char *type = generic_type(f, "copy");

    assert_int_equal(*type, DTYPE_SCALAR);
    for (unsigned wrong = 0; wrong < 0x80; wrong++) {
        *type = (unsigned char)wrong;
        mend_sums((unsigned char *)f->bytes.data);
        assert_int_equal(first_code(f->bytes.data, f->bytes.size),
                         wrong == DTYPE_SCALAR ? 0 : DIAG_NATIVE_FILE);
    }
}

/* --- versions ------------------------------------------------------------------------------ */

/* The header says so, and its sum is right. */
static int code_of_version(struct fixture *f, unsigned major, unsigned minor)
{
    unsigned char *head = (unsigned char *)f->bytes.data;

    bytes_store(head + HEADER_MAJOR, 2, major);
    bytes_store(head + HEADER_MINOR, 2, minor);
    mend_head(head);
    return first_code(head, f->bytes.size);
}

static void a_newer_minor_version_is_a_warning(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(code_of_version(f, GRAPHFILE_MAJOR, GRAPHFILE_MINOR), 0);
    assert_int_equal(code_of_version(f, GRAPHFILE_MAJOR, GRAPHFILE_MINOR + 10),
                     DIAG_NATIVE_VERSION);
}

static void a_newer_major_version_is_refused(void **state)
{
    assert_int_equal(code_of_version(*state, GRAPHFILE_MAJOR + 1, 0), DIAG_NATIVE_VERSION);
}

/* On a machine of 32 bits, too, whose size_t has but half of it. */
static void all_64_bits_of_the_file_size_count(void **state)
{
    const struct fixture *f = *state;
    unsigned char *head = (unsigned char *)f->bytes.data;

    bytes_store(head + HEADER_FILE_SIZE, 8, (uint64_t)f->bytes.size + (UINT64_C(1) << 32));
    mend_head(head);
    assert_int_equal(first_code(head, f->bytes.size), DIAG_NATIVE_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_come_back_as_they_were),
        cmocka_unit_test_setup_teardown(every_prefix_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(every_byte_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_refused, setup_with_blocks, teardown),
        cmocka_unit_test_setup_teardown(every_byte_counts, setup_with_blocks, teardown),
        cmocka_unit_test_setup_teardown(sections_end_within_the_file, setup_with_blocks, teardown),
        cmocka_unit_test_setup_teardown(blocks_come_back_as_they_were, setup_with_blocks, teardown),
        cmocka_unit_test_setup_teardown(a_file_without_blocks_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_told_of_blocks_is_not_trusted, setup_with_blocks,
                                        teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_refused, setup_typed, teardown),
        cmocka_unit_test_setup_teardown(every_byte_counts, setup_typed, teardown),
        cmocka_unit_test_setup_teardown(types_come_back_as_they_were, setup_typed, teardown),
        cmocka_unit_test_setup_teardown(a_type_is_one_that_the_value_can_have, setup_typed,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_generic_type_is_one_that_there_is, setup_generic,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_newer_minor_version_is_a_warning, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_major_version_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(all_64_bits_of_the_file_size_count, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
