/* listing.c - reads folders and finds near names in them */
#include "file/listing.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/diag.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct listing listing_of(const char *folder, const char *suffix)
{
    struct listing listing = {0};
    DIR *dir = opendir(*folder ? folder : ".");
    size_t tail = strlen(suffix);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) { /* NOLINT(concurrency-mt-unsafe) */
        const char *name = entry->d_name;
        if (name[0] == '.' || !text_ends_in(name, suffix))
            continue;
        listing.names = heap_list(listing.names, listing.count, sizeof *listing.names);
        listing.names[listing.count++] = text_copy(name, strlen(name) - tail);
    }
    if (dir)
        closedir(dir);
    if (listing.count > 0)
        qsort(listing.names, (size_t)listing.count, sizeof *listing.names, by_name);
    return listing;
}

void listing_free(struct listing *listing)
{
    for (int i = 0; i < listing->count; i++)
        free(listing->names[i]);
    free(listing->names);
    *listing = (struct listing){0};
}

static const char *name_at(int index, const void *data)
{
    const struct listing *listing = data;

    return index < listing->count ? listing->names[index] : NULL;
}

const char *listing_nearest(const struct listing *listing, const char *name)
{
    assert(name);
    return num_nearest(name, name_at, listing);
}

void listing_help(struct diag *diag, const char *path)
{
    struct text folder = {0}, name = {0}, meant = {0};

    if (!diag_wants_help(diag))
        return;
    /* Split `path` at its first component that does not exist: `folder`, `name`, and a rest. */
    const char *at = path + (*path == '/'), *end = at + strcspn(at, "/");
    struct text whole = {0};
    text_add_bytes(&whole, path, (size_t)(end - path));
    while (*end && access(whole.data, F_OK) == 0) {
        at = end + 1;
        end = at + strcspn(at, "/");
        text_add(&whole, "/%.*s", (int)(end - at), at);
    }
    text_free(&whole);
    text_add_bytes(&folder, path, (size_t)(at - path));
    text_add_bytes(&name, at, (size_t)(end - at));
    struct listing listing = listing_of(folder.data, "");
    const char *near = listing_nearest(&listing, name.data);
    if (near)
        text_add(&meant, "%s%s%s", folder.data, near, path + folder.size + name.size);
    if (near && access(meant.data, F_OK) == 0)
        diag_help(diag, "did you mean '%s'?", meant.data);
    listing_free(&listing);
    text_free(&meant);
    text_free(&name);
    text_free(&folder);
}
