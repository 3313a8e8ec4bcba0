/* label.c - what labels look like, when they are equal, and their files */
#include "file/label.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/listing.h"

#include <assert.h>
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

bool label_is_safe(const char *label, const char **why)
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
    return !found && label_is_safe(label, why);
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
    assert(a && b);
    a = skip_separator(a);
    b = skip_separator(b);
    int order = compare(a, b, lowered);
    return order || !case_counts ? order : compare(a, b, joined);
}

char *label_file(const char *label)
{
    struct text file = {0};

    assert(label);
    for (label = skip_separator(label); *label; label++)
        text_add_bytes(&file, is_separator(*label) ? "/" : label, 1);
    text_add(&file, ".dat");
    return file.data;
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

static char flattened(char c)
{
    return (char)(c && strchr("/\\_-.", c) ? '_' : lowered(c));
}

bool label_flat_equal(const char *a, const char *b)
{
    return compare(skip_separator(a), skip_separator(b), flattened) == 0;
}

/* In the folder `path`: the tensor that is nearest to `name`, or if `flat` spelled so. */
static char *nearest_file(const char *path, const char *name, bool flat)
{
    struct listing tensors = listing_of(path, ".dat");
    const char *near = flat ? NULL : listing_nearest(&tensors, name);

    for (int i = 0; i < tensors.count && flat && !near; i++)
        near = label_flat_equal(tensors.names[i], name) ? tensors.names[i] : NULL;
    char *copy = near ? strdup(near) : NULL;
    listing_free(&tensors);
    return copy;
}

/* The same in the folder of the label before `name`, which is its last component, or more. */
static char *nearest_label(const char *folder, const char *label, const char *name, bool flat)
{
    struct text path = {0}, nearest = {0};
    char *file = NULL;

    text_add(&path, "%s/", *folder ? folder : ".");
    size_t root = path.size - 1;
    for (const char *c = label; c < name; c++)
        text_add_bytes(&path, is_separator(*c) ? "/" : c, 1);
    if (leads_through_folders(path.data, root))
        file = nearest_file(path.data, name, flat);
    if (file)
        text_add(&nearest, "%.*s%s", (int)(name - label), label, file);
    free(file);
    text_free(&path);
    return nearest.data;
}

char *label_nearest(const char *folder, const char *label)
{
    const char *begin = skip_separator(label), *name = begin + strlen(begin);
    char *nearest = NULL;

    /* From the innermost folder, where names may differ, to outer ones with separators in names. */
    for (bool flat = false; !nearest && name > begin; flat = true) {
        do
            name--;
        while (name > begin && !is_separator(name[-1]));
        nearest = nearest_label(folder, begin, name, flat);
    }
    return nearest;
}

/* --- labels that are taken ---------------------------------------------------------------- */

const char *label_key(const struct context *context, const char *label, bool case_counts)
{
    struct text key = {0};

    text_add(&key, "%s", label);
    key.size = label_fold(label, case_counts, key.data);
    const char *interned = intern(context->names, key.data, key.size);
    text_free(&key);
    return interned;
}

static const char *folded(const struct labels *labels, const char *label)
{
    return label_key(labels->context, label, false);
}

const char *labels_take(struct labels *labels, const char *label)
{
    int *next = map_get(&labels->taken, folded(labels, label));
    struct text candidate = {0};

    assert(*label);
    text_add(&candidate, "%s", label);
    while (map_get(&labels->taken, folded(labels, candidate.data))) {
        candidate.size = 0;
        text_add(&candidate, "%s_%d", label, ++*next);
    }
    int *first = arena_new_of(labels->context->arena, int);
    *first = 1;
    map_set(&labels->taken, folded(labels, candidate.data), first);
    const char *kept = arena_strndup(labels->context->arena, candidate.data, candidate.size);
    text_free(&candidate);
    return kept;
}

void labels_free(struct labels *labels)
{
    map_free(&labels->taken);
}
