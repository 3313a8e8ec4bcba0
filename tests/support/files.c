/* files.c - walks folders; what begins with a dot is not shown */
#include "support/files.h"

#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);

    return size >= tail && strcmp(text + size - tail, end) == 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool in_folder(const char *path, const char *end, void (*show)(void *to, const char *path),
                      void *to)
{
    struct dirent **entry;
    int count = scandir(path, &entry, is_visible, alphasort);
    bool ok = count >= 0;

    for (int i = 0; i < count; i++) {
        struct text below = {0};
        text_add(&below, "%s/%s", path, entry[i]->d_name);
        ok &= files_below(below.data, end, show, to);
        text_free(&below);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return ok;
}

bool files_below(const char *path, const char *end, void (*show)(void *to, const char *path),
                 void *to)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        printf("%s: cannot be read\n", path);
        return false;
    }
    if (S_ISDIR(status.st_mode))
        return in_folder(path, end, show, to);
    if (ends_with(path, end))
        show(to, path);
    return true;
}
