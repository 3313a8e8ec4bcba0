/*
 * container.h - archives of files: models packed by tar (NNEF 1.0.5, section 5.1), NumPy's .npz
 *
 * Nothing is unpacked to disk.  The list of members is read when an archive is opened, their bytes
 * when they are asked for.  In names "./" and doubled '/' are dropped and '\' is '/'; an
 * archive with an absolute name, a component ".." or a link that leads out of it is refused.  Of
 * several members of one name the last counts, as it does for tar.  What an archive may unpack to
 * is limited, and more for a large one; every size is checked before there is memory for it.
 */
#ifndef NNEFC_FILE_CONTAINER_H
#define NNEFC_FILE_CONTAINER_H

#include "file/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct limits;

enum container_form {
    CONTAINER_NONE,
    CONTAINER_TAR, /* perhaps compressed, by whatever libarchive undoes by itself */
    CONTAINER_ZIP,
};

/* By the first bytes. */
enum container_form container_recognise(const struct file_view *file);

struct container;

struct archive_member {
    char *name;
    int64_t size;
    bool is_file;          /* else a link or device, which is not followed */
    bool wanted;           /* by the next container_fetch() */
    size_t ordinal;        /* in the archive */
    struct file_view view; /* the bytes; data NULL: not read yet */
};

/*
 * Take over *file, which diagnostics call `name`.  Members that `eager` (which may be NULL) picks
 * are read at once unless they are large.  NULL after a report, with *file closed.
 */
struct container *container_open(struct diag *diag, const struct limits *limits, const char *name,
                                 struct file_view *file, bool (*eager)(const char *name));
void container_close(struct container *container); /* NULL is allowed */

const char *container_name(const struct container *container);

/* In the order of label_compare(), links and devices included. */
size_t container_count(const struct container *container);
struct archive_member *container_at(const struct container *container, size_t index);

/* Bytes of memory that members which were read take. */
int64_t container_memory(const struct container *container);

/* The member of that name, or else one that differs in case only; NULL if there is none. */
struct archive_member *container_find(const struct container *container, const char *name);

/*
 * Read all members marked `wanted`, in one pass, and clear the marks.  False after a report, also
 * if they take more than `limit` bytes altogether.
 */
bool container_fetch(struct diag *diag, struct container *container, int64_t limit);

/* The bytes of a member that was read, valid until the container is closed. */
struct file_view container_view(const struct archive_member *member);

/* The same, with a NUL behind, for the caller to close; the member is as if never read. */
struct file_view container_take(struct archive_member *member);

#endif
