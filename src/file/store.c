/* store.c - finds the files of a model in a folder or an archive */
#include "file/store.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/container.h"
#include "file/file.h"
#include "file/label.h"
#include "file/listing.h"
#include "file/path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char document_file[] = "graph.nnef";

struct store {
    struct limits limits;
    char *folder;                /* NULL: an archive, or no place for data */
    char *document;              /* name of the document, for diagnostics */
    char *path;                  /* its file; NULL: not known yet, or no file */
    struct file_view text;       /* its bytes, if opening the store read them */
    struct container *container; /* NULL: no archive */
    char *prefix;                /* of the members of the model: "" or "folder/" */
    const struct label_alias *aliases;
};

/* --- paths ------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *file)
{
    struct text path = {0};
    size_t size = strlen(folder);

    text_add(&path, "%s%s%s", folder, size > 0 && folder[size - 1] == '/' ? "" : "/", file);
    return path.data;
}

/* --- opening ----------------------------------------------------------------------------- */

static struct store *new_store(const struct limits *limits, char *folder)
{
    struct store *store = heap_array(1, sizeof *store);

    store->limits = *limits;
    store->folder = folder;
    return store;
}

/* Whether a member is a text of a model, in the outermost folder or one below. */
static bool is_text_member(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *file = slash ? slash + 1 : name;

    return strcmp(file, document_file) == 0 || strcmp(file, "graph.quant") == 0;
}

static struct store *open_archive(struct diag *diag, const struct limits *limits, const char *path,
                                  struct file_view *file)
{
    const char *name = file_input_name(path);
    struct container *container = container_open(diag, limits, name, file, is_text_member);

    if (!container)
        return NULL;
    struct store *store = new_store(limits, NULL);
    store->container = container;

    /* Find the prefix.  An archive without a document has only data, at the top. */
    bool wrapped = !container_find_exact(container, document_file);
    for (size_t i = 0; wrapped && i < container_count(container); i++) {
        const char *member = container_at(container, i)->name, *slash = strchr(member, '/');
        if (!slash || strcmp(slash + 1, document_file) != 0)
            continue;
        if (store->prefix) {
            diag_file_error(diag, name, DIAG_ARCHIVE, "archive has several models: '%s%s' and '%s'",
                            store->prefix, document_file, member);
            store_close(store);
            return NULL;
        }
        store->prefix = text_copy(member, (size_t)(slash - member) + 1);
    }
    store->prefix = store->prefix ? store->prefix : text_copy("", 0);
    char *inner = join(name, store->prefix);
    store->document = join(inner, document_file);
    free(inner);
    return store;
}

static bool is_archive(const struct file_view *file)
{
    return container_recognise(file) != CONTAINER_NONE;
}

/* `data_only`: the path of a folder that need not exist, or of an archive. */
static struct store *open_path(struct diag *diag, const struct limits *limits, const char *path,
                               bool data_only)
{
    const struct file_request wanted = {.budget = limits->memory,
                                        .known = is_archive,
                                        .otherwise = data_only ? 0 : limits->text,
                                        .read = limits->read_files};
    struct file_view file;
    struct stat status;

    assert(limits->memory >= 0 && limits->text >= 0);
    bool exists = stat(path, &status) == 0;
    if (exists ? S_ISDIR(status.st_mode) : data_only) {
        struct store *store = new_store(limits, text_copy(path, strlen(path)));
        store->document = join(path, document_file);
        return store;
    }
    if (!file_open(diag, path, &wanted, &file))
        return NULL;
    if (is_archive(&file))
        return open_archive(diag, limits, path, &file);
    if (data_only) {
        file_close(&file);
        diag_file_error(diag, path, DIAG_ARCHIVE, "neither a folder nor an archive");
        return NULL;
    }
    /* A document; its data lie beside it, but there is no such place beside stdin. */
    const char *name = file_input_name(path), *slash = strrchr(path, '/');
    char *folder = NULL;
    if (name == path)
        folder =
            slash ? text_copy(path, slash == path ? 1 : (size_t)(slash - path)) : text_copy(".", 1);
    struct store *store = new_store(limits, folder);
    store->document = text_copy(name, strlen(name));
    store->path = text_copy(path, strlen(path));
    store->text = file;
    return store;
}

