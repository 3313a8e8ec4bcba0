/*
 * container.c - reads archives by libarchive, within limits on their size
 *
 * The list is sorted by label_compare(), so that names that differ only in case are neighbours.
 */
#include "file/container.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/label.h"
#include "file/libarchive.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_LIMIT = 64 << 20, /* bytes of the list of members */
    EAGER_LIMIT = 16 << 20,
    UNPACK_RATIO = 16, /* unpacked to packed size; weights rarely compress better */
    TAR_BLOCK = 512,   /* bytes; the least that a member of a tar takes */
};

struct container {
    struct libarchive libarchive;
    struct limits limits;
    char *name;
    struct file_view file;
    enum container_form form;
    bool (*eager)(const char *name);
    int64_t eager_bytes;            /* read so far for `eager` */
    struct archive_member *members; /* sorted by name once the archive is open */
    size_t count;
    size_t list_bytes; /* memory of `members` and their names */
};

/* A scan of the archive; `entry` describes the current member and is owned. */
struct scan {
    struct diag *diag;
    struct container *container;
    const struct libarchive *lib;
    struct archive *archive;
    struct archive_entry *entry;
    int64_t unpacked; /* bytes up to the end of the current entry */
    size_t ordinal;   /* of the current entry */
};

/* --- recognition ------------------------------------------------------------------------- */

/*
 * A header of tar holds the sum of its bytes, in which the sum itself counts as spaces.  Old
 * archives have no other mark.
 */
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
    static const struct {
        enum container_form form;
        size_t size;
        const char *bytes;
    } magic[] = {
        {CONTAINER_ZIP, 4, "PK\3\4"},
        {CONTAINER_ZIP, 4, "PK\5\6"},           /* without members */
        {CONTAINER_TAR, 2, "\x1f\x8b"},         /* gzip */
        {CONTAINER_TAR, 2, "\x1f\x9d"},         /* compress */
        {CONTAINER_TAR, 3, "BZh"},              /* bzip2 */
        {CONTAINER_TAR, 6, "\xfd\x37zXZ\0"},    /* xz */
        {CONTAINER_TAR, 3, "\x5d\0\0"},         /* lzma */
        {CONTAINER_TAR, 4, "LZIP"},             /* lzip */
        {CONTAINER_TAR, 4, "\x04\x22\x4d\x18"}, /* lz4 */
        {CONTAINER_TAR, 4, "\x28\xb5\x2f\xfd"}, /* zstd */
    };

    for (size_t i = 0; i < sizeof magic / sizeof magic[0]; i++)
        if (file->size >= magic[i].size && memcmp(file->data, magic[i].bytes, magic[i].size) == 0)
            return magic[i].form;
    return is_tar(file) ? CONTAINER_TAR : CONTAINER_NONE;
}

/* --- scans by libarchive ----------------------------------------------------------------- */

/* Report the message of libarchive, or else that the archive is damaged.  Always false. */
static bool scan_damaged(const struct scan *s)
{
    const char *why = s->lib->error_string(s->archive);

    return diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE, "cannot read archive: %s",
                           why ? why : "it is damaged");
}

/* Begin a scan.  False after a report; scan_close() is needed even then. */
static bool scan_open(struct scan *s, struct diag *diag, struct container *c)
{
    const char *why;

    *s = (struct scan){.diag = diag, .container = c, .lib = &c->libarchive};
    if (!libarchive_load(&c->libarchive, &why)) {
        diag_file_error(diag, c->name, DIAG_ARCHIVE, "cannot read archive: %s", why);
        return diag_help(diag, "install libarchive, or unpack the archive.");
    }
    s->archive = s->lib->read_new();
    s->entry = s->lib->entry_new();
    if (!s->archive || !s->entry)
        arena_out_of_memory();
    if (c->form == CONTAINER_ZIP)
        s->lib->read_support_format_zip_seekable(s->archive);
    else {
        /* No filter that starts a program: the bytes are not trusted. */
        s->lib->read_support_filter_gzip(s->archive);
        s->lib->read_support_filter_compress(s->archive);
        s->lib->read_support_filter_bzip2(s->archive);
        s->lib->read_support_filter_xz(s->archive);
        s->lib->read_support_filter_lzma(s->archive);
        s->lib->read_support_filter_lzip(s->archive);
        s->lib->read_support_filter_lz4(s->archive);
        s->lib->read_support_filter_zstd(s->archive);
        s->lib->read_support_format_tar(s->archive);
    }
    return s->lib->read_open_memory(s->archive, c->file.data, c->file.size) == ARCHIVE_OK ||
           scan_damaged(s);
}

static void scan_close(struct scan *s)
{
    if (!s->archive)
        return;
    s->lib->read_free(s->archive);
    s->lib->entry_free(s->entry);
}

