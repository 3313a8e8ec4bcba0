/*
 * store.h - the place of the files of a model: a folder or an archive (NNEF 1.0.5, section 5.1)
 *
 * An archive is recognised by its content and never unpacked to disk.  Its files may lie in one
 * common folder; files that are no part of the model are ignored.  Only regular files are read, and
 * nothing outside the folder, whatever labels and symbolic links say.  A text larger than the limit
 * on texts is not read.
 *
 * A store is not safe for use by several threads at once.
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
 * Open the model `path`: a folder, an archive, or a document whose data lie in the same folder. "-"
 * is stdin, with an archive or a document without data.  NULL after a report.
 */
struct store *store_open(struct diag *diag, const struct limits *limits, const char *path);

/* Open the data `path`: a folder, which need not exist yet, or an archive.  NULL after a report. */
struct store *store_open_data(struct diag *diag, const struct limits *limits, const char *path);

/* Views of members of an archive become invalid.  NULL is allowed. */
void store_close(struct store *store);

/* Bytes that a file of a folder may take from now on, if it is read and not mapped; the limit on
 * memory at first. */
void store_set_budget(struct store *store, int64_t budget);

/* Bytes of memory that files read from an archive take. */
int64_t store_memory(const struct store *store);

/* Whether there is a folder or archive to look for data in. */
bool store_has_data(const struct store *store);

/* The folder of the model; NULL if there is none, as for an archive. */
const char *store_folder(const struct store *store);

/*
 * The bytes of a document that was opened by its own path, valid until store_document() or
 * store_close(); else NULL.
 */
const struct file_view *store_file(const struct store *store);

/*
 * The text of the document; may be called once.  *data has a NUL after its *size bytes; the caller
 * frees it.  False after a report.
 */
bool store_document(struct diag *diag, struct store *store, char **data, size_t *size);

/* The name of the document in diagnostics; lives as long as the store. */
const char *store_document_name(const struct store *store);

/* The path of the document once it was read; "-" is stdin.  NULL for an archive. */
const char *store_document_path(const struct store *store);

/* As store_document() for another text, such as "graph.quant"; *data is NULL if there is none. */
bool store_text(struct diag *diag, struct store *store, const char *file, char **data,
                size_t *size);

/*
 * Read the files of these labels from an archive, in one pass.  store_data() reports missing ones
 * later.  For a folder nothing is done.  False after a report.
 */
struct store_order {
    const char *const *labels;
    int count;
    int64_t limit; /* bytes of all files together */
};
bool store_prepare(struct diag *diag, struct store *store, const struct store_order *order);

/*
 * Open the file of a label.  The caller closes the view, which must not outlive the store, and
 * frees the path, which is for diagnostics.  On failure there is neither.  If `fault` is not NULL,
 * it is stored in *fault and not reported that there is no such file or that it may not be read;
 * every other failure is reported.
 */
bool store_data(struct diag *diag, struct store *store, const char *label, struct found_file *found,
                struct path_fault *fault);

/* The data of a label are in the file of another one. */
struct label_alias {
    const char *label, *stored;
    const struct label_alias *next;
};

/* From now on the three functions around this one go by the aliases, which outlive the store. */
void store_set_aliases(struct store *store, const struct label_alias *aliases);

/* Whether there is a file of the label, sound or not, or may be one in a folder that cannot be
 * looked through; nothing is reported. */
bool store_holds(const struct store *store, const char *label);

/* The file in a folder that has the data of a label, to be freed; NULL: there is none. */
char *store_data_path(const struct store *store, const char *label);

/*
 * A label that may have been meant by `label`, which has no file; the caller frees it.  NULL if
 * none is near.
 */
char *store_nearest(const struct store *store, const char *label);

#endif
