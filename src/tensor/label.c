/*
 * label.c - walks from the model folder to the file of a label
 *
 * The walk keeps the path so far, below the folder and free of symbolic links, and the components
 * still to go.  A link is replaced by the components it stands for, so that ".." and absolute
 * targets are seen for what they are.
 */
#include "tensor/label.h"

#include "base/diag.h"
#include "base/num.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

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
        if (!*end)
            return NULL;
    }
}

bool label_inside(const char *label, const char **why)
{
    const char *found = bad_component(label);

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

/* The path of a label below its folder. */
static void add_label(struct text *text, const char *label)
{
    for (label = skip_separator(label); *label; label++)
        text_add_bytes(text, is_separator(*label) ? "/" : label, 1);
    text_add(text, ".dat");
}

static void add_folder(struct text *text, const char *folder)
{
    size_t size = strlen(folder);

    while (size > 1 && folder[size - 1] == '/')
        size--;
    text_add_bytes(text, size ? folder : ".", size ? size : 1);
}

char *label_path(const char *folder, const char *label)
{
    struct text path = {0};

    add_folder(&path, folder);
    text_add(&path, "/");
    add_label(&path, label);
    return path.data;
}

struct walk {
    struct text path; /* begins with the folder */
    size_t root;      /* its length */
    char *rest;       /* components to go, owned */
    int links;
};

enum walk_result { WALK_ON, WALK_FAILED, WALK_OUTSIDE };

/* In place of `*name`, which does not exist, one of the same letters in `folder`; the first by
 * strcmp() if there are several. */
static void match_case(const char *folder, char *name)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (listing && (entry = readdir(listing))) /* NOLINT(concurrency-mt-unsafe) */
        if (compare(entry->d_name, name, lowered) == 0 &&
            (!found || strcmp(entry->d_name, name) < 0)) {
            memcpy(name, entry->d_name, strlen(name));
            found = true;
        }
    if (listing)
        closedir(listing);
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static void shorten(struct text *path, size_t size)
{
    path->size = size;
    path->data[size] = '\0';
}

static void enter(struct walk *w, char *name)
{
    size_t parent = w->path.size;

    text_add(&w->path, "/%s", name);
    if (exists(w->path.data))
        return;
    shorten(&w->path, parent);
    match_case(w->path.data, name);
    text_add(&w->path, "/%s", name);
}

static enum walk_result leave(struct walk *w)
{
    if (w->path.size == w->root)
        return WALK_OUTSIDE;
    shorten(&w->path, (size_t)(strrchr(w->path.data, '/') - w->path.data));
    return WALK_ON;
}

/* If the path now ends in a symbolic link: one step up, and what it stands for is still to go. */
static enum walk_result follow(struct walk *w)
{
    char target[PATH_MAX];
    struct text rest = {0};
    ssize_t size = readlink(w->path.data, target, sizeof target);

    if (size < 0)
        return WALK_ON;
    if (size == 0 || (size_t)size == sizeof target || ++w->links > LINKS_MAX) {
        errno = ELOOP;
        return WALK_FAILED;
    }
    if (target[0] == '/')
        return WALK_OUTSIDE;
    text_add_bytes(&rest, target, (size_t)size);
    text_add(&rest, "/%s", w->rest);
    free(w->rest);
    w->rest = rest.data;
    return leave(w);
}

/* Takes the first of the components to go; an empty one or "." stays in place. */
static enum walk_result step(struct walk *w)
{
    size_t size = strcspn(w->rest, "/");
    struct text name = {0};

    text_add_bytes(&name, w->rest, size);
    size += w->rest[size] == '/';
    memmove(w->rest, w->rest + size, strlen(w->rest + size) + 1);
    enum walk_result result = WALK_ON;
    if (strcmp(name.data, "..") == 0) {
        result = leave(w);
    } else if (name.size > 0 && strcmp(name.data, ".") != 0) {
        enter(w, name.data);
        result = follow(w);
    }
    text_free(&name);
    return result;
}

static char *finish(struct diag *diag, struct walk *w, enum walk_result result, const char *wanted)
{
    if (result == WALK_ON && access(w->path.data, R_OK) != 0)
        result = WALK_FAILED;
    if (result == WALK_ON)
        return w->path.data;
    if (result == WALK_OUTSIDE)
        diag_file_error(diag, wanted, DIAG_CANNOT_READ,
                        "symbolic link leads out of the model folder");
    else
        diag_file_error(diag, wanted, DIAG_CANNOT_READ, "cannot read: %s", strerror(errno));
    text_free(&w->path);
    return NULL;
}

char *label_find(struct diag *diag, const char *folder, const char *label)
{
    const char *why;
    struct walk w = {.links = 0};
    struct text rest = {0};
    enum walk_result result = WALK_ON;

    if (!label_inside(label, &why)) {
        diag_file_error(diag, folder, DIAG_LABEL, "label '%s' has %s", label, why);
        return NULL;
    }
    add_folder(&w.path, folder);
    w.root = w.path.size;
    add_label(&rest, label);
    w.rest = rest.data;
    while (*w.rest && result == WALK_ON)
        result = step(&w);
    char *wanted = label_path(folder, label);
    char *path = finish(diag, &w, result, wanted);
    free(wanted);
    free(w.rest);
    return path;
}

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
    char *path = label_path(folder, label), *slash = strrchr(path, '/');
    const char *begin = skip_separator(label), *name = begin + strlen(begin);
    struct text root = {0}, nearest = {0}, file = {0};

    while (name > begin && !is_separator(name[-1]))
        name--;
    add_folder(&root, folder);
    if (leads_through_folders(path, root.size)) {
        *slash = '\0';
        file = nearest_file(path, name);
    }
    if (file.data)
        text_add(&nearest, "%.*s%s", (int)(name - begin), begin, file.data);
    text_free(&file);
    text_free(&root);
    free(path);
    return nearest.data;
}
