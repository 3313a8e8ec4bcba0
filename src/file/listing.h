/* listing.h - names in folders, to suggest one for a name that does not exist */
#ifndef NNEFC_FILE_LISTING_H
#define NNEFC_FILE_LISTING_H

struct diag;

/* Names in the order of strcmp(). */
struct listing {
    char **names;
    int count;
};

/*
 * The names in `folder`, but for hidden ones, that end in `suffix`, which is cut off; none if the
 * folder cannot be read.
 */
struct listing listing_of(const char *folder, const char *suffix);
void listing_free(struct listing *listing);

/* The name nearest to `name`, as long as the listing lasts; NULL if none is near. */
const char *listing_nearest(const struct listing *listing, const char *name);

/* Help for the last report, that `path` does not exist: a path that exists and is near. */
void listing_help(struct diag *diag, const char *path);

#endif
