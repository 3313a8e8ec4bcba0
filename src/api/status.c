/* status.c - diagnostics as clients see them (nnefc.h, texts.h), and the kind of outcome they
 * amount to */
#include "api/api_priv.h"
#include "base/text.h"
#include "diag/source.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* The kind of outcome that errors of a code amount to. */
struct code_status {
    enum diag_code code;
    enum nnefc_status status;
};

/* Codes that are no fault of the model itself; the others are NNEFC_INVALID. */
static const struct code_status code_statuses[] = {
    {DIAG_GRAPH_UNSOUND, NNEFC_INTERNAL}, /* a mistake of the library */
    {DIAG_INPUT_MISSING, NNEFC_USAGE},    /* what the client asked for */
    {DIAG_INPUT_UNKNOWN, NNEFC_USAGE},
    {DIAG_MISUSE, NNEFC_USAGE},
    {DIAG_SHAPE_ASKED, NNEFC_USAGE},
    {DIAG_CUT_NAME, NNEFC_USAGE},
    {DIAG_CUT_AROUND, NNEFC_USAGE},
    {DIAG_EDIT, NNEFC_USAGE},
    {DIAG_CANNOT_READ, NNEFC_FILE}, /* files that are missing, or not what they should be */
    {DIAG_CANNOT_WRITE, NNEFC_FILE},
    {DIAG_DATA_HEADER, NNEFC_FILE},
    {DIAG_DATA_SHAPE, NNEFC_FILE},
    {DIAG_DATA_TYPE, NNEFC_FILE},
    {DIAG_DATA_LENGTH, NNEFC_FILE},
    {DIAG_DATA_LEGACY, NNEFC_FILE},
    {DIAG_QUANT_MISSING, NNEFC_FILE},
    {DIAG_IMAGE, NNEFC_FILE},
    {DIAG_SAMPLE, NNEFC_FILE},
    {DIAG_ARCHIVE, NNEFC_FILE},
    {DIAG_NO_IMPLEMENTATION, NNEFC_UNSUPPORTED}, /* valid, but not for this library or machine */
    {DIAG_NOT_SUPPORTED, NNEFC_UNSUPPORTED},
    {DIAG_RUN_MEMORY, NNEFC_UNSUPPORTED},
    {DIAG_NOT_IN_ONNX, NNEFC_UNSUPPORTED},
    {DIAG_NOT_IN_C, NNEFC_UNSUPPORTED},
    {DIAG_NOT_IN_NNEF, NNEFC_UNSUPPORTED},
};

/* The kind of the first error from report `from` on; NNEFC_OK if there is none.  Errors beyond the
 * limit are not recorded: it is only known whether the last of them is a misuse. */
static enum nnefc_status first_error(const struct diag *diag, int from)
{
    enum { COUNT = sizeof code_statuses / sizeof code_statuses[0] };

    assert(from >= 0);
    for (int i = from; i < diag_count(diag); i++) {
        const struct diag_report report = diag_at(diag, i);
        if (report.severity != SEVERITY_ERROR)
            continue;
        for (int k = 0; k < COUNT; k++)
            if (code_statuses[k].code == report.code)
                return code_statuses[k].status;
        return NNEFC_INVALID;
    }
    if (diag_hides(diag, DIAG_MISUSE))
        return NNEFC_USAGE;
    return diag_hidden_count(diag) > 0 ? NNEFC_INVALID : NNEFC_OK;
}

/* A call that failed without an error ran into a mistake of our own. */
enum nnefc_status status_of_call(const struct nnefc_model *model, int from, bool ok)
{
    if (!model || ok)
        return model ? NNEFC_OK : NNEFC_USAGE;
    if (context_cancelled(model->context))
        return NNEFC_CANCELLED;
    enum nnefc_status status = first_error(model->context->diag, from);
    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

int reports_of(const struct nnefc_model *model)
{
    return model ? diag_count(model->context->diag) : 0;
}

/* A run that is NULL has no lock and no reports. */
int run_enter(const struct nnefc_run *run)
{
    if (!run)
        return 0;
    model_lock(run->model);
    diag_set_note(run->model->context->diag, run->note);
    return reports_of(run->model);
}

/* Gives back the lock, whatever happened between. */
enum nnefc_status run_leave(const struct nnefc_run *run, int before, bool ok)
{
    if (!run)
        return NNEFC_USAGE;
    enum nnefc_status status = status_of_call(run->model, before, ok);

    diag_set_note(run->model->context->diag, NULL);
    model_unlock(run->model);
    return status;
}

/* Without a model there is nobody to tell: the status has to do. */
bool misuse(const struct nnefc_model *model, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    if (model)
        diag_file_error(model->context->diag, NULL, DIAG_MISUSE, "%s", text.data);
    text_free(&text);
    return false;
}

enum { MOST_BYTES = 4096 }; /* of a struct of any version; a size that is not set is often more */

bool settings_take(const struct nnefc_model *model, const void *from, void *to, size_t known)
{
    const unsigned char *bytes = from;
    size_t size = known;

    assert(known >= sizeof size && known <= MOST_BYTES);
    memset(to, 0, known);
    if (from)
        memcpy(&size, from, sizeof size);
    bool ok = size >= sizeof size && size <= MOST_BYTES;
    for (size_t i = known; i < size && ok; i++)
        ok = bytes[i] == 0;
    if (!ok)
        return misuse(
            model,
            "a struct says that it has %zu bytes, expected %zu in 'size', or as many as a "
            "newer version has, with 0 in what is new",
            size, known);
    if (from)
        memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known);
    return true;
}

/* A model that failed to load is loaded, too: its options hold for what was read. */
bool before_loading(const struct nnefc_model *model, const char *option)
{
    assert(option);
    return (model && !model->text && !model->home) ||
           misuse(model, "%s is an option of loading, but the model is loaded already", option);
}

