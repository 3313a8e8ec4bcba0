/* listing.h - the files of a folder, to suggest a name for one that does not exist */
#ifndef NNEFC_FILE_LISTING_H
#define NNEFC_FILE_LISTING_H

struct diag;

/* Names in the order of strcmp(). */
struct listing {
    char **names;
    int count;
};

/*
 * The names in `folder` that end in `suffix`, without the suffix; hidden files are left out.  Empty
 * if the folder cannot be read.  listing_free() frees it.
 */
struct listing listing_of(const char *folder, const char *suffix);
void listing_free(struct listing *listing);

/* The name nearest to `name`, which lives as long as the listing; NULL if none is near. */
const char *listing_nearest(const struct listing *listing, const char *name);

/*
 * Add help to the last report, which says that `path` does not exist: a path that exists and
 * differs in one component.
 */
void listing_help(struct diag *diag, const char *path);

#endif
