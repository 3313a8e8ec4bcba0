/*
 * plugin.h - backends in shared objects of their own, opened when a run asks for them
 *
 * They are linked with libraries that nnefc does without where there are none.  The file of backend
 * NAME is nnefc_NAME.so, with one symbol, PLUGIN_SYMBOL: a struct plugin.  It is looked for in the folder
 * that the environment variable NNEFC_PLUGINS names, in the one it is installed in, and near the
 * program or library that has this code: beside it and, for what is installed elsewhere than it was made for,
 * in nnefc/ beside a library and ../lib/nnefc/ beside a program.
 */
#ifndef NNEFC_EXEC_PLUGIN_H
#define NNEFC_EXEC_PLUGIN_H

#include "exec/backend.h"

struct text;

struct plugin {
    const char *stamp; /* of nnefc and of the headers that both sides see; others are not taken */
    const char *facts; /* "oneDNN 2.6.3" */
    const struct backend *backend;
};

#define PLUGIN_SYMBOL "nnefc_plugin"

/*
 * The backend of that name; NULL: it cannot be opened, and `why`, which may be NULL, has what is wrong with
 * a file that is there; it stays empty if there is none.  Once opened it stays.
 */
const struct plugin *plugin_open(const char *name, struct text *why);

#endif
