/* missing.c - what is said of folders without a document */
#include "file/missing.h"

#include "base/text.h"
#include "diag/diag.h"
#include "file/label.h"
#include "file/listing.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Where it cannot be told, it is left to be found out by opening the file. */
static bool is_absent(const char *path)
{
    struct stat status;

    return lstat(path, &status) != 0 && errno == ENOENT;
}

static bool has_in_another_case(const char *folder, const char *file)
{
    struct listing all = listing_of(folder, "");
    bool found = false;

    for (int i = 0; i < all.count && !found; i++)
        found = strlen(all.names[i]) == strlen(file) && label_equal(all.names[i], file);
    listing_free(&all);
    return found;
}

/* `start` ends in '/'. */
static void help(struct diag *diag, const char *folder, const char *start)
{
    struct listing documents = listing_of(folder, ".nnef");
    const char *near = listing_nearest(&documents, "graph");

    if (!near && documents.count == 1)
        near = documents.names[0];
    if (near)
        diag_help(diag, "pass '%s%s.nnef', which is there.", start, near);
    listing_free(&documents);
}

bool document_missing(struct diag *diag, const char *folder, const char *file)
{
    struct text path = {0};
    size_t size = strlen(folder);

    text_add(&path, "%s%s", folder, size > 0 && folder[size - 1] == '/' ? "" : "/");
    size = path.size;
    text_add(&path, "%s", file);
    bool absent = is_absent(path.data) && !has_in_another_case(folder, file);
    if (absent) {
        diag_file_error(diag, path.data, DIAG_CANNOT_READ, "the folder has no document '%s'", file);
        path.data[size] = '\0';
        help(diag, folder, path.data);
    }
    text_free(&path);
    return absent;
}
