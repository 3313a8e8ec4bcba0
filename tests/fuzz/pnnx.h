/* pnnx.h - what targets share whose inputs are models of PNNX */
#ifndef NNEFC_TESTS_FUZZ_PNNX_H
#define NNEFC_TESTS_FUZZ_PNNX_H

#include "fuzz/fuzz.h"

/* Read a text of PNNX and make a graph of it, with weights of zeros; what can be made is sound. */
void fuzz_pnnx(const struct fuzz_text *text);

#endif
