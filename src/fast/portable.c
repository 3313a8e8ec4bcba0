/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "fast/backend.h"

const struct backend backend_portable = {.name = "portable"};
