/* container.c - what an archive holds, and where a name is found in it */
#include "file/container.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "file/container_priv.h"
#include "file/label.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_LIMIT = 64 << 20, /* bytes of the list of members */
    EAGER_LIMIT = 16 << 20,
};

/* --- recognition ------------------------------------------------------------------------- */

struct magic {
    size_t size;
    const char *bytes;
};

static bool starts_with(const struct file_view *file, const struct magic *magic)
{
    return file->size >= magic->size && memcmp(file->data, magic->bytes, magic->size) == 0;
}

static bool is_compressed(const struct file_view *file)
{
    static const struct magic magics[] = {
        {2, "\x1f\x8b"},         /* gzip */
        {2, "\x1f\x9d"},         /* compress */
        {3, "BZh"},              /* bzip2 */
        {6, "\xfd\x37zXZ\0"},    /* xz */
        {3, "\x5d\0\0"},         /* lzma */
        {4, "LZIP"},             /* lzip */
        {4, "\x04\x22\x4d\x18"}, /* lz4 */
        {4, "\x28\xb5\x2f\xfd"}, /* zstd */
    };

    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (starts_with(file, &magics[i]))
            return true;
    return false;
}

/* A header of tar ends in the sum of its bytes, itself taken for spaces: old ones have no magic. */
static bool is_tar(const struct file_view *file)
{
    enum { SUM_AT = 148, SUM_SIZE = 8 };
    const unsigned char *header = file->data;
    unsigned long sum = SUM_SIZE * (unsigned long)' ';
    char stated[SUM_SIZE + 1] = {0};

    if (file->size < TAR_BLOCK)
        return false;
    for (int i = 0; i < TAR_BLOCK; i++)
        if (i < SUM_AT || i >= SUM_AT + SUM_SIZE)
            sum += header[i];
    memcpy(stated, header + SUM_AT, SUM_SIZE);
    return strtoul(stated, NULL, 8) == sum;
}

enum container_form container_recognise(const struct file_view *file)
{
    static const struct magic zip = {4, "PK\3\4"}, empty_zip = {4, "PK\5\6"};

    if (starts_with(file, &zip) || starts_with(file, &empty_zip))
        return CONTAINER_ZIP;
    return is_compressed(file) || is_tar(file) ? CONTAINER_TAR : CONTAINER_NONE;
}

/* --- the list ---------------------------------------------------------------------------- */

static char *copy_of(const char *name)
{
    char *copy = strdup(name);

    if (!copy)
        arena_out_of_memory();
    return copy;
}

static bool is_drive(const char *name)
{
    return ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')) && name[1] == ':';
}

/* Does `name`, seen from `depth` folders below the top, leave the archive?  Follows each "..". */
static bool leads_out(const char *name, int depth)
{
    bool out = *name == '/' || *name == '\\' || is_drive(name);

    while (!out && *name) {
        size_t size = strcspn(name, "/\\");
        bool up = size == 2 && strncmp(name, "..", 2) == 0;
        bool stays = size == 0 || (size == 1 && *name == '.');
        depth += up ? -1 : !stays;
        out = depth < 0;
        name += size + (name[size] != '\0');
    }
    return out;
}

static bool has_parent(const char *name)
{
    for (size_t size; *name; name += size + (name[size] != '\0')) {
        size = strcspn(name, "/\\");
        if (size == 2 && strncmp(name, "..", 2) == 0)
            return true;
    }
    return false;
}

/* The name as this page has it, to be freed; NULL if nothing is left. */
static char *tidy_name(const char *name)
{
    char *tidy = copy_of(name);
    size_t used = 0;

    while (*name) {
        size_t size = strcspn(name, "/\\");
        bool dot = size == 1 && *name == '.';
        if (size > 0 && !dot) {
            if (used > 0)
                tidy[used++] = '/';
            memcpy(tidy + used, name, size);
            used += size;
        }
        name += size + (name[size] != '\0');
    }
    tidy[used] = '\0';
    if (used > 0)
        return tidy;
    free(tidy);
    return NULL;
}

