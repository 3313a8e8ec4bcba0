/* names.h - lists of names of tensors */
#ifndef NNEFC_DRIVER_NAMES_H
#define NNEFC_DRIVER_NAMES_H

#include "driver/command.h"

/* The names are others'; the list of them is to be freed. */
struct names {
    const char **at;
    int count;
};

void add_name(struct names *names, const char *name);

/* Unless it is there. */
void add_name_once(struct names *names, const char *name);

/* -1: it is not there. */
int index_of(const struct names *names, const char *name);

/* What an option was given, each time names as next_listed() has them; the list is cut up. */
struct names names_of(const struct option_list *given);

/* Leave of a model what computes `to` from `from`; NULL: from its inputs. */
enum nnefc_status extract_between(struct nnefc_model *model, const struct names *from,
                                  const struct names *to);

#endif
