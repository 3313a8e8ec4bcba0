/*
 * container.h - archives of files: models packed by tar (NNEF 1.0.5, section 5.1), NumPy's .npz
 *
 * Nothing is unpacked to disk.  container_open() reads the list of members, container_fetch() the
 * bytes of those that a caller marks.  Names are normalized: "./" and repeated '/' are dropped, '\'
 * becomes '/'.  An archive is refused if a name is absolute or has a component "..", or if a link
 * leads out of the archive.  If several members have one name, the last counts, as in tar.  The
 * total size of the members is limited, in proportion to the size of the archive; each size is
 * checked before memory is allocated for it.
 *
 * A container is not safe for use by several threads at once.
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
    CONTAINER_TAR, /* plain or compressed in a form that libarchive decodes without a program */
    CONTAINER_ZIP,
};

/* Decides by the first bytes of the file, or for an old tar by the checksum of its header. */
enum container_form container_recognise(const struct file_view *file);

struct container;

struct archive_member {
    char *name;            /* normalized, owned */
    int64_t size;          /* bytes */
    bool is_file;          /* false for links and devices, which are not followed */
    bool wanted;           /* the next container_fetch() reads the bytes */
    size_t ordinal;        /* position in the archive, from 1 */
    struct file_view view; /* the bytes; data is NULL until they are read */
};

/*
 * Open the archive in *file and take over *file.  Diagnostics call it `name`.  Members whose name
 * `eager` accepts are read at once unless they are large; `eager` may be NULL.  Returns NULL after
 * a report; *file is closed then.
 */
struct container *container_open(struct diag *diag, const struct limits *limits, const char *name,
                                 struct file_view *file, bool (*eager)(const char *name));
void container_close(struct container *container); /* NULL is allowed */

/* The name in diagnostics; it lives as long as the container. */
const char *container_name(const struct container *container);

/* Members in the order of label_compare(), links and devices included; index < count. */
size_t container_count(const struct container *container);
struct archive_member *container_at(const struct container *container, size_t index);

/* Bytes of memory that the members read so far take. */
int64_t container_memory(const struct container *container);

/* The member of that name, else one whose name differs only in case; NULL if there is none. */
struct archive_member *container_find(const struct container *container, const char *name);

/* The same, but case counts. */
struct archive_member *container_find_exact(const struct container *container, const char *name);

/*
 * Read all members marked `wanted` in one pass over the archive, and clear the marks.  False after
 * a report, for example if they have more than `limit` bytes in total.
 */
bool container_fetch(struct diag *diag, struct container *container, int64_t limit);

/* The bytes of a member that was read, valid until the container is closed. */
struct file_view container_view(const struct archive_member *member);

/*
 * The bytes of a member that was read, followed by a NUL; the caller closes the view.  The member
 * counts as unread afterwards.
 */
struct file_view container_take(struct archive_member *member);

#endif
