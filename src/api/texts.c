/*
 * texts.c - the texts that a model is read from: drafts of them, and what their fixes make of them
 *           (texts.h)
 */
#include "api/api_priv.h"
#include "base/text.h"
#include "diag/source.h"
#include "file/out.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- drafts ------------------------------------------------------------------------------ */

/* What the client wants to be read instead of the file of that path. */
struct draft {
    struct draft *next; /* the last that was set is the first */
    struct text path;   /* as the client wrote it */
    struct text text;   /* both on the heap: drafts_free() */
};

/* By the path as it was written, not by the file behind it. */
static struct draft *draft_find(const struct nnefc_model *model, const char *path)
{
    struct draft *draft = model->drafts;

    while (draft && strcmp(draft->path.data, path) != 0)
        draft = draft->next;
    return draft;
}

/* A second text of one path takes the place of the first. */
bool api_model_set_text(struct nnefc_model *model, const char *path, const char *text, size_t size)
{
    if (!path || !text)
        return misuse(model, "a text needs the path of its file");
    if (!text_allowed(model, file_input_name(path), size))
        return false;
    struct draft *draft = draft_find(model, path);
    if (!draft) {
        draft = heap_array(1, sizeof *draft);
        text_add(&draft->path, "%s", path);
        draft->next = model->drafts;
        model->drafts = draft;
    }
    text_free(&draft->text);
    text_add_bytes(&draft->text, text, size);
    return true;
}

/* The model owns its text, and a draft may be asked for again. */
char *draft_copy(const struct nnefc_model *model, const char *path, size_t *size)
{
    const struct draft *draft = draft_find(model, path);
    struct text copy = {0};

    if (!draft)
        return NULL;
    text_add_bytes(&copy, draft->text.data, draft->text.size);
    *size = copy.size;
    return copy.data;
}

void drafts_free(struct nnefc_model *model)
{
    for (struct draft *draft = model->drafts, *next; draft; draft = next) {
        next = draft->next;
        text_free(&draft->path);
        text_free(&draft->text);
        free(draft);
    }
    model->drafts = NULL;
}

/* --- what was read ----------------------------------------------------------------------- */

const char *keep_text(const struct nnefc_model *model, const char *text)
{
    return text ? arena_strndup(model->context->arena, text, strlen(text)) : NULL;
}

/* The limit holds for drafts and texts of clients as for files. */
bool text_allowed(const struct nnefc_model *model, const char *name, size_t size)
{
    int64_t most = model->context->limits.text;

    assert(most >= 0);
    return size <= (uint64_t)most || file_text_too_large(model->context->diag, name, most);
}

/* Spans have offsets of 32 bits, so that they take 8 bytes, and all texts together have a limit. */
bool enter_text(const struct nnefc_model *model, const char *name, const char *text, size_t size,
                struct span *at)
{
    uint32_t base = sources_add(model->context->sources, name, text, size);

    if (base == 0)
        return diag_file_error(model->context->diag, name, DIAG_NOT_SUPPORTED,
                               "the text is larger than 4 GiB");
    *at = (struct span){base, base + (uint32_t)size};
    return true;
}

/* NULL if that part was not read. */
static const struct origin *origin_of(const struct nnefc_model *model, enum nnefc_part part)
{
    bool there = model && (part == NNEFC_PART_DOCUMENT || part == NNEFC_PART_QUANT);

    return there && model->origin[part].at.begin ? &model->origin[part] : NULL;
}

struct nnefc_text nnefc_model_text(const struct nnefc_model *model, enum nnefc_part which)
{
    const struct origin *origin = origin_of(model, which);
    struct nnefc_text result = {.data = ""};
    struct location where;

    if (!origin || !sources_locate(model->context->sources, origin->at.begin, &where))
        return result;
    result.name = where.file;
    result.path = origin->path;
    result.data = sources_text(model->context->sources, origin->at, &result.size);
    return result;
}

/* Counts the fix-its that were applied; 0 if that part was not read, or there is no place for the
 * text. */
int api_model_fixed_text(const struct nnefc_model *model, enum nnefc_part which, char **text,
                         size_t *size)
{
    const struct origin *origin = text && size ? origin_of(model, which) : NULL;
    struct text fixed = {0};
    int count = origin ? fixit_apply(model->context->diag, origin->at, &fixed) : 0;

    if (text)
        *text = fixed.data;
    if (size)
        *size = fixed.size;
    return count;
}

bool write_text(const struct nnefc_model *model, const char *path, const char *text, size_t size)
{
    struct out_set set = {model->context->diag, model->force, .count = 0};
    struct out_file *file = out_open(&set, path);

    if (file)
        out_write(file, text, size);
    return out_commit(&set, file);
}

bool api_model_write_text(struct nnefc_model *model, const char *path, const char *text,
                          size_t size)
{
    if (!path || !text)
        return misuse(model, "there is no text or no file to write it to");
    return write_text(model, path, text, size);
}
