/* stdlib_text.h - the library texts, embedded by the Makefile from stdlib/ */
#ifndef NNEFC_SEMA_STDLIB_TEXT_H
#define NNEFC_SEMA_STDLIB_TEXT_H

#include <stddef.h>

extern const unsigned char nnefc_stdlib_1_0_text[];
extern const size_t nnefc_stdlib_1_0_size;
extern const unsigned char nnefc_stdlib_provisional_text[];
extern const size_t nnefc_stdlib_provisional_size;
extern const unsigned char nnefc_stdlib_nnefc_ext_text[];
extern const size_t nnefc_stdlib_nnefc_ext_size;
extern const unsigned char nnefc_stdlib_onnx_text[];
extern const size_t nnefc_stdlib_onnx_size;
extern const unsigned char nnefc_stdlib_pnnx_text[];
extern const size_t nnefc_stdlib_pnnx_size;
extern const unsigned char nnefc_stdlib_microsoft_text[];
extern const size_t nnefc_stdlib_microsoft_size;

#endif