struct store *store_open(struct diag *diag, const struct limits *limits, const char *path)
{
    return open_path(diag, limits, path, false);
}

struct store *store_open_data(struct diag *diag, const struct limits *limits, const char *path)
{
    return open_path(diag, limits, path, true);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    file_close(&store->text);
    container_close(store->container);
    free(store->prefix);
    free(store->document);
    free(store->path);
    free(store->folder);
    free(store);
}

void store_set_budget(struct store *store, int64_t budget)
{
    assert(budget >= 0);
    store->limits.memory = budget;
}

int64_t store_memory(const struct store *store)
{
    return store->container ? container_memory(store->container) : 0;
}

bool store_has_data(const struct store *store)
{
    return store->folder || store->container;
}

const char *store_folder(const struct store *store)
{
    return store->folder;
}

const char *store_document_name(const struct store *store)
{
    return store->document;
}

const struct file_view *store_file(const struct store *store)
{
    return store->text.data && !store->container ? &store->text : NULL;
}

const char *store_document_path(const struct store *store)
{
    return store->path;
}

/* --- texts ------------------------------------------------------------------------------- */

/* Refuse a text that is too large, if possible before it is read. */
static bool check_size(struct diag *diag, const struct store *store, const char *name,
                       uint64_t size)
{
    return size <= (uint64_t)store->limits.text ||
           file_text_too_large(diag, name, store->limits.text);
}

/*
 * Move the bytes of a view, with a NUL behind them, to *data: a copy if the view is mapped.  Closes
 * the view.  False after a report.
 */
static bool take_text(struct diag *diag, const char *name, struct file_view *view, char **data,
                      size_t *size)
{
    *data = view->data;
    *size = view->size;
    if (!view->mapped)
        return true;
    assert(view->data);
    *data = malloc(view->size + 1);
    if (*data) {
        memcpy(*data, view->data, view->size);
        (*data)[view->size] = '\0';
    } else
        diag_file_error(diag, name, DIAG_RUN_MEMORY, "not enough memory for a text of %zu bytes",
                        view->size);
    file_close(view);
    return *data != NULL;
}

/* The member of the archive with that name below the prefix; NULL if there is none. */
static struct archive_member *find_member(const struct store *store, const char *file)
{
    struct text name = {0};

    text_add(&name, "%s%s", store->prefix, file);
    struct archive_member *member = container_find(store->container, name.data);
    text_free(&name);
    return member;
}

static bool no_file(struct diag *diag, const char *name)
{
    return diag_file_error(diag, name, DIAG_ARCHIVE,
                           "links and devices in an archive are not followed");
}

/* Read a member, unless it has been read before. */
static bool read_member(struct diag *diag, struct store *store, struct archive_member *member)
{
    member->wanted = true;
    return container_fetch(diag, store->container, member->size);
}

static bool archived_text(struct diag *diag, struct store *store, struct archive_member *member,
                          struct file_view *view)
{
    if (!member->is_file)
        return no_file(diag, store->document);
    if (!check_size(diag, store, store->document, (uint64_t)member->size) ||
        !read_member(diag, store, member))
        return false;
    *view = container_take(member);
    return true;
}

/* Open a file of the folder; file.h has the contract. */
static bool open_in(struct diag *diag, const struct store *store, const struct folder_file *file,
                    struct found_file *found, struct path_fault *fault)
{
    const struct file_request wanted = {.budget = store->limits.memory,
                                        .read = store->limits.read_files};

    return file_open_in(diag, file, &wanted, found, fault);
}

