/*
 * libarchive.h - the functions of libarchive that are called, as a table, without the prefix
 * "archive_"
 *
 * libarchive needs libraries of its own (libxml2, ICU, libstdc++ and eight more) whose loading
 * takes longer than most runs of nnefc.  So the program and the shared library load it when the
 * first archive is opened, from where the dynamic linker finds libraries.  The static library is
 * linked with it.
 */
#ifndef NNEFC_FILE_LIBARCHIVE_H
#define NNEFC_FILE_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#define LIBARCHIVE_FUNCTIONS(CALL)         \
    CALL(entry_filetype)                   \
    CALL(entry_free)                       \
    CALL(entry_hardlink)                   \
    CALL(entry_new)                        \
    CALL(entry_pathname)                   \
    CALL(entry_pathname_utf8)              \
    CALL(entry_set_filetype)               \
    CALL(entry_set_pathname)               \
    CALL(entry_set_perm)                   \
    CALL(entry_set_size)                   \
    CALL(entry_size)                       \
    CALL(entry_size_is_set)                \
    CALL(entry_symlink)                    \
    CALL(error_string)                     \
    CALL(read_data_block)                  \
    CALL(read_free)                        \
    CALL(read_new)                         \
    CALL(read_next_header2)                \
    CALL(read_open_memory)                 \
    CALL(read_support_filter_bzip2)        \
    CALL(read_support_filter_compress)     \
    CALL(read_support_filter_gzip)         \
    CALL(read_support_filter_lz4)          \
    CALL(read_support_filter_lzip)         \
    CALL(read_support_filter_lzma)         \
    CALL(read_support_filter_xz)           \
    CALL(read_support_filter_zstd)         \
    CALL(read_support_format_tar)          \
    CALL(read_support_format_zip_seekable) \
    CALL(write_add_filter_gzip)            \
    CALL(write_close)                      \
    CALL(write_data)                       \
    CALL(write_fail)                       \
    CALL(write_free)                       \
    CALL(write_header)                     \
    CALL(write_new)                        \
    CALL(write_open)                       \
    CALL(write_set_bytes_in_last_block)    \
    CALL(write_set_filter_option)          \
    CALL(write_set_format_pax_restricted)  \
    CALL(write_set_format_zip)             \
    CALL(write_zip_set_compression_store)

struct libarchive {
#define CALL(function) __typeof__(archive_##function) *function;
    LIBARCHIVE_FUNCTIONS(CALL)
#undef CALL
};

/*
 * Fill in the table.  False if libarchive cannot be loaded; *why is then a sentence that is valid
 * until the thread calls again.  What is loaded stays until the process ends: to load it again
 * would take as long as the first time.
 */
bool libarchive_load(struct libarchive *libarchive, const char **why);

#endif
