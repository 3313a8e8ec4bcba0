/* status.c - diagnostics as clients see them, and the kind of outcome they amount to */
#include "api/api_priv.h"
#include "base/text.h"
#include "diag/source.h"

#include <stdarg.h>

struct code_status {
    enum diag_code code;
    enum nnefc_status status;
};

/* What is no fault of the model itself. */
static const struct code_status code_statuses[] = {
    {DIAG_GRAPH_UNSOUND, NNEFC_INTERNAL},
    {DIAG_INPUT_MISSING, NNEFC_USAGE},
    {DIAG_INPUT_UNKNOWN, NNEFC_USAGE},
    {DIAG_MISUSE, NNEFC_USAGE},
    {DIAG_SHAPE_ASKED, NNEFC_USAGE},
    {DIAG_CANNOT_READ, NNEFC_FILE},
    {DIAG_CANNOT_WRITE, NNEFC_FILE},
    {DIAG_DATA_HEADER, NNEFC_FILE},
    {DIAG_DATA_SHAPE, NNEFC_FILE},
    {DIAG_DATA_TYPE, NNEFC_FILE},
    {DIAG_DATA_LENGTH, NNEFC_FILE},
    {DIAG_DATA_LEGACY, NNEFC_FILE},
    {DIAG_QUANT_MISSING, NNEFC_FILE},
    {DIAG_IMAGE, NNEFC_FILE},
    {DIAG_ARCHIVE, NNEFC_FILE},
    {DIAG_NO_IMPLEMENTATION, NNEFC_UNSUPPORTED},
    {DIAG_NOT_SUPPORTED, NNEFC_UNSUPPORTED},
    {DIAG_RUN_MEMORY, NNEFC_UNSUPPORTED},
    {DIAG_NOT_IN_ONNX, NNEFC_UNSUPPORTED},
    {DIAG_NOT_IN_NNEF, NNEFC_UNSUPPORTED},
};

static enum nnefc_status status_of(enum diag_code code)
{
    for (size_t i = 0; i < sizeof code_statuses / sizeof code_statuses[0]; i++)
        if (code_statuses[i].code == code)
            return code_statuses[i].status;
    return NNEFC_INVALID;
}

/* NNEFC_OK if there is none; beyond the limit they are not recorded, so that their kind is not
 * known. */
static enum nnefc_status first_error(const struct diag *diag, int from)
{
    for (int i = from; i < diag_count(diag); i++) {
        struct diag_report report = diag_at(diag, i);
        if (report.severity == SEVERITY_ERROR)
            return status_of(report.code);
    }
    return diag_hidden_count(diag) > 0 ? NNEFC_INVALID : NNEFC_OK;
}

enum nnefc_status status_since(const struct nnefc_model *model, int from)
{
    enum nnefc_status status = first_error(model->context->diag, from);

    if (atomic_load(&model->context->cancelled))
        return NNEFC_CANCELLED;
    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

int run_enter(const struct nnefc_run *run)
{
    if (!run)
        return 0;
    model_lock(run->model);
    return diag_count(run->model->context->diag);
}

enum nnefc_status run_leave(const struct nnefc_run *run, int before, bool ok)
{
    if (!run)
        return NNEFC_USAGE;
    enum nnefc_status status = ok ? NNEFC_OK : status_since(run->model, before);

    model_unlock(run->model);
    return status;
}

enum nnefc_status misuse(const struct nnefc_model *model, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    if (model)
        diag_file_error(model->context->diag, NULL, DIAG_MISUSE, "%s", text.data);
    text_free(&text);
    return NNEFC_USAGE;
}

bool before_loading(const struct nnefc_model *model, const char *option)
{
    if (model && !model->text && !model->home)
        return true;
    misuse(model, "%s is an option of loading, but the model is loaded already", option);
    return false;
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

const char *api_model_line(const struct nnefc_model *model, const char *file, int line,
                           size_t *size)
{
    const struct sources *sources = model ? model->context->sources : NULL;
    uint32_t text = sources && file ? sources_find(sources, file) : 0;
    struct location where;

    *size = 0;
    if (text == 0 || !sources_line(sources, text, line, &where))
        return "";
    *size = where.size;
    return where.text;
}

void nnefc_model_clear_diagnostics(struct nnefc_model *model)
{
    if (!model)
        return;
    diag_clear(model->context->diag);
    model->lists->made[LIST_DIAGNOSTICS] = NULL;
    model->lists->told = 0;
}

static enum nnefc_severity severity_of(enum diag_severity severity)
{
    switch (severity) {
    case SEVERITY_NOTE:
        return NNEFC_NOTE;
    case SEVERITY_WARNING:
        return NNEFC_WARNING;
    case SEVERITY_ERROR:
        return NNEFC_ERROR;
    }
    return NNEFC_ERROR;
}

static bool locate(const struct nnefc_model *model, struct span at, struct location *begin,
                   struct location *end)
{
    const struct sources *sources = model->context->sources;

    return at.begin && sources_locate(sources, at.begin, begin) &&
           sources_locate(sources, at.end > at.begin ? at.end : at.begin, end);
}

static struct nnefc_diagnostic public_report(const struct nnefc_model *model,
                                             const struct diag_report *report)
{
    const struct diag_info *info = diag_info(report->code);
    struct location begin, end;
    struct nnefc_diagnostic result = {.severity = severity_of(report->severity),
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
    result.file = begin.file;
    result.line = begin.line;
    result.column = begin.column;
    result.end_line = end.line;
    result.end_column = end.column;
    return result;
}

static const struct nnefc_diagnostic_list *
list_remarks(const struct nnefc_model *model, int index,
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

static const struct nnefc_fix_list *list_fixes(const struct nnefc_model *model, int index,
                                               struct arena *arena)
{
    struct list *list = list_new(arena);
    const struct diag_fix *fix;
    struct location begin, end;

    for (int i = 0; (fix = diag_fix_at(model->context->diag, index, i)); i++)
        if (locate(model, fix->at, &begin, &end))
            LIST_ADD(list, (struct nnefc_fix){.file = begin.file,
                                              .begin = begin.offset,
                                              .end = end.offset,
                                              .line = begin.line,
                                              .column = begin.column,
                                              .end_line = end.line,
                                              .end_column = end.column,
                                              .replacement = fix->replacement});
    return (const void *)list;
}

static void list_diagnostics(const struct nnefc_model *model, struct list *list)
{
    const struct diag *diag = model->context->diag;

    for (int i = 0; i < diag_count(diag); i++) {
        struct diag_report report = diag_at(diag, i);
        struct nnefc_diagnostic said = public_report(model, &report);
        said.help = diag_help_at(diag, i);
        said.notes = list_remarks(model, i, diag_note_at, list->arena);
        said.labels = list_remarks(model, i, diag_label_at, list->arena);
        said.fixes = list_fixes(model, i, list->arena);
        list_append(list, &said, sizeof said);
    }
}

const struct nnefc_diagnostic_list *nnefc_model_diagnostics(const struct nnefc_model *model)
{
    return model_list(model, LIST_DIAGNOSTICS, list_diagnostics);
}

static enum diag_style style_of(enum nnefc_print print)
{
    switch (print) {
    case NNEFC_PRINT_FULL:
        return DIAG_STYLE_FULL;
    case NNEFC_PRINT_SHORT:
        return DIAG_STYLE_SHORT;
    }
    return DIAG_STYLE_FULL;
}

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
    diag_print(model->context->diag, to, style_of(print), colour);
    call_leave(&call);
}