/* Go to the next entry and check its size; *more is false at the end.  False after a report. */
static bool scan_next(struct scan *s, bool *more)
{
    const struct container *c = s->container;
    int status = s->lib->read_next_header2(s->archive, s->entry);

    *more = status != ARCHIVE_EOF;
    if (!*more)
        return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return scan_damaged(s);
    s->ordinal++;
    /* The limit is that of the user, plus a multiple of the size of the archive. */
    int64_t most = INT64_MAX - c->limits.unpacked, packed = (int64_t)c->file.size;
    int64_t limit =
        c->limits.unpacked + (packed > most / UNPACK_RATIO ? most : packed * UNPACK_RATIO);
    int64_t size = s->lib->entry_size(s->entry);
    if (size < 0 || (size == 0 && !s->lib->entry_size_is_set(s->entry) &&
                     s->lib->entry_filetype(s->entry) == AE_IFREG))
        return diag_file_error(s->diag, c->name, DIAG_ARCHIVE,
                               "cannot read archive: the size of a member is not known");
    if (size > limit - TAR_BLOCK || s->unpacked > limit - TAR_BLOCK - size) {
        diag_file_error(s->diag, c->name, DIAG_ARCHIVE_LIMIT,
                        "archive of %zu bytes unpacks to more than %" PRId64, c->file.size, limit);
        return diag_help(s->diag, "raise the limit with --limit=unpacked=N if it is no trap.");
    }
    s->unpacked += size + TAR_BLOCK;
    return true;
}

/*
 * Read the blocks of the current entry into member->view, which the caller closes on failure.  A
 * sparse member has zeros between its blocks.
 */
static bool read_blocks(struct scan *s, struct archive_member *member)
{
    const struct file_view *file = &s->container->file;
    const void *block;
    size_t size;
    la_int64_t at;
    int status = s->lib->read_data_block(s->archive, &block, &size, &at);

    /* A member that is not compressed is one block, and is used where it lies in the archive. */
    bool whole = status == ARCHIVE_OK && at == 0 && size == (uint64_t)member->size;
    uintptr_t before = whole ? (uintptr_t)block - (uintptr_t)file->data : SIZE_MAX;
    if (whole && before <= file->size && size <= file->size - before) {
        member->view =
            (struct file_view){.data = (char *)file->data + before, .size = size, .borrowed = true};
        status = s->lib->read_data_block(s->archive, &block, &size, &at);
    } else {
        size_t bytes = (size_t)member->size;
        member->view = (struct file_view){.data = calloc(1, bytes + 1), .size = bytes};
        if (!member->view.data)
            return diag_file_error(s->diag, s->container->name, DIAG_RUN_MEMORY,
                                   "not enough memory for the %zu bytes of member '%s'", bytes,
                                   member->name);
    }
    for (; status == ARCHIVE_OK; status = s->lib->read_data_block(s->archive, &block, &size, &at)) {
        if (at < 0 || at > member->size || size > (uint64_t)(member->size - at))
            return scan_damaged(s);
        if (size > 0 && !member->view.borrowed)
            memcpy((char *)member->view.data + at, block, size);
    }
    return status == ARCHIVE_EOF || scan_damaged(s);
}

/*
 * Read all bytes of `member`, which must be the current entry and unread.  False after a report;
 * the member remains unread then.
 */
static bool scan_read(struct scan *s, struct archive_member *member)
{
    assert(member->ordinal == s->ordinal && !member->view.data && member->size >= 0);
    if (read_blocks(s, member))
        return true;
    file_close(&member->view);
    return false;
}

/* --- the list of members ----------------------------------------------------------------- */

/* Whether `name` begins with '/', '\\' or a drive as in "C:". */
static bool is_absolute(const char *name)
{
    bool drive =
        ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')) && name[1] == ':';

    return *name == '/' || *name == '\\' || drive;
}

