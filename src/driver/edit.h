/* edit.h - the parts of nnefc edit, and changes of texts */
#ifndef NNEFC_DRIVER_EDIT_H
#define NNEFC_DRIVER_EDIT_H

#include "driver/load.h"
#include "driver/target.h"

struct edit_settings {
    struct command command;
    struct loading loading;
    enum target_format format;
    const char *outputs, *apply;
    struct option_list renames; /* struct named_file: old and new name */
    struct option_list labels;  /* struct named_file: old and new label */
    struct option_list values;  /* struct named_file: TENSOR.ATTRIBUTE and its value */
};

/* "tensor.attribute" as its two parts: the tensor, to be freed; NULL after a message. */
char *tensor_of(const struct command *command, const char *name, const char **attribute);

/* --- edit_text.c ------------------------------------------------------------------------------ */

struct replacement {
    size_t begin, end;
    char *text;
    int order; /* of insertions at one place */
};

/* The text that is edited, its places, and the replacements. */
struct editing {
    const struct command *command;
    struct nnefc_text text;
    const struct nnefc_place_list *places;
    const struct nnefc_symbol_list *symbols;
    const struct nnefc_variable_list *variables;
    struct replacement *list;
    int count;
    enum nnefc_status status; /* of edits that fail */
};

/* Put `text`, which is the list's from then on, in the place of what is there. */
void edit_replace(struct editing *e, size_t begin, size_t end, char *text);

/* A text of up to four parts, to be freed. */
char *edit_join(const char *a, const char *b, const char *c, const char *d);

/* The symbol of a tensor of the graph, a label, or a fragment of the document; -1: none. */
int edit_symbol(const struct editing *e, enum nnefc_symbol_kind kind, const char *name);

/* Behind blanks and comments. */
size_t edit_skip_blanks(const struct nnefc_text *text, size_t at);

/* Before loading: give the model the new text; false after a message. */
bool edit_set_text(struct nnefc_model *model, struct editing *e);

/* Free the replacements. */
void edit_forget(struct editing *e);

/* Change the text of the model, load it again as `loading` says, and write it. */
enum nnefc_status edit_text(const struct edit_settings *s, struct nnefc_model *model,
                            const struct loading *loading);

#endif
