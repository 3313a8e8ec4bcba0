/* warnings.c - the option -W: what it asks for, whether there is such a warning, and their list */
#include "driver/verb.h"

#include "driver/message.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 64 };

static bool skip_prefix(const char **text, const char *prefix)
{
    size_t size = strlen(prefix);
    bool there = strncmp(*text, prefix, size) == 0;

    *text += there ? size : 0;
    return there;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as others of its kind */
bool warnings_set(struct settings *settings, char *value)
{
    const char *name = value;
    bool off = skip_prefix(&name, "no-");
    bool every = strcmp(name, "error") == 0;
    bool error = every || skip_prefix(&name, "error=");
    struct warning_setting *warning = &settings->warnings[settings->nwarning++];

    warning->name = every ? NULL : name;
    if (error)
        warning->state = off ? NNEFC_WARNING_NO_ERROR : NNEFC_WARNING_ERROR;
    else
        warning->state = off ? NNEFC_WARNING_OFF : NNEFC_WARNING_ON;
    return *name;
}

static bool warning_exists(const struct settings *settings, const char *name)
{
    const char *names[MAX_NAMES] = {"all", "error"};

    for (int i = 0; i < nnefc_warning_count() && i < MAX_NAMES - 3; i++)
        names[i + 2] = nnefc_warning(i).name;
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0 && strcmp(name, "error") != 0)
            return true;
    const char *nearest = nnefc_nearest(name, names);
    if (nearest)
        usage_error(settings, "there is no warning '%s'; did you mean '%s'?", name, nearest);
    else
        usage_error(settings, "there is no warning '%s'; 'nnefc help warnings' lists them", name);
    return false;
}

bool warnings_agree(const struct settings *settings)
{
    bool ok = true;

    for (int i = 0; i < settings->nwarning; i++)
        if (settings->warnings[i].name)
            ok &= warning_exists(settings, settings->warnings[i].name);
    return ok;
}

void warnings_print(FILE *to)
{
    fputs(
        "nnefc warnings - what -W turns on and off\n\n"
        "  -WNAME, -Wno-NAME         give this warning, or not\n"
        "  -Werror=NAME              give it as an error; -Wno-error=NAME: never as an error\n"
        "  -Wall, -Wno-all           give all, or none, but those named on their own\n"
        "  -Werror, -Wno-error       all that are given are errors, but those named on their own\n"
        "\nEach warning is printed with its name; those with * are given when asked for, or with\n"
        "--pedantic.\n\n",
        to);
    for (int i = 0; i < nnefc_warning_count(); i++) {
        struct nnefc_warning w = nnefc_warning(i);
        fprintf(to, "  %s %c %-25s %s\n", w.code, w.on_by_default ? ' ' : '*', w.name, w.title);
    }
}
