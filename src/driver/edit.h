/* edit.h - the parts of nnefc edit */
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

/* edit_text.c: change the text of the model, load it again as `loading` says, and write it. */
enum nnefc_status edit_text(const struct edit_settings *s, struct nnefc_model *model,
                            const struct loading *loading);

#endif
