/*
 * test_registry.c - every standard operation can be run and is tested
 *
 * The list of operations is the library's. A numeric test is a document below tests/op that gives
 * the values of an invocation, a shape test one that gives its shape; bodies are compared with
 * kernels by unit/lower/test_kept.c, which goes through the library, too. An operation of the
 * provisional dialect that shares its kernel with NNEF 1.0.5 is tested there.
 */
#include "support/doc.h"
#include "support/t.h"

#include "ir/graph.h"
#include "lower/lower.h"
#include "op/op.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAST_CASES = 600 };

static const char documents[] = "tests/op";

struct coverage {
    bool numeric, shape;
};

/* One library and what documents of its dialect say about its operations. */
struct registry {
    enum dialect dialect;
    struct context *context;
    const struct library *library;
    struct coverage *coverage; /* by index in the library */
    int cases;                 /* lines of documents with what an operation gives */
};

/* --- what documents cover ------------------------------------------------------------------- */

static void cover(const struct registry *r, const char *operation, struct coverage by)
{
    for (int i = 0; i < library_count(r->library); i++)
        if (strcmp(library_at(r->library, i)->name, operation) == 0) {
            r->coverage[i].numeric |= by.numeric;
            r->coverage[i].shape |= by.shape;
        }
}

static const struct stmt *find_statement(const struct document *document, uint32_t offset)
{
    const struct stmt *found = NULL;

    for (const struct stmt *s = document->graph->body.first; s; s = s->next)
        if (s->target->span.begin < offset)
            found = s;
    return found;
}

/* What is fed into a document with values is tested by these. */
static struct coverage coverage_of(const struct doc *doc, const struct doc_mark *mark)
{
    struct doc_values values;
    const char *at = mark->text;

    if (mark->kind == '<')
        return (struct coverage){doc->has_values, doc->has_values};
    if (mark->kind != '>' || doc_values_read(doc->arena, &at, &values))
        return (struct coverage){false, false};
    return (struct coverage){values.count > 0, values.has_shape};
}

static void cover_by_mark(struct registry *r, const struct doc *doc, const struct doc_mark *mark,
                          const struct stmt *statement)
{
    if (statement && statement->value->kind == EXPR_CALL)
        cover(r, statement->value->call.callee, coverage_of(doc, mark));
    r->cases += mark->kind == '>';
}

