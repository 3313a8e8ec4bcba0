/* info.h - what is told of a model */
#ifndef NNEFC_DRIVER_INFO_H
#define NNEFC_DRIVER_INFO_H

#include "nnefc/nnefc.h"

/* What the lists of a model are asked for. */
typedef struct nnefc_type (*type_at)(const struct nnefc_model *model, int index);
typedef const char *(*name_at)(const struct nnefc_model *model, int index);
typedef struct nnefc_operator (*kind_at)(struct nnefc_model *model, int index);

bool info_is_provisional(const struct nnefc_identity *identity);

/* One object, of a model that was read; false if there is not enough memory. */
bool info_print_json(struct nnefc_model *model);

#endif
