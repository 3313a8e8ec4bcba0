/* label.c - what labels look like, when they are equal, and their files */
#include "tensor/label.h"

#include "base/diag.h"
#include "base/num.h"
#include "base/text.h"
#include "tensor/inside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static const char *skip_separator(const char *label)
{
    return is_separator(*label) ? label + 1 : label;
}

/* Of the bytes of ASCII only, whatever the locale. */
static bool is_allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-./\\", c));
}

static const char *bad_character(const char *label)
{
    for (; *label; label++)
        if (!is_allowed(*label))
            return "a character other than letters, digits and _ - . / \\";
    return NULL;
}

static const char *bad_component(const char *label)
{
    const char *c = skip_separator(label), *end;

    for (;; c = end + 1) {
        size_t size = strcspn(c, "/\\");
        end = c + size;
        if (size == 0)
            return "an empty component";
        if (size <= 2 && strncmp(c, "..", size) == 0)
            return size == 2 ? "component '..'" : "component '.'";
        if (size == 2 && c[1] == ':')
            return "the letter of a drive";
        if (!*end)
            return NULL;
    }
}

bool label_inside(const char *label, const char **why)
{
    enum { LONGEST = 1024 };
    bool longer = strnlen(label, LONGEST + 1) > LONGEST;
    const char *found = longer ? "more than 1024 characters" : bad_component(label);

    if (why && found)
        *why = found;
    return !found;
}

bool label_valid(const char *label, const char **why)
{
    const char *found = bad_character(label);

    if (why && found)
        *why = found;
    return !found && label_inside(label, why);
}

/* A separator is a separator. */
static char joined(char c)
{
    return (char)(is_separator(c) ? '/' : c);
}

static char lowered(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : joined(c));
}

size_t label_fold(const char *label, bool case_counts, char *to)
{
    size_t size = 0;

    for (label = skip_separator(label); *label; label++)
        to[size++] = case_counts ? joined(*label) : lowered(*label);
    to[size] = '\0';
    return size;
}

static int compare(const char *a, const char *b, char (*as)(char))
{
    for (; *a && as(*a) == as(*b); a++)
        b++;
    return (unsigned char)as(*a) - (unsigned char)as(*b);
}

bool label_equal(const char *a, const char *b)
{
    return label_compare(a, b, false) == 0;
}

int label_compare(const char *a, const char *b, bool case_counts)
{
    a = skip_separator(a);
    b = skip_separator(b);
    int order = compare(a, b, lowered);
    return order || !case_counts ? order : compare(a, b, joined);
}

char *label_file(const char *label)
{
    struct text file = {0};

    for (label = skip_separator(label); *label; label++)
        text_add_bytes(&file, is_separator(*label) ? "/" : label, 1);
    text_add(&file, ".dat");
    return file.data;
}

/* Find what is there, or place what may be. */
static char *lead(struct diag *diag, const char *folder, const char *label,
                  char *(*to)(struct diag *, const char *, const char *))
{
    const char *why;

    if (!label_inside(label, &why)) {
        diag_file_error(diag, folder, DIAG_LABEL, "label '%s' has %s", label, why);
        return NULL;
    }
    char *file = label_file(label), *path = to(diag, folder, file);
    free(file);
    return path;
}

char *label_find(struct diag *diag, const char *folder, const char *label)
{
    return lead(diag, folder, label, inside_find);
}

char *label_place(struct diag *diag, const char *folder, const char *label)
{
    return lead(diag, folder, label, inside_place);
}

/* --- labels that were meant --------------------------------------------------------------- */

/* Whether all folders on the way to the file `path`, from the byte `root` on, are no links. */
static bool leads_through_folders(char *path, size_t root)
{
    bool ok = true;

    for (char *slash = strchr(path + root, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        struct stat st;
        *slash = '\0';
        ok = slash == path + root || (lstat(path, &st) == 0 && S_ISDIR(st.st_mode));
        *slash = '/';
    }
    return ok;
}

/* The name without ".dat" in `folder` that is nearest to `name`; to be freed, data NULL if none. */
static struct text nearest_file(const char *folder, const char *name)
{
    DIR *listing = opendir(folder);
    struct nearest nearest = nearest_to(name);
    struct text best = {0}, found = {0};
    struct dirent *entry;

    while (listing && (entry = readdir(listing))) { /* NOLINT(concurrency-mt-unsafe) */
        size_t size = strlen(entry->d_name);
        if (size <= 4 || strcmp(entry->d_name + size - 4, ".dat") != 0)
            continue;
        found.size = 0;
        text_add_bytes(&found, entry->d_name, size - 4);
        if (!nearest_take(&nearest, found.data))
            continue;
        best.size = 0;
        text_add_bytes(&best, found.data, found.size);
    }
    if (listing)
        closedir(listing);
    text_free(&found);
    return best;
}

char *label_nearest(const char *folder, const char *label)
{
    const char *begin = skip_separator(label), *name = begin + strlen(begin);
    struct text path = {0}, nearest = {0}, file = {0};
    char *relative = label_file(label);

    text_add(&path, "%s/", *folder ? folder : ".");
    size_t root = path.size - 1;
    text_add(&path, "%s", relative);
    free(relative);
    while (name > begin && !is_separator(name[-1]))
        name--;
    if (leads_through_folders(path.data, root)) {
        *strrchr(path.data, '/') = '\0';
        file = nearest_file(path.data, name);
    }
    if (file.data)
        text_add(&nearest, "%.*s%s", (int)(name - begin), begin, file.data);
    text_free(&file);
    text_free(&path);
    return nearest.data;
}
