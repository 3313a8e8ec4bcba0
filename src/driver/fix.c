/*
 * fix.c - nnefc check --fix: checks, fixes and checks again until nothing is proposed
 *
 * A change may reveal other faults, and changes that overlap cannot be made at once, so there are
 * rounds, on texts in memory. Files are written after the last round.
 */
#include "driver/fix.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The errors that a round finds at most; changes that overlap take a round each. */
enum { ERRORS_A_ROUND = 10000, MOST_ROUNDS = 100 };

/* --- one round --------------------------------------------------------------------------- */

/* With a 0 behind it. */
static char *copy_of(const char *data, size_t size)
{
    return memcpy(zeroed_items(size + 1, 1), data, size);
}

/* Keep the text as it was read first, and make changes; sets *again if there are any. */
static enum nnefc_status mend_part(struct mending *m, const struct nnefc_model *model,
                                   enum nnefc_part which, bool *again)
{
    struct nnefc_text text = nnefc_model_text(model, which);
    struct mended *part = &m->part[which];
    char *after;
    size_t size;

    if (!part->before && text.name) {
        if (!text.path)
            return usage_error(
                m->command, "cannot mend '%s', which is in an archive; unpack it first", text.name);
        part->path = must_have(strdup(text.path));
        part->before = copy_of(text.data, text.size);
        part->after = copy_of(text.data, text.size);
        part->before_size = part->after_size = text.size;
    }
    int faults = nnefc_model_fixed_text(model, which, &after, &size);
    if (faults == 0)
        return NNEFC_OK;
    assert(part->path);
    free(part->after);
    part->after = after;
    part->after_size = size;
    *again = part->changed = true;
    m->faults += faults;
    return NNEFC_OK;
}

/* Check the texts as they are now, and fix them; sets *again if there was something to fix. */
static enum nnefc_status look_and_mend(struct mending *m, bool *again)
{
    struct loading loading = *m->loading;
    enum nnefc_status status = NNEFC_OK;

    assert(!m->written && !m->unread);
    *again = false;
    if (loading.error_limit != 0)
        loading.error_limit = ERRORS_A_ROUND;
    struct nnefc_model *model = prepare_model(&loading);
    bool ok = true;
    for (int i = 0; i < MENDED_PARTS; i++) {
        const struct mended *part = &m->part[i];
        if (part->path && (part->changed || is_standard(part->path)))
            ok &=
                nnefc_model_set_text(model, part->path, part->after, part->after_size) == NNEFC_OK;
    }
    check_memory(model);
    if (!ok) {
        nnefc_model_free(model);
        return NNEFC_OK;
    }
    load_prepared(&loading, model, m->path);
    check_memory(model);
    m->left = nnefc_model_diagnostics(model)->count + nnefc_model_hidden_count(model);
    if (!nnefc_model_text(model, NNEFC_PART_DOCUMENT).name) {
        m->unread = model;
        return NNEFC_OK;
    }
    for (int i = 0; i < MENDED_PARTS && status == NNEFC_OK; i++)
        status = mend_part(m, model, (enum nnefc_part)i, again);
    nnefc_model_free(model);
    return status;
}

/* --- all rounds ---------------------------------------------------------------------------- */

/* A pipe or device can be read only once, and nothing can be written back. */
static bool is_stream(const struct command *command, const char *path)
{
    bool stream = path && strcmp(path, "-") != 0 && path_is_stream(path);

    if (stream)
        usage_error(
            command,
            "cannot mend '%s', which is a pipe or device; give the model as standard input, -",
            path);
    return stream;
}

enum nnefc_status mend(struct mending *m)
{
    enum nnefc_status status = NNEFC_OK, written;
    bool again = true;

    if (is_stream(m->command, m->path) || is_stream(m->command, m->loading->quant_file))
        return NNEFC_USAGE;
    for (int i = 0; i < MOST_ROUNDS && again && status == NNEFC_OK; i++)
        status = look_and_mend(m, &again);
    if (status != NNEFC_OK || m->unread)
        return status;
    /* Write what has changed, or print the difference; standard output gets the text in any case.
     */
    for (int i = 0; i < MENDED_PARTS; i++) {
        const struct mended *part = &m->part[i];
        if (!part->changed && (m->diff || !is_standard(part->path)))
            continue;
        if (m->diff) {
            unified_print(stdout, part);
            continue;
        }
        struct nnefc_model *model = new_model();
        written = nnefc_model_write_text(model, part->path, part->after, part->after_size);
        close_model(m->command, model);
        status = written > status ? written : status;
    }
    m->written = status == NNEFC_OK;
    return status;
}

struct nnefc_model *mend_load(const struct mending *mending)
{
    struct nnefc_model *model = mending->unread;

    if (model)
        return model;
    model = prepare_model(mending->loading);
    for (int i = 0; i < MENDED_PARTS; i++) {
        const struct mended *part = &mending->part[i];
        if (is_standard(part->path))
            nnefc_model_set_text(model, part->path, mending->diff ? part->before : part->after,
                                 mending->diff ? part->before_size : part->after_size);
    }
    load_prepared(mending->loading, model, mending->path);
    return model;
}

void mend_end(struct mending *mending)
{
    const char *model = is_standard(mending->path) ? "<stdin>" : mending->path;
    const char *s = mending->faults == 1 ? "" : "s";

    if (mending->written && mending->faults + mending->left > 0)
        usage_note(mending->command,
                   mending->diff ? "%s: --fix mends %d fault%s, %d left"
                                 : "%s: %d fault%s mended, %d left",
                   model, mending->faults, s, mending->left);
    for (int i = 0; i < MENDED_PARTS; i++) {
        free(mending->part[i].path);
        free(mending->part[i].before);
        free(mending->part[i].after);
    }
}