bool nnefc_model_out_of_memory(const struct nnefc_model *model)
{
    return model && atomic_load(&model->lists->out_of_memory);
}

enum nnefc_status nnefc_model_status(const struct nnefc_model *model)
{
    if (!model)
        return NNEFC_USAGE;
    if (atomic_load(&model->lists->out_of_memory))
        return NNEFC_INTERNAL;
    return first_error(model->context->diag, 0);
}

int nnefc_model_error_count(const struct nnefc_model *model)
{
    return model ? diag_error_count(model->context->diag) : 0;
}

int nnefc_model_hidden_count(const struct nnefc_model *model)
{
    return model ? diag_hidden_count(model->context->diag) : 0;
}

/* Of a text that is still there; sources keep all of them. */
const char *api_model_line(const struct nnefc_model *model, const char *file, int line,
                           size_t *size)
{
    const struct sources *sources = model && size ? model->context->sources : NULL;
    uint32_t text = sources && file ? sources_find(sources, file) : 0;
    struct location where;

    if (size)
        *size = 0;
    if (text == 0 || !sources_line(sources, text, line, &where))
        return "";
    *size = where.size;
    return where.text;
}

/* Lists of diagnostics that were given out are not valid any more. */
void nnefc_model_clear_diagnostics(struct nnefc_model *model)
{
    if (!model)
        return;
    diag_clear(model->context->diag);
    model->lists->made[LIST_DIAGNOSTICS] = NULL;
    model->lists->told = 0;
}

/* Severities have the same numbers on both sides of the interface. */
static_assert((int)SEVERITY_NOTE == (int)NNEFC_NOTE, "severities are cast");
static_assert((int)SEVERITY_WARNING == (int)NNEFC_WARNING, "severities are cast");
static_assert((int)SEVERITY_ERROR == (int)NNEFC_ERROR, "severities are cast");

/* Begin and end of a span; false if it is in no text. */
static bool locate(const struct nnefc_model *model, struct span at, struct location *begin,
                   struct location *end)
{
    const struct sources *sources = model->context->sources;

    return at.begin && sources_locate(sources, at.begin, begin) &&
           sources_locate(sources, at.end > at.begin ? at.end : at.begin, end);
}

/* Without help, notes, labels and fixes, which only the report itself has. */
static struct nnefc_diagnostic public_report(const struct nnefc_model *model,
                                             const struct diag_report *report)
{
    const struct diag_info *info = diag_info(report->code);
    struct location begin, end;
    struct nnefc_diagnostic result = {.severity = (enum nnefc_severity)report->severity,
                                      .code = info->code,
                                      .section = info->section,
                                      .file = report->file,
                                      .text = report->text,
                                      .notes = list_nothing(),
                                      .labels = list_nothing(),
                                      .fixes = list_nothing()};

    if (report->warning != WARNING_NONE)
        result.warning = diag_warning_info(report->warning)->name;
    if (!locate(model, report->at, &begin, &end))
        return result;
    result.file = begin.file; /* that of the text, which may be in an archive */
    result.line = begin.line;
    result.column = begin.column;
    result.end_line = end.line;
    result.end_column = end.column;
    return result;
}

/* Notes or labels of report `index`, by the function that counts them. */
static const struct nnefc_diagnostic_list *
remark_list(const struct nnefc_model *model, int index,
            struct diag_report (*said_at)(const struct diag *, int, int), struct arena *arena)
{
    struct list *list = list_new(arena);
    struct diag_report said;

    for (int i = 0; (said = said_at(model->context->diag, index, i)).text; i++) {
        const struct nnefc_diagnostic remark = public_report(model, &said);
        list_append(list, &remark, sizeof remark);
    }
    return (const void *)list;
}

/* Anew each time that there are more of them; fixes outside of texts are left out. */
void list_diagnostics(const struct nnefc_model *model, struct list *list)
{
    const struct diag *diag = model->context->diag;
    const struct diag_fix *fix;
    struct location begin, end;

    for (int i = 0; i < diag_count(diag); i++) {
        const struct diag_report report = diag_at(diag, i);
        const struct nnefc_diagnostic shown = public_report(model, &report);
        struct nnefc_diagnostic *said = list_append(list, &shown, sizeof shown);
        struct list *fixes = list_new(list->arena);
        for (int k = 0; (fix = diag_fix_at(diag, i, k)); k++)
            if (locate(model, fix->at, &begin, &end))
                LIST_ADD(fixes, (struct nnefc_fix){.file = begin.file,
                                                   .begin = begin.offset,
                                                   .end = end.offset,
                                                   .line = begin.line,
                                                   .column = begin.column,
                                                   .end_line = end.line,
                                                   .end_column = end.column,
                                                   .replacement = fix->replacement});
        said->help = diag_help_at(diag, i);
        said->notes = remark_list(model, i, diag_note_at, list->arena);
        said->labels = remark_list(model, i, diag_label_at, list->arena);
        said->fixes = (const void *)fixes;
    }
}

/* No entry of entries.def, for it works also after memory ran out. */
void nnefc_model_print_diagnostics(struct nnefc_model *model, FILE *to, enum nnefc_print print,
                                   bool colour)
{
    struct call call;

    if (!model || !to || !call_enter(&call, NULL))
        return;
    call.shared = model->lists;
    if (setjmp(call.recovery.point) != 0) {
        call_fail(&call);
        return;
    }
    diag_print(model->context->diag, to,
               print == NNEFC_PRINT_SHORT ? DIAG_STYLE_SHORT : DIAG_STYLE_FULL, colour);
    call_leave(&call);
}
