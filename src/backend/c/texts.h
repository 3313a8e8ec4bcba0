/* texts.h - the kernel texts, made from text/NAME.h by the build */
#ifndef NNEFC_BACKEND_C_TEXTS_H
#define NNEFC_BACKEND_C_TEXTS_H

#include <stddef.h>

#define TEXT(name, needs)                       \
    extern const unsigned char c_text_##name[]; \
    extern const size_t c_text_##name##_size;
#include "backend/c/text.def"
#undef TEXT

#endif
