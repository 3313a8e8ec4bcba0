/*
 * nnef_test.c - runs NNEF documents with marks; support/doc.h says what the marks mean
 *
 *     nnef_test [-v] [--passes|--backend=portable|--empty|--emit-c=CC [--small]] FILE|FOLDER...
 *
 * With --passes, passes rewrite the graphs of those that have values; support/doc_rewrite.h says
 * how. With --backend, the portable one computes them, too; support/doc_backend.h says how. With
 * --empty, extents of their externals are 0; support/doc_empty.h says how. With --emit-c, they are
 * written as C, with --small for little memory, and compiled by CC all together; support/doc_emit.h
 * says how. Folders are searched for *.nnef; a document with an .ast file beside it belongs to the
 * tests of the parser.
 */
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/doc_emit.h"
#include "support/doc_empty.h"
#include "support/files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tally {
    bool verbose, rewrites, planned, empty;
    const char *compiler; /* of --emit-c; NULL */
    bool small;
    struct doc_emitter *emitter;
    int passed, failed, refused;
};

static bool belongs_to_parser(const char *path)
{
    struct text ast = {0};

    text_add(&ast, "%.*s.ast", (int)(strlen(path) - strlen(".nnef")), path);
    bool found = access(ast.data, F_OK) == 0;
    text_free(&ast);
    return found;
}

/* What has no form in C is listed, and no failure. */
static bool emit(struct tally *tally, struct doc *doc)
{
    struct text why = {0};
    bool ok = !doc->has_values || doc_emit(tally->emitter, doc, &why);

    if (why.size > 0)
        printf("skipped: %s: %s\n", doc->path, why.data);
    tally->refused += why.size > 0;
    tally->passed -= why.size > 0 && ok;
    text_free(&why);
    return ok;
}

static bool run_one(struct tally *tally, struct doc *doc)
{
    if (tally->compiler)
        return emit(tally, doc);
    if (tally->rewrites)
        return !doc->has_values || doc_rewrite(doc);
    if (tally->planned)
        return !doc->has_values || doc_run_planned(doc);
    if (tally->empty)
        return !doc->has_values || doc_run_empty(doc);
    return doc_run(doc);
}

static void run_document(void *to, const char *path)
{
    struct tally *tally = to;
    struct doc doc;

    if (belongs_to_parser(path))
        return;
    if (tally->verbose) {
        printf("%s: ", path);
        fflush(stdout);
    }
    doc_read(&doc, path);
    bool ok = run_one(tally, &doc);
    *(ok ? &tally->passed : &tally->failed) += 1;
    if (tally->verbose)
        puts(ok ? "ok" : "FAILED");
    if (!ok)
        fputs(doc.complaints.data, stdout);
    doc_clear(&doc);
}

static bool read_option(struct tally *tally, const char *option)
{
    if (strcmp(option, "-v") == 0)
        return tally->verbose = true;
    if (strcmp(option, "--passes") == 0)
        return tally->rewrites = true;
    if (strcmp(option, "--small") == 0)
        return tally->small = true;
    if (strcmp(option, "--empty") == 0)
        return tally->empty = true;
    if (strncmp(option, "--emit-c=", strlen("--emit-c=")) == 0)
        return *(tally->compiler = option + strlen("--emit-c="));
    return strcmp(option, "--backend=portable") == 0 && (tally->planned = true);
}

/* What the C of all documents together computes. */
static void run_emitted(struct tally *tally)
{
    struct text complaints = {0};
    int failed = doc_emitter_run(tally->emitter, tally->compiler, &complaints);

    tally->passed -= failed;
    tally->failed += failed;
    if (complaints.size > 0)
        fputs(complaints.data, stdout);
    text_free(&complaints);
}

int main(int argc, char *argv[])
{
    struct tally tally = {0};
    bool ok = true;
    int first = 1;

    for (; first < argc && argv[first][0] == '-'; first++)
        ok &= read_option(&tally, argv[first]);
    if (!ok || first == argc) {
        fputs("usage: nnef_test [-v] [--passes|--backend=portable|--empty|--emit-c=CC] "
              "FILE|FOLDER...\n",
              stderr);
        return 2;
    }
    tally.emitter = doc_emitter_new(tally.small);
    for (int i = first; i < argc; i++)
        tally.failed += !files_below(argv[i], ".nnef", run_document, &tally);
    if (tally.compiler)
        run_emitted(&tally);
    doc_emitter_free(tally.emitter);
    printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.refused);
    return tally.failed > 0;
}
