/* status.c - diagnostics as clients see them, and the kind of outcome they amount to */
#include "api/api_priv.h"
#include "base/source.h"

struct code_status {
    enum diag_code code;
    enum nnefc_status status;
};

/* What is no fault of the model itself. */
static const struct code_status code_statuses[] = {
    {DIAG_INPUT_MISSING, NNEFC_USAGE},
    {DIAG_INPUT_UNKNOWN, NNEFC_USAGE},
    {DIAG_CANNOT_READ, NNEFC_FILE},
    {DIAG_CANNOT_WRITE, NNEFC_FILE},
    {DIAG_DATA_HEADER, NNEFC_FILE},
    {DIAG_DATA_SHAPE, NNEFC_FILE},
    {DIAG_DATA_TYPE, NNEFC_FILE},
    {DIAG_DATA_LENGTH, NNEFC_FILE},
    {DIAG_DATA_LEGACY, NNEFC_FILE},
    {DIAG_IMAGE, NNEFC_FILE},
    {DIAG_ARCHIVE, NNEFC_FILE},
    {DIAG_NO_IMPLEMENTATION, NNEFC_UNSUPPORTED},
    {DIAG_NOT_SUPPORTED, NNEFC_UNSUPPORTED},
    {DIAG_RUN_MEMORY, NNEFC_UNSUPPORTED},
};

static enum nnefc_status status_of(enum diag_code code)
{
    for (size_t i = 0; i < sizeof code_statuses / sizeof code_statuses[0]; i++)
        if (code_statuses[i].code == code)
            return code_statuses[i].status;
    return NNEFC_INVALID;
}

/* NNEFC_OK if there is none; once the limit is reached there may be some that were not recorded. */
static enum nnefc_status first_error(const struct diag *diag, int from)
{
    for (int i = from; i < diag_count(diag); i++) {
        struct diag_report report = diag_at(diag, i);
        if (report.severity == SEVERITY_ERROR)
            return status_of(report.code);
    }
    return diag_full(diag) ? NNEFC_INVALID : NNEFC_OK;
}

enum nnefc_status status_since(const struct nnefc_model *model, int from)
{
    enum nnefc_status status = first_error(model->context->diag, from);

    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

enum nnefc_status nnefc_model_status(const struct nnefc_model *model)
{
    return first_error(model->context->diag, 0);
}

int nnefc_model_diagnostic_count(const struct nnefc_model *model)
{
    return diag_count(model->context->diag);
}

int nnefc_model_error_count(const struct nnefc_model *model)
{
    return diag_error_count(model->context->diag);
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

struct nnefc_diagnostic nnefc_model_diagnostic(const struct nnefc_model *model, int index)
{
    struct diag_report report = diag_at(model->context->diag, index);
    const struct diag_info *info = diag_info(report.code);
    struct location at;
    struct nnefc_diagnostic result = {.severity = severity_of(report.severity),
                                      .code = info->code,
                                      .section = info->section,
                                      .file = report.file,
                                      .text = report.text};

    if (report.at.begin && sources_locate(model->context->sources, report.at.begin, &at)) {
        result.file = at.file;
        result.line = at.line;
        result.column = at.column;
    }
    return result;
}

static enum diag_style style_of(enum nnefc_print print)
{
    switch (print) {
    case NNEFC_PRINT_FULL:
        return DIAG_STYLE_FULL;
    case NNEFC_PRINT_SHORT:
        return DIAG_STYLE_SHORT;
    case NNEFC_PRINT_JSON:
        return DIAG_STYLE_JSON;
    }
    return DIAG_STYLE_FULL;
}

void nnefc_model_print_diagnostics(struct nnefc_model *model, FILE *to, enum nnefc_print print,
                                   bool colour)
{
    diag_print(model->context->diag, to, style_of(print), colour);
}
