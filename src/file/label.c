/* label.c - the rules for labels, their comparison, and their files (NNEF 1.0.5, 4.1.3 and 5.1) */
#include "file/label.h"

#include "base/arena.h"
#include "base/hash.h"
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

/* What is wrong with the first bad component; NULL if all are good. */
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
    enum { LONGEST = 1024 }; /* less than the paths of files may have */
    bool longer = strnlen(label, LONGEST + 1) > LONGEST;
    const char *found = longer ? "more than 1024 characters" : bad_component(label);

    if (why && found)
        *why = found;
    return !found;
}

/* Not isalnum(): only ASCII counts, whatever the locale.  Between - and 9 are . / and the digits.
 */
static bool is_allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '_' ||
           c == '\\';
}

bool label_valid(const char *label, const char **why)
{
    const char *end = label;

    while (is_allowed(*end))
        end++;
    if (!*end)
        return label_is_safe(label, why);
    if (why)
        *why = "a character other than letters, digits and _ - . / \\";
    return false;
}

void label_make(const char *name, struct text *label)
{
    text_add_bytes(label, name, strlen(name));
    for (char *c = label->data; *c; c++)
        if (*c == '\\' || !is_allowed(*c))
            *c = '_';
    if (label_valid(label->data, NULL))
        return;
    for (size_t i = 0; i < label->size; i++)
        if (label->data[i] == '/' || label->data[i] == '.')
            label->data[i] = '_';
    if (!label_valid(label->data, NULL)) {
        label->size = 0;
        text_add(label, "tensor");
    }
}

bool label_is_made(const char *name)
{
    return !strchr(name, '\\') && label_valid(name, NULL);
}

/* Both separators as '/', everything else as it is. */
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

/* As strcmp(), with each character mapped by `as`. */
static int compare(const char *a, const char *b, char (*as)(char))
{
    for (; *a && as(*a) == as(*b); a++)
        b++;
    return (unsigned char)as(*a) - (unsigned char)as(*b);
}

uint64_t label_hash(const char *label, bool case_counts)
{
    uint64_t hash = 0;

    for (label = skip_separator(label); *label; label++)
        hash = hash_mix(hash, (unsigned char)(case_counts ? joined(*label) : lowered(*label)));
    return hash;
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

/* --- suggestions ------------------------------------------------------------------------- */

static char flattened(char c)
{
    return (char)(c && strchr("/\\_-.", c) ? '_' : lowered(c));
}

bool label_flat_equal(const char *a, const char *b)
{
    return compare(skip_separator(a), skip_separator(b), flattened) == 0;
}

/*
 * In the folder of the part of `label` before `name`: the label of the file nearest to `name`, or
 * if `flat` the one that is label_flat_equal().  Folders that are links are not entered.
 */
static char *nearest_label(const char *folder, const char *label, const char *name, bool flat)
{
    struct text path = {0}, nearest = {0};
    struct listing files = {0};
    const char *near = NULL;
    bool ok = true;

    text_add(&path, "%s/", *folder ? folder : ".");
    size_t begin = path.size - 1;
    for (const char *c = label; c < name; c++)
        text_add_bytes(&path, is_separator(*c) ? "/" : c, 1);
    char *root = path.data + begin;
    for (char *slash = strchr(root, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        struct stat st;
        *slash = '\0';
        ok = slash == root || (lstat(path.data, &st) == 0 && S_ISDIR(st.st_mode));
        *slash = '/';
    }
    if (ok)
        files = listing_of(path.data, ".dat");
    if (!flat)
        near = listing_nearest(&files, name);
    for (int i = 0; i < files.count && flat && !near; i++)
        near = label_flat_equal(files.names[i], name) ? files.names[i] : NULL;
    if (near)
        text_add(&nearest, "%.*s%s", (int)(name - label), label, near);
    listing_free(&files);
    text_free(&path);
    return nearest.data;
}

char *label_nearest(const char *folder, const char *label)
{
    const char *begin = skip_separator(label), *name = begin + strlen(begin);
    char *nearest = NULL;

    /*
     * In the innermost folder the name may differ.  In outer folders the rest of the label is
     * looked for as the name of a file, with other characters for the separators.
     */
    for (bool flat = false; !nearest && name > begin; flat = true) {
        do
            name--;
        while (name > begin && !is_separator(name[-1]));
        nearest = nearest_label(folder, begin, name, flat);
    }
    return nearest;
}

/* --- labels in use ----------------------------------------------------------------------- */

const char *label_key(const struct context *context, const char *label, bool case_counts)
{
    enum { SHORT = 256 };
    char few[SHORT];
    size_t size = strlen(label);
    struct text more = {0};

    if (size < SHORT)
        return intern(context->names, few, label_fold(label, case_counts, few));
    text_add_bytes(&more, label, size);
    more.size = label_fold(label, case_counts, more.data);
    return intern_text(context->names, &more);
}

static const char *folded(const struct labels *labels, const char *label)
{
    return label_key(labels->context, label, false);
}

/* Of a label that is taken or reserved. */
struct label_state {
    bool taken;
    int number; /* the last that was tried behind it */
};

static void add_state(struct labels *labels, const char *key, bool taken)
{
    struct label_state *state = arena_new_of(labels->context->arena, struct label_state);

    *state = (struct label_state){taken, 1};
    map_set(&labels->taken, key, state);
}

void labels_reserve(struct labels *labels, const char *label)
{
    labels->reserved =
        arena_list(labels->context->arena, labels->reserved, labels->nreserved, sizeof label);
    labels->reserved[labels->nreserved++] = label;
}

/* What is reserved is looked at once a label is searched for, which most models never need. */
static void add_reserved(struct labels *labels)
{
    for (int i = 0; i < labels->nreserved; i++) {
        const char *key = folded(labels, labels->reserved[i]);
        if (!map_get(&labels->taken, key))
            add_state(labels, key, false);
    }
    labels->nreserved = 0;
}

const char *labels_take_own(struct labels *labels, const char *label, const char *key)
{
    struct label_state *state = map_get(&labels->taken, key);

    if (state && state->taken)
        return labels_take(labels, label);
    if (state)
        state->taken = true;
    else
        add_state(labels, key, true);
    return arena_strndup(labels->context->arena, label, strlen(label));
}

const char *labels_take(struct labels *labels, const char *label)
{
    add_reserved(labels);
    struct label_state *state = map_get(&labels->taken, folded(labels, label));
    struct text candidate = {0};

    assert(*label);
    text_add_bytes(&candidate, label, strlen(label));
    while (map_get(&labels->taken, folded(labels, candidate.data))) {
        candidate.size = 0;
        text_add(&candidate, "%s_%d", label, ++state->number);
    }
    add_state(labels, folded(labels, candidate.data), true);
    return text_keep(&candidate, labels->context->arena);
}

void labels_free(struct labels *labels)
{
    map_free(&labels->taken);
    labels->reserved = NULL;
    labels->nreserved = 0;
}
