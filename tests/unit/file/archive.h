/* archive.h - archives of whatever members a test asks for, made by libarchive */
#ifndef NNEFC_TESTS_UNIT_TENSOR_ARCHIVE_H
#define NNEFC_TESTS_UNIT_TENSOR_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "unit/base/scratch.h"

/* A list of members ends with {0}. */
struct entry {
    const char *name;
    const char *text; /* of a file; where a link leads to */
    enum { ENTRY_FILE, ENTRY_FOLDER, ENTRY_SYMLINK, ENTRY_HARDLINK, ENTRY_FIFO } type;
    size_t size; /* 0: that of the text */
};

static inline void archive_set_type(struct archive_entry *to, const struct entry *entry)
{
    static const unsigned types[] = {[ENTRY_FILE] = AE_IFREG,
                                     [ENTRY_FOLDER] = AE_IFDIR,
                                     [ENTRY_SYMLINK] = AE_IFLNK,
                                     [ENTRY_HARDLINK] = AE_IFREG,
                                     [ENTRY_FIFO] = AE_IFIFO};

    archive_entry_set_filetype(to, types[entry->type]);
    if (entry->type == ENTRY_SYMLINK)
        archive_entry_set_symlink(to, entry->text);
    if (entry->type == ENTRY_HARDLINK)
        archive_entry_set_hardlink(to, entry->text);
}

static inline void archive_add(struct archive *archive, const struct entry *entry)
{
    struct archive_entry *header = archive_entry_new();
    bool is_file = entry->type == ENTRY_FILE && entry->text;
    size_t size = is_file && !entry->size ? strlen(entry->text) : entry->size;

    archive_entry_set_pathname(header, entry->name);
    archive_set_type(header, entry);
    archive_entry_set_perm(header, 0644);
    archive_entry_set_size(header, is_file ? (la_int64_t)size : 0);
    assert_int_equal(archive_write_header(archive, header), ARCHIVE_OK);
    if (is_file)
        assert_int_equal(archive_write_data(archive, entry->text, size), size);
    archive_entry_free(header);
}

/* A file of the folder; `zip` or tar with an ARCHIVE_FILTER_... */
static inline const char *archive_put(struct scratch *s, const char *name, int filter,
                                      const struct entry *entries)
{
    struct archive *archive = archive_write_new();

    assert_int_equal(archive_write_add_filter(archive, filter), ARCHIVE_OK);
    if (strstr(name, ".zip") || strstr(name, ".npz"))
        assert_int_equal(archive_write_set_format_zip(archive), ARCHIVE_OK);
    else
        assert_int_equal(archive_write_set_format_gnutar(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, scratch_path(s, name)), ARCHIVE_OK);
    for (; entries->name; entries++)
        archive_add(archive, entries);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    return s->path;
}

#endif
