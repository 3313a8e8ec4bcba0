/*
 * record.h - the findings of a command, and the one writer that prints them
 *
 * A command builds a record: a tree of objects, lists and values.  JSON has every member except
 * those whose key begins with '.', which only layouts use.  A layout prints a record as text or
 * Markdown.  It is a string in which braces stand for members:
 *
 *     {key}          the value; null is "unknown"
 *     {key:FORMAT}   the value in another form: .6g, 8.1f, 5d, -10s as for printf; 5.1% a share in
 *                    percent; amount and bytes, which add a short form as in 12345 (12.3 K); word,
 *                    without blanks; html, with entities; indent, by four columns; wrap80, broken
 *                    into lines
 *     {key:#}        how many items a list has
 *     {key:shape}    a list of extents as in [1,3,?]; null is [...]
 *     {key?LAYOUT}   if there is such a member that is neither null, false nor empty
 *     {key!LAYOUT}   otherwise
 *     {key*LAYOUT}   once for each item of a list, {} being the item; once inside of an object
 *     {@LAYOUT}      with tabs that align columns, two blanks apart
 *
 * A key is looked for in the innermost item first, then in the records around it.  Without memory
 * for a record the program ends (memory.h).
 */
#ifndef NNEFC_DRIVER_RECORD_H
#define NNEFC_DRIVER_RECORD_H

#include "nnefc/nnefc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON };

/* Over many lines; in one line, with as many digits as floats or doubles need; without blanks. */
enum json_style { JSON_LINES, JSON_FLOATS, JSON_DOUBLES, JSON_DENSE };

/*
 * The text with bytes as in "\x1B" for control characters, unless they are among those `kept`, and
 * for what is no UTF-8; with NULL for the latter alone.  To be freed.
 */
char *text_escaped(const char *text, const char *kept);

/* Print a blank, and the text as one word of a shell: in quotes if it needs them. */
void print_word(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* How a kind of record is printed in each form. */
struct view {
    const char *text, *markdown; /* layouts; NULL: it is not printed in this form */
    enum json_style json;
};

struct record;

/* The caller's to print or free. */
struct record *record_new_object(void);
void record_free(struct record *record);

/*
 * Add a member to an object under `key`, which has to live as long as the record, or an item to a
 * list under NULL.  Texts are copied; of a text that is NULL the value is null.  Tensors are not
 * copied.  Integers above INT64_MAX are texts, as the library for JSON has no such numbers.
 */
struct record *record_object(struct record *to, const char *key);
struct record *record_list(struct record *to, const char *key);
void record_text(struct record *to, const char *key, const char *text);
void record_print_to(struct record *to, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void record_bool(struct record *to, const char *key, bool value);
void record_integer(struct record *to, const char *key, int64_t value);
void record_unsigned(struct record *to, const char *key, uint64_t value);
void record_real(struct record *to, const char *key, double value);
void record_tensor(struct record *to, const char *key, const struct nnefc_tensor *tensor);
void record_null(struct record *to, const char *key);

/* Null for NNEFC_UNKNOWN, and null for all below 1, which lines and columns never are. */
void record_known(struct record *to, const char *key, int64_t value);
void record_position(struct record *to, const char *key, int64_t value);

/* The members "type" and "shape", or the latter alone; it is null if the rank is not known. */
void record_type(struct record *to, const struct nnefc_type *type);
void record_shape(struct record *to, const struct nnefc_type *type);

/* Add "cuts" if the model is known to run in parts: the nodes before which a part ends. */
#define CUTS_LAYOUT "{cuts?cuts {cuts:#}\n{cuts*    {place}: {why}\n}}"
void record_cuts(struct record *to, const struct nnefc_model *model);

/* Which item of a list has this text as its member `key`; -1: none. */
int record_find(const struct record *list, const char *key, const char *text);

/* Print a record to standard output, JSON with a line end, and free it. */
void record_print(struct record *record, enum form form, const struct view *view);

/* The same, as text or JSON, to another stream. */
void record_print_text(struct record *record, const char *layout, FILE *to);
void record_print_json(struct record *record, enum json_style style, FILE *to);

/* The JSON of a record, which it frees, to be freed. */
char *record_json(struct record *record, enum json_style style);

/* --- many records, printed and freed one by one ----------------------------------------------- */

/* The caller sets the form and the view; the others start as zeros. */
struct record_stream {
    enum form form;
    const struct view *view;
    const char *key; /* NULL: the list is all there is; else it is a member of an object */
    int count, members;
    bool begun;
};

/* Begin a list.  In JSON, lists with keys become members of one object. */
void stream_begin(struct record_stream *stream, const char *key);

/* Print a record as an item of the list, and free it. */
void stream_add(struct record_stream *stream, struct record *record);

/* After the last list. */
void stream_close(struct record_stream *stream);

#endif
