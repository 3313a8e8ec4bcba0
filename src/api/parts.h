/* parts.h - the files that a model is made of, on their way into an archive or a folder */
#ifndef NNEFC_API_PARTS_H
#define NNEFC_API_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct item_format;
struct nnefc_model;
struct tensor;

/* One of: a text, the data of a label as they are stored, a tensor, nothing. */
struct part {
    char *name;                       /* in the folder of the model; the part's own */
    const char *text;                 /* not NULL: a text */
    size_t size;                      /* of the text */
    const struct tensor *tensor;      /* not NULL: a tensor */
    const struct item_format *format; /* of its items; NULL: that of its type */
    const char *label;                /* of the data of the model, otherwise */
    bool removed;                     /* an empty text: a file of this name is removed */
};

/* Starts as {0}. */
struct parts {
    struct part *part;
    int count;
};

/* Texts and labels must last as long as the parts. */
void parts_add_text(struct parts *parts, const char *name, const char *text, size_t size);

/* The data of the model's `label` in the file of `as`, another or the same one. */
void parts_add_data(struct parts *parts, const char *label, const char *as);

/* A tensor, as the file of a label; `format` NULL: that of its type. */
void parts_add_tensor(struct parts *parts, const struct tensor *tensor,
                      const struct item_format *format, const char *label);

/* A file of a folder that is there from before, and that the model does not have. */
void parts_remove(struct parts *parts, const char *name);
void parts_free(struct parts *parts);

/* Is an archive what a file of this name is to be? */
bool parts_are_packed(const char *path);

/*
 * Write all of them: in the order of their names into an archive, tar if `path` ends in ".tar",
 * else compressed by gzip; or below a folder, which is made if it is not there, as a set
 * (file/out.h) with the last part last.  `other`, if not NULL, is another document of that folder:
 * data that are there are not replaced by different ones.  False after a report.
 */
bool parts_pack(struct nnefc_model *model, struct parts *parts, const char *path);
bool parts_place(struct nnefc_model *model, const struct parts *parts, const char *folder,
                 const char *other);

#endif