/* Open the document; if there is none, suggest another document of the folder. */
static bool document_in_folder(struct diag *diag, struct store *store, struct file_view *view)
{
    const struct folder_file wanted = {store->folder, document_file};
    struct path_fault fault = {0};
    struct found_file found;
    bool ok = open_in(diag, store, &wanted, &found, &fault);

    *view = found.view;
    store->path = found.path;
    if (!ok && fault.absent) {
        struct listing documents = listing_of(store->folder, ".nnef");
        const char *near = listing_nearest(&documents, "graph");
        if (!near && documents.count == 1)
            near = documents.names[0];
        diag_file_error(diag, store->document, DIAG_CANNOT_READ, "the folder has no document '%s'",
                        document_file);
        if (near) {
            char *meant = join(store->folder, near);
            diag_help(diag, "pass '%s.nnef', which is there.", meant);
            free(meant);
        }
        listing_free(&documents);
    } else if (!ok && fault.why)
        path_report(diag, &fault);
    path_fault_clear(&fault);
    return ok;
}

bool store_document(struct diag *diag, struct store *store, char **data, size_t *size)
{
    struct file_view view = store->text;

    store->text = (struct file_view){0};
    if (store->container) {
        struct archive_member *member = find_member(store, document_file);
        if (!member)
            return diag_file_error(diag, container_name(store->container), DIAG_ARCHIVE,
                                   "archive has no member '%s'", document_file);
        if (!archived_text(diag, store, member, &view))
            return false;
    }
    if (!view.data && store->folder && !store->path && !document_in_folder(diag, store, &view))
        return false;
    if (check_size(diag, store, store->document, view.size))
        return take_text(diag, store->document, &view, data, size);
    file_close(&view);
    return false;
}

bool store_text(struct diag *diag, struct store *store, const char *file, char **data, size_t *size)
{
    struct file_view view = {0};

    *data = NULL;
    *size = 0;
    if (store->container) {
        struct archive_member *member = find_member(store, file);
        if (member && !archived_text(diag, store, member, &view))
            return false;
    } else if (store->folder) {
        const struct folder_file wanted = {store->folder, file};
        char *path = join(store->folder, file);
        struct found_file found = {.path = NULL};
        struct stat status;
        bool there = stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
        free(path);
        if (there && !open_in(diag, store, &wanted, &found, NULL))
            return false;
        view = found.view;
        free(found.path);
    }
    if (!view.data)
        return true;
    if (check_size(diag, store, file, view.size))
        return take_text(diag, file, &view, data, size);
    file_close(&view);
    return false;
}

/* --- data -------------------------------------------------------------------------------- */

void store_set_aliases(struct store *store, const struct label_alias *aliases)
{
    store->aliases = aliases;
}

/* The label whose file has the data. */
static const char *stored_label(const struct store *store, const char *label)
{
    for (const struct label_alias *alias = store->aliases; alias; alias = alias->next)
        if (strcmp(alias->label, label) == 0)
            return alias->stored;
    return label;
}

/* The member of a valid label; NULL if there is none. */
static struct archive_member *member_of(const struct store *store, const char *label)
{
    char *file = label_file(stored_label(store, label));
    struct archive_member *member = find_member(store, file);

    assert(store->container);
    free(file);
    return member;
}

bool store_prepare(struct diag *diag, struct store *store, const struct store_order *order)
{
    assert(order->count >= 0);
    if (!store->container)
        return true;
    for (int i = 0; i < order->count; i++) {
        struct archive_member *member =
            label_valid(order->labels[i], NULL) ? member_of(store, order->labels[i]) : NULL;
        if (member)
            member->wanted = true;
    }
    return container_fetch(diag, store->container, order->limit);
}

static bool data_in_archive(struct diag *diag, struct store *store, const char *label,
                            struct found_file *found, struct path_fault *fault)
{
    const char *archive = container_name(store->container), *why = "";

