/* plugin.c - finding and opening plugins; see plugin.h */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): dladdr() is no matter of POSIX */
#include "exec/plugin.h"

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

/* Of the first file that there is. */
static void say_why(struct text *why, const char *path, const char *reason)
{
    if (why && why->size == 0)
        text_add(why, "'%s' is no plugin of this nnefc: %s", path, reason);
}

/* Threads that a plugin's libraries have started do not survive its end: it is never closed. */
static const struct plugin *open_file(const char *path, struct text *why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct plugin *plugin = object ? dlsym(object, PLUGIN_SYMBOL) : NULL;

    if (!plugin) {
        const char *reason = dlerror();
        say_why(why, path, reason ? reason : "it has no '" PLUGIN_SYMBOL "'");
        return NULL;
    }
    if (strcmp(plugin->stamp, PLUGIN_STAMP) == 0)
        return plugin;
    say_why(why, path, "it is of another version");
    return NULL;
}

/* What is looked for, and what is said of files that are not it. */
struct search {
    const char *name;
    struct text *why;
};

static const struct plugin *open_in(const struct search *search, const char *folder, int length,
                                    const char *below)
{
    const struct plugin *plugin = NULL;
    struct text path = {0};

    text_add(&path, "%.*s%s/nnefc_%s.so", length, folder, below, search->name);
    if (length > 0 && access(path.data, F_OK) == 0)
        plugin = open_file(path.data, search->why);
    text_free(&path);
    return plugin;
}

/* --- where it may be ------------------------------------------------------------------------ */

/* In the folder of a program or library, or from there. */
static const struct plugin *open_near(const struct search *search, const char *file)
{
    static const char *const below[] = {"", "/nnefc", "/../lib/nnefc"};
    const char *end = strrchr(file, '/');
    const struct plugin *plugin = NULL;

    for (size_t i = 0; end && !plugin && i < sizeof below / sizeof below[0]; i++)
        plugin = open_in(search, file, (int)(end - file), below[i]);
    return plugin;
}

static const struct plugin *open_near_program(const struct search *search)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return open_near(search, path);
}

/* A program that the dynamic linker has not started has other copies of the C library's data. */
static bool can_open(void)
{
    return getauxval(AT_BASE) != 0;
}

const struct plugin *plugin_open(const char *name, struct text *why)
{
    const struct search search = {name, why};
    const char *told = getenv("NNEFC_PLUGINS");
    const struct plugin *plugin = NULL;
    Dl_info self;

    if (!can_open()) {
        if (why)
            text_add(why, "a program without shared libraries opens no plugins");
        return NULL;
    }
    bound_spinning();
    if (told)
        plugin = open_in(&search, told, (int)strlen(told), "");
    if (!plugin)
        plugin = open_in(&search, PLUGIN_FOLDER, (int)strlen(PLUGIN_FOLDER), "");
    if (!plugin && dladdr(PLUGIN_SYMBOL, &self) != 0 && self.dli_fname)
        plugin = open_near(&search, self.dli_fname);
    return plugin ? plugin : open_near_program(&search);
}
