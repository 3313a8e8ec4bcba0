/* npz.c - arrays in zip archives */
#include "file/npz.h"

#include "base/text.h"
#include "diag/diag.h"
#include "file/container.h"
#include "file/npy.h"
#include "file/packer.h"

#include <assert.h>

bool npz_recognise(const struct file_view *file)
{
    return container_recognise(file) == CONTAINER_ZIP;
}

struct archive_member *npz_find(const struct container *container, const char *array)
{
    struct text name = {0};

    text_add(&name, "%s.npy", array);
    struct archive_member *member = container_find_exact(container, name.data);
    text_free(&name);
    return member ? member : container_find_exact(container, array);
}

/* The bytes of an array, under a name that the caller frees; false after a report. */
static bool fetch(struct diag *diag, struct container *container, struct archive_member *member,
                  struct file_view *view, struct text *name)
{
    assert(member);
    member->wanted = true;
    if (!container_fetch(diag, container, member->size))
        return false;
    *view = container_take(member);
    text_add(name, "%s:%s", container_name(container), member->name);
    return true;
}

bool npz_take(struct diag *diag, struct container *container, const struct npz_request *wanted,
              struct tensor *tensor, struct item_format *format)
{
    struct text name = {0};
    struct file_view view;

    if (!fetch(diag, container, wanted->member, &view, &name))
        return false;
    struct reading reading = {diag, name.data, wanted->budget};
    bool ok = npy_read_view(&reading, &view, tensor, format);
    text_free(&name);
    return ok;
}

bool npz_take_shape(struct diag *diag, struct container *container,
                    const struct npz_request *wanted, struct shape *shape)
{
    struct text name = {0};
    struct file_view view;

    if (!fetch(diag, container, wanted->member, &view, &name))
        return false;
    struct reading reading = {diag, name.data, wanted->budget};
    bool ok = npy_read_shape(&reading, &view, shape);
    file_close(&view);
    text_free(&name);
    return ok;
}

bool npz_missing(struct diag *diag, const struct container *container, const char *array)
{
    enum { SHOWN = 8 };
    size_t count = container_count(container);
    struct text names = {0};

    for (size_t i = 0; i < count && i < SHOWN; i++)
        text_add(&names, "%s'%s'", i ? ", " : "", container_at(container, i)->name);
    text_add(&names, "%s", count == 0 ? "nothing" : count > SHOWN ? ", ..." : "");
    diag_file_error(diag, container_name(container), DIAG_INPUT_UNKNOWN,
                    "archive has no array '%s'; it has %s", array, names.data);
    text_free(&names);
    return false;
}

bool npz_put(struct diag *diag, struct out_file *file, const struct npz_list *list)
{
    struct packer *packer = packer_open(file, PACKER_ZIP);
    struct sink sink = packer_sink(packer);
    bool ok = true;

    assert(list->count >= 0);
    for (int i = 0; ok && i < list->count; i++) {
        struct text name = {0};
        text_add(&name, "%s.npy", list->item[i].name);
        packer_begin(packer, name.data, npy_size(list->item[i].tensor));
        text_free(&name);
        ok = npy_put(diag, &sink, list->item[i].tensor, NULL);
    }
    return packer_end(diag, packer, ok);
}
