/*
 * libarchive.c - loads libarchive, or is linked with it
 *
 * The Makefile compiles it twice: with LIBARCHIVE_FILE, the name of the library, it is loaded.
 */
#include "file/libarchive.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#ifdef LIBARCHIVE_FILE

bool libarchive_load(struct libarchive *libarchive, const char **why)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define CALL(function) {"archive_" #function, offsetof(struct libarchive, function)},
        LIBARCHIVE_FUNCTIONS(CALL)
#undef CALL
    };
    void *library = dlopen(LIBARCHIVE_FILE, RTLD_NOW | RTLD_LOCAL);
    bool ok = library;

    for (size_t i = 0; ok && i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)libarchive + functions[i].offset, &function, sizeof function);
        ok = function;
    }
    if (!ok)
        *why = dlerror(); /* NOLINT(concurrency-mt-unsafe): of each thread its own, in POSIX 2024 */
    return ok;
}

#else

bool libarchive_load(struct libarchive *libarchive, const char **why)
{
    *libarchive = (struct libarchive){
#define CALL(function) .function = archive_##function,
        LIBARCHIVE_FUNCTIONS(CALL)
#undef CALL
    };
    *why = NULL;
    return true;
}

#endif
