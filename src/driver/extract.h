/* extract.h - the parts of nnefc extract */
#ifndef NNEFC_DRIVER_EXTRACT_H
#define NNEFC_DRIVER_EXTRACT_H

#include "driver/load.h"
#include "driver/names.h"

/* A part of an NNEF text, with its fragments and comments. */
struct text_cut {
    const struct command *command; /* with MODEL and OUT */
    const struct loading *loading;
    const struct nnefc_model *part; /* the same part as a graph: its inputs and variables */
    const struct names *to;
};

/* extract_text.c: write it, with the data that it reads. */
enum nnefc_status extract_text(const struct text_cut *cut);

#endif