/* Whether the target `name` of a link that lies `depth` folders deep leaves the archive. */
static bool leads_out(const char *name, int depth)
{
    bool out = is_absolute(name);

    assert(depth >= 0);
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

/* Add the current entry under `name`, which the container takes over. */
static bool add_named(struct scan *s, char *name)
{
    struct container *c = s->container;

    c->members = heap_list(c->members, (int64_t)c->count, sizeof *c->members);
    const char *soft = s->lib->entry_symlink(s->entry), *hard = s->lib->entry_hardlink(s->entry);
    struct archive_member *member = &c->members[c->count++];
    *member = (struct archive_member){
        .name = name,
        .size = s->lib->entry_size(s->entry),
        .is_file = s->lib->entry_filetype(s->entry) == AE_IFREG && !hard,
        .ordinal = s->ordinal,
    };
    c->list_bytes += sizeof *member + strlen(name) + 1;
    if (c->list_bytes > LIST_LIMIT || (int64_t)c->count > c->limits.members) {
        diag_file_error(s->diag, c->name, DIAG_ARCHIVE_LIMIT,
                        "archive has more than %" PRId64 " members, or their names are too long",
                        c->limits.members);
        return diag_help(s->diag, "raise the limit on members with --limit=members=N.");
    }
    /* The target of a symbolic link is relative to the folder of the link, of a hard one to the
     * top. */
    int depth = 0;
    for (const char *at = name; *at; at++)
        depth += *at == '/';
    if ((soft && leads_out(soft, depth)) || (hard && leads_out(hard, 0)))
        return diag_file_error(s->diag, c->name, DIAG_OUTSIDE,
                               "member '%s' is a link to '%s', which leads out of the archive",
                               name, soft ? soft : hard);
    if (!c->eager || !member->is_file || !c->eager(name) ||
        member->size > EAGER_LIMIT - c->eager_bytes)
        return true;
    c->eager_bytes += member->size;
    return scan_read(s, member);
}

/* Normalize the name of the current entry and add it; folders and empty names are skipped. */
static bool add_member(struct scan *s)
{
    const char *stored = s->lib->entry_pathname(s->entry);
    struct text name = {0};
    size_t size;

    stored = stored ? stored : s->lib->entry_pathname_utf8(s->entry);
    stored = stored ? stored : "";
    bool outside = is_absolute(stored);
    for (const char *c = stored; *c; c += size + (c[size] != '\0')) {
        size = strcspn(c, "/\\");
        outside |= size == 2 && strncmp(c, "..", 2) == 0;
        if (size == 0 || (size == 1 && *c == '.'))
            continue;
        text_add_bytes(&name, "/", name.size > 0);
        text_add_bytes(&name, c, size);
    }
    if (!outside && name.size > 0 && s->lib->entry_filetype(s->entry) != AE_IFDIR)
        return add_named(s, name.data);
    text_free(&name);
    return !outside || diag_file_error(s->diag, s->container->name, DIAG_OUTSIDE,
                                       "member '%s' leads out of the archive", stored);
}

/* By name; of equal names the last member of the archive comes first. */
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
    struct container *c = heap_array(1, sizeof *c);

    *c = (struct container){.limits = *limits,
                            .name = text_copy(name, strlen(name)),
                            .file = *file,
                            .form = container_recognise(file),
                            .eager = eager};
    *file = (struct file_view){0};
    struct scan s;
    bool more = true, ok = scan_open(&s, diag, c);
    while (ok && more)
        ok = scan_next(&s, &more) && (!more || add_member(&s));
    scan_close(&s);

    /* Of several members with one name, sorting puts the one to keep first. */
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

static size_t common_prefix(const char *a, const char *b)
{
    size_t size = 0;

    while (a[size] && a[size] == b[size])
        size++;
    return size;
}

struct archive_member *container_find(const struct container *c, const char *name)
{
    struct archive_member *best = NULL;
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (label_compare(c->members[middle].name, name, false) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    /*
     * All members from `low` on that compare equal are candidates.  The one that agrees with `name`
     * the longest is what a walk down folders would find.
     */
    for (size_t i = low; i < c->count && label_equal(c->members[i].name, name); i++) {
        struct archive_member *member = &c->members[i];
        if (!best || common_prefix(member->name, name) > common_prefix(best->name, name))
            best = member;
    }
    return best;
}

struct archive_member *container_find_exact(const struct container *c, const char *name)
{
    struct archive_member *member = container_find(c, name);

    return member && strcmp(member->name, name) == 0 ? member : NULL;
}

static int by_ordinal(const void *a, const void *b)
{
    const struct archive_member *const *x = a, *const *y = b;

    return ((*x)->ordinal > (*y)->ordinal) - ((*x)->ordinal < (*y)->ordinal);
}

/* Read `count` members, which are in the order of the archive. */
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
    struct archive_member **wanted = heap_array(c->count + 1, sizeof(struct archive_member *));
    size_t count = 0;
    bool ok = true;
    struct scan s;

    for (size_t i = 0; i < c->count; i++) {
        struct archive_member *member = &c->members[i];
        if (member->wanted && member->is_file && !member->view.data)
            wanted[count++] = member;
        member->wanted = false;
    }
    qsort(wanted, count, sizeof(struct archive_member *), by_ordinal);
    for (size_t i = 0; ok && i < count; i++) {
        ok = wanted[i]->size <= limit ||
             diag_file_error(diag, c->name, DIAG_ARCHIVE_LIMIT,
                             "member '%s' has %" PRId64 " bytes, more than is of use here, or than "
                             "there is memory for",
                             wanted[i]->name, wanted[i]->size);
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
    return (struct file_view){.data = text_copy(view.data, view.size), .size = view.size};
}
