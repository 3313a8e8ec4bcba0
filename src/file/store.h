/*
 * store.h - where the files of a model are: a folder, or an archive (NNEF 1.0.5, section 5.1)
 *
 * An archive is known by its content, whatever its name, and never unpacked to disk.  Its files
 * may lie in one folder around all of them; files that are no part of the model do not matter.
 * Nothing outside the folder is read, whatever labels and symbolic links say, and in it nothing but
 * regular files.  A text is not read if it is larger than the limit on texts.
 */
#ifndef NNEFC_FILE_STORE_H
#define NNEFC_FILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct file_view;
struct found_file;
struct limits;
struct path_fault;
struct store;

/*
 * The model `path`: a folder, an archive, or a document whose data are in the folder that it is
 * in; "-" is an archive or a document without data on stdin.  NULL after a report.
 */
struct store *store_open(struct diag *diag, const struct limits *limits, const char *path);

/* The data `path`: a folder, which need not be there yet, or an archive.  NULL after a report. */
struct store *store_open_data(struct diag *diag, const struct limits *limits, const char *path);

/* What was handed out of an archive ends with it.  NULL is allowed. */
void store_close(struct store *store);

/* Bytes of memory that the files of an archive take which were made ready. */
int64_t store_memory(const struct store *store);

/* Whether there is a place to look for data in. */
bool store_has_data(const struct store *store);

/* NULL for an archive. */
const char *store_folder(const struct store *store);

/* The bytes of a document that is a file of its own, as long as the store lasts and its text is not
 * asked for; else NULL. */
const struct file_view *store_file(const struct store *store);

/*
 * The text of the document, to be asked for once: *data has a NUL after its *size bytes and is the
 * caller's to free.  False after a report.
 */
bool store_document(struct diag *diag, struct store *store, char **data, size_t *size);

/* What diagnostics call it; lives as long as the store. */
const char *store_document_name(const struct store *store);

/* The file it was read from, once it was; "-" is stdin, and of an archive there is none: NULL. */
const char *store_document_path(const struct store *store);

/* The same for another text, such as "graph.quant"; *data is NULL if there is none. */
bool store_text(struct diag *diag, struct store *store, const char *file, char **data,
                size_t *size);

/*
 * Make the files of these labels ready, an archive in one pass; those that are missing are left to
 * store_data().  False after a report, also if an archive has more than `limit` bytes of them.
 */
struct store_order {
    const char *const *labels;
    int count;
    int64_t limit;
};
bool store_prepare(struct diag *diag, struct store *store, const struct store_order *order);

/*
 * The file of a label.  The view is the caller's to close, though bytes of an archive remain the
 * store's; the path is what diagnostics call the file, to be freed.  False, with neither, after a
 * report; that there is no such file, or none that may be read, is left in *fault, which may be
 * NULL, instead of being reported.
 */
bool store_data(struct diag *diag, struct store *store, const char *label, struct found_file *found,
                struct path_fault *fault);

/* Whether there is a file of the label, be it in order or not; nothing is reported. */
bool store_holds(const struct store *store, const char *label);

/* The label that may have been meant by one that has no file, to be freed; NULL if none is near. */
char *store_nearest(const struct store *store, const char *label);

#endif
