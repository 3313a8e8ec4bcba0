/* plugin.c - finding and opening plugins; see plugin.h */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): dladdr() is no matter of POSIX */
#include "fast/plugin.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* --- what must be settled before a library starts its threads ------------------------------ */

/* Threads of OpenMP look for work for so long before they sleep: without end, one processor that
 * somebody else keeps busy would hold up all of them. */
static void bound_spinning(void)
{
    if (!getenv("OMP_WAIT_POLICY"))
        (void)setenv("GOMP_SPINCOUNT", "1000", 0);
}

/* --- one file ------------------------------------------------------------------------------ */

/* Threads that a plugin's libraries have started do not survive its end: it is never closed. */
static const struct plugin *open_file(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct plugin *plugin = object ? dlsym(object, PLUGIN_SYMBOL) : NULL;

    return plugin && strcmp(plugin->stamp, PLUGIN_STAMP) == 0 ? plugin : NULL;
}

static const struct plugin *open_in(const char *folder, int length, const char *name)
{
    const struct plugin *plugin = NULL;
    struct text path = {0};

    text_add(&path, "%.*s/nnefc_%s.so", length, folder, name);
    if (length > 0 && access(path.data, R_OK) == 0)
        plugin = open_file(path.data);
    text_free(&path);
    return plugin;
}

/* --- where it may be ------------------------------------------------------------------------ */

/* In the folder of a program or library. */
static const struct plugin *open_beside(const char *file, const char *name)
{
    const char *end = strrchr(file, '/');

    return end ? open_in(file, (int)(end - file), name) : NULL;
}

static const struct plugin *open_beside_program(const char *name)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return open_beside(path, name);
}

/* A program that the dynamic linker has not started has other copies of the C library's data. */
static bool can_open(void)
{
    return getauxval(AT_BASE) != 0;
}

const struct plugin *plugin_open(const char *name)
{
    const char *told = getenv("NNEFC_PLUGINS");
    const struct plugin *plugin = NULL;
    Dl_info self;

    if (!can_open())
        return NULL;
    bound_spinning();
    if (told)
        plugin = open_in(told, (int)strlen(told), name);
    if (!plugin)
        plugin = open_in(PLUGIN_FOLDER, (int)strlen(PLUGIN_FOLDER), name);
    if (!plugin && dladdr(PLUGIN_SYMBOL, &self) != 0 && self.dli_fname)
        plugin = open_beside(self.dli_fname, name);
    return plugin ? plugin : open_beside_program(name);
}