static void cover_by_document(struct registry *r, const char *path)
{
    struct context *context = context_new();
    struct doc doc;

    doc_read(&doc, path);
    uint32_t base = sources_add(context->sources, path, doc.text, doc.size);
    const struct document *document = parse_text(context, base, doc.text, doc.size, &doc.parse);
    if (document && document->graph && document->dialect == r->dialect)
        for (const struct doc_mark *m = doc.marks.first; m; m = m->next)
            cover_by_mark(r, &doc, m, find_statement(document, base + (uint32_t)m->offset));
    doc_clear(&doc);
    context_free(context);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void cover_by_folder(struct registry *r, const char *path)
{
    struct dirent **entry;
    int count = scandir(path, &entry, is_visible, alphasort);

    if (count < 0)
        fail_msg("cannot read the folder %s", path);
    for (int i = 0; i < count; i++) {
        struct text below = {0};
        struct stat status;
        text_add(&below, "%s/%s", path, entry[i]->d_name);
        if (stat(below.data, &status) == 0 && S_ISDIR(status.st_mode))
            cover_by_folder(r, below.data);
        else if (strstr(entry[i]->d_name, ".nnef"))
            cover_by_document(r, below.data);
        text_free(&below);
        free(entry[i]);
    }
    free(entry);
}

/* --- what there is to be covered -------------------------------------------------------------- */

static void registry_begin(struct registry *r, enum dialect dialect)
{
    *r = (struct registry){.dialect = dialect, .context = context_new()};
    r->library = library_load(r->context, dialect);
    assert_non_null(r->library);
    r->coverage = calloc((size_t)library_count(r->library), sizeof *r->coverage);
    assert_non_null(r->coverage);
    cover_by_folder(r, documents);
}

static void registry_end(struct registry *r)
{
    free(r->coverage);
    context_free(r->context);
}

static int count_primitives(const struct registry *r)
{
    int count = 0;

    for (int i = 0; i < library_count(r->library); i++)
        count += !library_at(r->library, i)->fragment->has_body;
    return count;
}

/* An operation that is expanded consists of others, down to the primitives. */
static bool all_executable(const struct registry *r)
{
    bool ok = true;

    for (int i = 0; i < library_count(r->library); i++) {
        const struct signature *s = library_at(r->library, i);
        if (s->op ? s->op->eval || s->op->introduces : s->fragment->has_body)
            continue;
        print_error("'%s' cannot be run\n", s->name);
        ok = false;
    }
    return ok;
}

/* Of those that `needs_test` tells. */
static bool all_covered(const struct registry *r, bool (*needs_test)(const struct signature *s))
{
    bool ok = true;

    for (int i = 0; i < library_count(r->library); i++) {
        const struct signature *s = library_at(r->library, i);
        const struct coverage *c = &r->coverage[i];
        if (!needs_test(s) || (c->numeric && c->shape))
            continue;
        print_error("'%s' has no %s test below %s\n", s->name, c->shape ? "numeric" : "shape",
                    documents);
        ok = false;
    }
    return ok;
}

static bool every_operation(const struct signature *s)
{
    (void)s;
    return true;
}

static bool expanded_only(const struct signature *s)
{
    return !s->op;
}

static void every_operation_of_1_0_5_runs_and_is_tested(void **state)
{
    struct registry r;

    (void)state;
    registry_begin(&r, DIALECT_1_0);
    assert_true(library_count(r.library) >= 118);
    assert_true(count_primitives(&r) >= 73);
    assert_true(all_executable(&r));
    assert_true(all_covered(&r, every_operation));
    registry_end(&r);
}

static void every_provisional_operation_runs_and_is_tested(void **state)
{
    struct registry r;

    (void)state;
    registry_begin(&r, DIALECT_PROVISIONAL);
    assert_int_equal(library_count(r.library), 85);
    assert_int_equal(count_primitives(&r), 45);
    assert_true(all_executable(&r));
    assert_true(all_covered(&r, expanded_only));
    registry_end(&r);
}

/* They choose by order or by chance, write single items, or look at bits or at computed places, for
 * which NNEF has nothing; or add what scalars round, which only plans do. */
static bool is_beyond_nnef(const struct op_desc *op)
{
    static const enum op_id beyond[] = {OP_topk,          OP_scatter_elements, OP_scatter_nd,
                                        OP_grid_sample,   OP_roi_pool,         OP_deform_conv,
                                        OP_determinant,   OP_bits_of_scalar,   OP_scalar_of_bits,
                                        OP_quantized_add, OP_quantized_mul,    OP_quantized_matmul,
                                        OP_quantized_conv};

    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        if (op->id == beyond[i])
            return true;
    return op->traits & OP_RANDOM;
}

/* So that it can be said by operations of NNEF, whatever the document that is written. */
static void other_extensions_have_a_body_or_are_unrolled(void **state)
{
    struct context *context = context_new();
    const struct library *library = library_load(context, DIALECT_1_0);
    const struct graph *graph = graph_new(context, "registry");
    int extensions = 0;

    (void)state;
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op_desc *op = op_table[i];
        /* Of those on integers test_integers.c speaks: their bounds decide. */
        bool bounded = op_attr_row(op, ATTR_bits) || op->id == OP_quantized_matmul ||
                       op->id == OP_quantized_conv;
        if (!(op->traits & OP_EXTENSION) || bounded)
            continue;
        extensions++;
        if (lower_can_replace(graph, library, op) == is_beyond_nnef(op))
            fail_msg("'%s' has neither, or should not", op->name);
    }
    assert_true(extensions > 5);
    context_free(context);
}

static void there_are_hundreds_of_cases(void **state)
{
    int cases = 0;

    (void)state;
    for (int dialect = DIALECT_1_0; dialect <= DIALECT_PROVISIONAL; dialect++) {
        struct registry r;
        registry_begin(&r, (enum dialect)dialect);
        cases += r.cases;
        registry_end(&r);
    }
    print_message("%d cases below %s\n", cases, documents);
    assert_true(cases >= LEAST_CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_of_1_0_5_runs_and_is_tested),
        cmocka_unit_test(every_provisional_operation_runs_and_is_tested),
        cmocka_unit_test(other_extensions_have_a_body_or_are_unrolled),
        cmocka_unit_test(there_are_hundreds_of_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