static bool is_eager(struct container *c, const struct archive_member *member)
{
    if (!c->eager || !member->is_file || !c->eager(member->name) ||
        member->size > EAGER_LIMIT - c->eager_bytes)
        return false;
    c->eager_bytes += member->size;
    return true;
}

static int depth_of(const char *name)
{
    int depth = 0;

    for (; *name; name++)
        depth += *name == '/';
    return depth;
}

/* A symbolic link is seen from its folder, a hard one from the top. */
static bool check_link(const struct scan *s, const char *name)
{
    const char *soft = archive_entry_symlink(s->entry), *hard = archive_entry_hardlink(s->entry);
    bool out = (soft && leads_out(soft, depth_of(name))) || (hard && leads_out(hard, 0));

    return !out || diag_file_error(s->diag, s->container->name, DIAG_OUTSIDE,
                                   "member '%s' is a link to '%s', which leads out of the archive",
                                   name, soft ? soft : hard);
}

static bool add_named(struct scan *s, char *name)
{
    struct container *c = s->container;
    if (c->count == c->capacity) {
        c->capacity = c->capacity * 2 + 64;
        c->members = realloc(c->members, c->capacity * sizeof *c->members);
        if (!c->members)
            arena_out_of_memory();
    }
    c->members[c->count] = (struct archive_member){
        .name = name,
        .size = archive_entry_size(s->entry),
        .is_file =
            archive_entry_filetype(s->entry) == AE_IFREG && !archive_entry_hardlink(s->entry),
        .ordinal = s->ordinal,
    };
    struct archive_member *member = &c->members[c->count++];

    c->list_bytes += sizeof *member + strlen(name) + 1;
    if (c->list_bytes > LIST_LIMIT || (int64_t)c->count > c->limits.members) {
        diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE_LIMIT,
                        "archive has more than %" PRId64 " members, or too long names of them",
                        s->container->limits.members);
        diag_help(s->diag, "raise the limit on members with --limit=members=N.");
        return false;
    }
    return check_link(s, name) && (!is_eager(c, member) || scan_read(s, member));
}

static bool add_member(struct scan *s)
{
    const char *stored = archive_entry_pathname(s->entry);

    stored = stored ? stored : archive_entry_pathname_utf8(s->entry);
    const char *name = stored ? stored : "";
    if (!(!leads_out(name, 0) && !has_parent(name)))
        return diag_file_error(s->diag, s->container->name, DIAG_OUTSIDE,
                               "member '%s' leads out of the archive", name);
    char *tidy = archive_entry_filetype(s->entry) == AE_IFDIR ? NULL : tidy_name(name);
    return !tidy || add_named(s, tidy);
}

/* Equal names stand together, the one that counts first. */
static int by_name(const void *a, const void *b)
{
    const struct archive_member *x = a, *y = b;
    int order = label_compare(x->name, y->name, false);

    order = order ? order : strcmp(x->name, y->name);
    return order ? order : (x->ordinal < y->ordinal) - (x->ordinal > y->ordinal);
}

static void forget_member(struct archive_member *member)
{
    file_close(&member->view);
    free(member->name);
}

struct container *container_open(struct diag *diag, const struct limits *limits, const char *name,
                                 struct file_view *file, bool (*eager)(const char *name))
{
    struct container *c = calloc(1, sizeof *c);

    if (!c)
        arena_out_of_memory();
    *c = (struct container){.limits = *limits,
                            .name = copy_of(name),
                            .file = *file,
                            .form = container_recognise(file),
                            .eager = eager};
    *file = (struct file_view){0};
    struct scan s;
    bool more = true, ok = scan_open(&s, diag, c);
    while (ok && more)
        ok = scan_next(&s, &more) && (!more || add_member(&s));
    scan_close(&s);
    size_t kept = 0;
    if (c->count > 0)
        qsort(c->members, c->count, sizeof *c->members, by_name);
    for (size_t i = 0; i < c->count; i++)
        if (kept > 0 && strcmp(c->members[kept - 1].name, c->members[i].name) == 0)
            forget_member(&c->members[i]);
        else
            c->members[kept++] = c->members[i];
    c->count = kept;
    if (ok)
        return c;
    container_close(c);
    return NULL;
}

