/*
 * nnef_test.c - runs NNEF documents with marks; support/doc.h says what the marks mean
 *
 *     nnef_test [-v] FILE|FOLDER...
 *
 * Folders are searched for *.nnef; a document with an .ast file beside it belongs to the tests of
 * the parser.
 */
#include "support/doc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tally {
    bool verbose;
    int passed, failed;
};

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);

    return size >= tail && strcmp(text + size - tail, end) == 0;
}

static bool belongs_to_parser(const char *path)
{
    struct text ast = {0};

    text_add(&ast, "%.*s.ast", (int)(strlen(path) - strlen(".nnef")), path);
    bool found = access(ast.data, F_OK) == 0;
    text_free(&ast);
    return found;
}

static void run_document(struct tally *tally, const char *path)
{
    struct doc doc;

    if (tally->verbose) {
        printf("%s: ", path);
        fflush(stdout);
    }
    doc_read(&doc, path);
    bool ok = doc_run(&doc);
    *(ok ? &tally->passed : &tally->failed) += 1;
    if (tally->verbose)
        puts(ok ? "ok" : "FAILED");
    if (!ok)
        fputs(doc.complaints.data, stdout);
    doc_clear(&doc);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(struct tally *tally, const char *path);

static void run_folder(struct tally *tally, const char *path)
{
    struct dirent **entry;
    int count = scandir(path, &entry, is_visible, alphasort);

    for (int i = 0; i < count; i++) {
        struct text below = {0};
        text_add(&below, "%s/%s", path, entry[i]->d_name);
        run_path(tally, below.data);
        text_free(&below);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static void run_path(struct tally *tally, const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        printf("%s: cannot be read\n", path);
        tally->failed++;
    } else if (S_ISDIR(status.st_mode)) {
        run_folder(tally, path);
    } else if (ends_with(path, ".nnef") && !belongs_to_parser(path)) {
        run_document(tally, path);
    }
}

int main(int argc, char *argv[])
{
    struct tally tally = {.verbose = argc > 1 && strcmp(argv[1], "-v") == 0};
    int first = tally.verbose ? 2 : 1;

    if (first == argc) {
        fputs("usage: nnef_test [-v] FILE|FOLDER...\n", stderr);
        return 2;
    }
    for (int i = first; i < argc; i++)
        run_path(&tally, argv[i]);
    printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
    return tally.failed > 0;
}
