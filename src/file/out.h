/*
 * out.h - writes files: all files of a set, each of them whole, or none
 *
 *     struct out_set set = {.diag = diag};
 *     struct out_file *file = out_open(&set, path);
 *     bool ok = file && put_text(file);
 *     return out_commit(&set, ok);
 *
 * A new file has no name, or a temporary one that no other process has, until the set is committed.
 * A commit
 *
 *   1. writes every file to disk, and streams (devices, pipes, stdout) to their readers,
 *   2. sets aside the files of these names from before: NAME becomes NAME.old-HEX, last one first,
 *   3. gives the new files their names, the last one last, and removes what was set aside.
 *
 * If a step fails, the names are what they were.  If the process is killed between 2 and 3, the old
 * or the new files of the set are not all there, so a reader misses one and cannot take some of
 * both: callers open the file last that leads to the others.  A set of one file is replaced in one
 * step, without 2.  Processes that commit sets to one folder take turns.  Nothing is allocated
 * between the first rename and the last; if memory runs out before, the set is discarded.
 *
 * Every failure is reported here, with the name that the caller gave.
 */
#ifndef NNEFC_FILE_OUT_H
#define NNEFC_FILE_OUT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct folder_file;
struct out_file;

/* Where a writer puts bytes, piece by piece.  The owner of the sink reports failures at the end. */
struct sink {
    const char *name; /* for diagnostics */
    void (*put)(void *to, const void *data, size_t size);
    void *to;
};

/* Begins with `diag` and `force`; out_commit() in any case.  It stays where it is until then. */
struct out_set {
    struct diag *diag;
    bool force; /* files that were read for `diag` (diag_add_input()) may be replaced, too */
    struct out_file **file;
    int count, finished; /* files, and how many of them are on disk and closed */
    struct undo undo;    /* if memory runs out, as out_commit() of a set that is not ok */
};

/*
 * A new file of the set, which is written before the next one is opened; NULL after a report.  "-"
 * is stdout.  If the target exists and is not a
 * regular file (a device, a pipe), or a descriptor (/dev/stdout, /dev/fd/N), it is written
 * directly.  The target of a symbolic link is replaced and not the link.  Permissions stay those of
 * the file from before.
 */
struct out_file *out_open(struct out_set *set, const char *path);

/* Whether out_open() would write it directly, so that no file can be beside it. */
bool out_is_stream(const char *path);

/* The same below a model folder, as path_make() does: missing folders are made. */
struct out_file *out_open_in(struct out_set *set, const struct folder_file *place);

/* Nothing replaces the file of this name: a commit removes it, if it is there. */
void out_remove(struct out_file *file);

/* The first failed write is remembered and reported by out_commit(). */
void out_write(struct out_file *file, const void *data, size_t size);
struct sink out_sink(struct out_file *file);

/* Commit the set, or if not `ok` discard it; it is empty then.  False unless all files are there.
 */
bool out_commit(struct out_set *set, bool ok);

#endif