void container_close(struct container *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++)
        forget_member(&c->members[i]);
    free(c->members);
    file_close(&c->file);
    free(c->name);
    free(c);
}

/* --- finding and fetching ---------------------------------------------------------------- */

const char *container_name(const struct container *c)
{
    return c->name;
}

size_t container_count(const struct container *c)
{
    return c->count;
}

struct archive_member *container_at(const struct container *c, size_t index)
{
    assert(index < c->count);
    return &c->members[index];
}

int64_t container_memory(const struct container *c)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < c->count; i++)
        if (c->members[i].view.data && !c->members[i].view.borrowed)
            bytes += c->members[i].size;
    return bytes;
}

/* The first member that is not before `name`. */
static size_t lower_bound(const struct container *c, const char *name)
{
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (label_compare(c->members[middle].name, name, false) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t size = 0;

    while (a[size] && a[size] == b[size])
        size++;
    return size;
}

/* Of those that differ in case only, the one that does so latest, as a walk down folders would. */
struct archive_member *container_find(const struct container *c, const char *name)
{
    struct archive_member *best = NULL;

    for (size_t i = lower_bound(c, name); i < c->count; i++) {
        struct archive_member *member = &c->members[i];
        if (!label_equal(member->name, name))
            break;
        if (!best || common_prefix(member->name, name) > common_prefix(best->name, name))
            best = member;
    }
    return best;
}

static int by_ordinal(const void *a, const void *b)
{
    const struct archive_member *const *x = a, *const *y = b;

    return ((*x)->ordinal > (*y)->ordinal) - ((*x)->ordinal < (*y)->ordinal);
}

/* Members to be read, in the order of the archive, to be freed; their marks are cleared. */
static struct archive_member **wanted_members(struct container *c, size_t *count)
{
    struct archive_member **wanted = calloc(c->count + 1, sizeof(struct archive_member *));

    if (!wanted)
        arena_out_of_memory();
    *count = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct archive_member *member = &c->members[i];
        if (member->wanted && member->is_file && !member->view.data)
            wanted[(*count)++] = member;
        member->wanted = false;
    }
    qsort(wanted, *count, sizeof(struct archive_member *), by_ordinal);
    return wanted;
}

static bool within(struct diag *diag, const struct container *c,
                   const struct archive_member *member, int64_t left)
{
    return member->size <= left ||
           diag_file_error(diag, c->name, DIAG_ARCHIVE_LIMIT,
                           "member '%s' has %" PRId64 " bytes, more than is of use here, or than "
                           "there is memory for",
                           member->name, member->size);
}

static bool read_wanted(struct scan *s, struct archive_member **wanted, size_t count)
{
    bool more = true;

    for (size_t i = 0; i < count;) {
        if (!scan_next(s, &more))
            return false;
        if (!more)
            return scan_damaged(s);
        if (wanted[i]->ordinal == s->ordinal && !scan_read(s, wanted[i++]))
            return false;
    }
    return true;
}

bool container_fetch(struct diag *diag, struct container *c, int64_t limit)
{
    size_t count;
    struct archive_member **wanted = wanted_members(c, &count);
    bool ok = true;
    struct scan s;

    for (size_t i = 0; ok && i < count; i++) {
        ok = within(diag, c, wanted[i], limit);
        limit -= wanted[i]->size;
    }
    if (ok && count > 0) {
        ok = scan_open(&s, diag, c) && read_wanted(&s, wanted, count);
        scan_close(&s);
    }
    free(wanted);
    return ok;
}

struct file_view container_view(const struct archive_member *member)
{
    struct file_view view = member->view;

    assert(member->view.data || member->view.size == 0);
    view.borrowed = true;
    return view;
}

struct file_view container_take(struct archive_member *member)
{
    struct file_view view = member->view;

    assert(member->view.data || member->view.size == 0);
    member->view = (struct file_view){0};
    if (!view.borrowed)
        return view;
    char *copy = malloc(view.size + 1);
    if (!copy)
        arena_out_of_memory();
    memcpy(copy, view.data, view.size);
    copy[view.size] = '\0';
    return (struct file_view){.data = copy, .size = view.size};
}
