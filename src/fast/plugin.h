/*
 * plugin.h - backends in shared objects of their own, opened when a run asks for them
 *
 * They are linked with libraries that nnefc does without where there are none.  The file of backend
 * NAME is nnefc_NAME.so, with one symbol, PLUGIN_SYMBOL: a struct plugin.  It is looked for in the folder
 * that the environment variable NNEFC_PLUGINS names, in the one it is installed in, and beside the
 * program or library that has this code.
 */
#ifndef NNEFC_FAST_PLUGIN_H
#define NNEFC_FAST_PLUGIN_H

#include "fast/backend.h"

struct plugin {
    const char *stamp; /* of nnefc and of the headers that both sides see; others are not taken */
    const char *facts; /* "oneDNN 2.6.3" */
    const struct backend *backend;
};

#define PLUGIN_SYMBOL "nnefc_plugin"

/* The backend of that name; NULL: it cannot be opened.  Once opened it stays. */
const struct plugin *plugin_open(const char *name);

#endif