    if (!label_valid(label, &why))
        return diag_file_error(diag, archive, DIAG_LABEL, "label '%s' has %s", label, why);
    struct archive_member *member = member_of(store, label);
    char *inner = join(archive, store->prefix), *file = label_file(label);
    char *name = join(inner, file);
    free(inner);
    free(file);
    if (!member)
        path_fault_set(fault, DIAG_CANNOT_READ, name,
                       "cannot read: the archive has no such member");
    else if (!member->is_file)
        no_file(diag, name);
    else if (read_member(diag, store, member)) {
        *found = (struct found_file){container_view(member), name};
        return true;
    }
    free(name);
    return false;
}

bool store_data(struct diag *diag, struct store *store, const char *label, struct found_file *found,
                struct path_fault *fault)
{
    struct path_fault unasked = {0}, *why = fault ? fault : &unasked;

    bool ok = false;

    assert(label);
    *found = (struct found_file){.path = NULL};
    if (store->container)
        ok = data_in_archive(diag, store, label, found, why);
    else {
        char *file = path_of_label(store->folder, stored_label(store, label), why);
        const struct folder_file wanted = {store->folder, file};
        ok = file && open_in(diag, store, &wanted, found, why);
        free(file);
    }
    if (unasked.why)
        path_report(diag, &unasked);
    return ok;
}

/* Where the folder has the data of a label, to be freed; NULL with a fault. */
static char *find_data(const struct store *store, const char *label, struct path_fault *fault)
{
    char *file = path_of_label(store->folder, stored_label(store, label), fault);
    char *path = file ? path_find(&(struct folder_file){store->folder, file}, false, fault) : NULL;

    free(file);
    return path;
}

bool store_holds(const struct store *store, const char *label)
{
    struct path_fault fault = {0};

    if (store->container)
        return label_valid(label, NULL) && member_of(store, label);
    if (!store->folder)
        return false;
    char *path = find_data(store, label, &fault);
    bool holds = path || fault.code != DIAG_CANNOT_READ || !fault.absent;
    path_fault_clear(&fault);
    free(path);
    return holds;
}

char *store_data_path(const struct store *store, const char *label)
{
    struct path_fault fault = {0};
    char *path = store->folder && !store->container ? find_data(store, label, &fault) : NULL;

    path_fault_clear(&fault);
    return path;
}

/*
 * The label nearest to `label` of a member in the same folder, or one that is label_flat_equal() in
 * any folder.
 */
static char *nearest_member(const struct store *store, const char *label)
{
    size_t prefix = strlen(store->prefix), tail = strlen(".dat");
    struct text text = {0}, best = {0};
    bool flat = false;

    label += *label == '/';
    const char *slash = strrchr(label, '/');
    size_t folder = slash ? (size_t)(slash - label) : 0;
    struct nearest nearest = nearest_to(label);
    for (size_t i = 0; i < container_count(store->container) && !flat; i++) {
        const char *name = container_at(store->container, i)->name;
        size_t size = strlen(name);
        if (size <= prefix + tail || strcmp(name + size - tail, ".dat") != 0 ||
            strncmp(name, store->prefix, prefix) != 0)
            continue;
        text.size = 0;
        text_add_bytes(&text, name + prefix, size - prefix - tail);
        slash = strrchr(text.data, '/');
        bool beside = folder == (slash ? (size_t)(slash - text.data) : 0) &&
                      memcmp(text.data, label, folder) == 0;
        flat = label_flat_equal(text.data, label);
        if (!flat && (!beside || !nearest_take(&nearest, text.data)))
            continue;
        best.size = 0;
        text_add(&best, "%s", text.data);
    }
    text_free(&text);
    return best.data;
}

char *store_nearest(const struct store *store, const char *label)
{
    if (store->container)
        return nearest_member(store, label);
    return store->folder ? label_nearest(store->folder, label) : NULL;
}
