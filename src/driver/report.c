/*
 * report.c - prints diagnostics and messages, for people or for programs
 *
 * Diagnostics for people are printed by the library, with excerpts of the text; those for programs
 * are records. A diagnostic is printed once, even if the model is reported on again.
 */
#include "driver/report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *severity_name(enum nnefc_severity severity)
{
    static const char *const names[] = {
        [NNEFC_NOTE] = "note", [NNEFC_WARNING] = "warning", [NNEFC_ERROR] = "error"};

    return names[severity];
}

static const char *const format_words[] = {[FORMAT_HUMAN] = "human",
                                           [FORMAT_SHORT] = "short",
                                           [FORMAT_JSON] = "json",
                                           [FORMAT_SARIF] = "sarif"};

int message_format_find(const char *word)
{
    for (int i = 0; i < (int)(sizeof format_words / sizeof format_words[0]); i++)
        if (strcmp(format_words[i], word) == 0)
            return i;
    return -1;
}

const struct option message_options[] = {
    {"--message-format", NULL, "human|short|json|sarif",
     "how diagnostics are printed: for people, or for programs",
     .field = offsetof(struct command, format)},
    {0},
};

/* --- for programs ------------------------------------------------------------------------- */

/* Print in one piece, because the standard error has no buffer.  Takes over the record. */
static void print_record(struct record *record, enum json_style style)
{
    char *text = record_json(record, style);

    fprintf(stderr, "%s\n", text);
    free(text);
}

/* The place and the text of a diagnostic, label or note. */
static void add_place(struct record *to, const struct nnefc_diagnostic *said)
{
    record_text(to, "file", said->file);
    record_position(to, "line", said->line);
    record_position(to, "column", said->column);
    record_position(to, "endLine", said->end_line);
    record_position(to, "endColumn", said->end_column);
    record_text(to, "message", said->text);
}

/* Diagnostics of the program itself have no lists. */
static void add_remarks(struct record *to, const struct nnefc_diagnostic_list *remarks)
{
    for (int i = 0; remarks && i < remarks->count; i++)
        add_place(record_object(to, NULL), remarks->at[i]);
}

/*
 * Print the diagnostic as docs/diagnostics.schema.json describes it, or add it to the log: SARIF is
 * one object that is printed at the end.
 */
static void hand_on(const struct command *command, const struct report *r)
{
    const struct nnefc_diagnostic *said = &r->said;
    bool ruled = said->section && strcmp(said->section, "-") != 0;

    if (command->format != FORMAT_JSON && command->reports->log)
        sarif_add(command->reports->log, r);
    if (command->format != FORMAT_JSON)
        return;
    struct record *record = record_new_object();
    record_text(record, "code", said->code);
    record_text(record, "severity", severity_name(said->severity));
    record_text(record, "warning", said->warning);
    record_text(record, "section", ruled ? said->section : NULL);
    add_place(record, said);
    add_remarks(record_list(record, "labels"), said->labels);
    add_remarks(record_list(record, "notes"), said->notes);
    record_text(record, "help", said->help);
    struct record *fixes = record_list(record, "fixes");
    for (int i = 0; said->fixes && i < said->fixes->count; i++) {
        const struct nnefc_fix *fix = said->fixes->at[i];
        struct record *item = record_object(fixes, NULL);
        assert(fix->begin <= fix->end);
        record_text(item, "file", fix->file);
        record_integer(item, "line", fix->line);
        record_integer(item, "column", fix->column);
        record_integer(item, "endLine", fix->end_line);
        record_integer(item, "endColumn", fix->end_column);
        record_integer(item, "begin", (int64_t)fix->begin);
        record_integer(item, "end", (int64_t)fix->end);
        record_text(item, "replacement", fix->replacement);
    }
    print_record(record, JSON_DENSE);
}

/* --- both --------------------------------------------------------------------------------- */

/* Formats for programs are records. */
static bool is_for_people(const struct command *command)
{
    return command->format == FORMAT_HUMAN || command->format == FORMAT_SHORT;
}

/* Another model may have the address of the one that was reported last. */
static void reports_forget(struct reports *reports)
{
    reports->model = NULL;
    reports->said = 0;
    reports->hidden_said = false;
}

void report_model(const struct command *command, struct nnefc_model *model)
{
    enum nnefc_print print = command->format == FORMAT_SHORT ? NNEFC_PRINT_SHORT : NNEFC_PRINT_FULL;
    const struct nnefc_diagnostic_list *diagnostics;
    const char *no_colour = getenv("NO_COLOR"), *forced = getenv("CLICOLOR_FORCE");
    const char *term = getenv("TERM");
    struct reports *done = command->reports;
    int hidden = nnefc_model_hidden_count(model);
    char text[128];

    check_memory(model);
    if (done->model != model)
        reports_forget(done);
    done->model = model;
    done->errors |= nnefc_model_error_count(model) > 0;
    if (command->quiet && nnefc_model_error_count(model) == 0)
        return;
    if (is_for_people(command)) {
        /* The option overrides the environment, which overrides the kind of the stream. */
        bool colour = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
        if (forced && *forced && strcmp(forced, "0") != 0)
            colour = true;
        if (no_colour && *no_colour)
            colour = false;
        if (command->colour != COLOUR_AUTO)
            colour = command->colour == COLOUR_ALWAYS;
        nnefc_model_print_diagnostics(model, stderr, print, colour);
        return;
    }
    diagnostics = nnefc_model_diagnostics(model);
    assert(done->said <= diagnostics->count);
    for (; done->said < diagnostics->count; done->said++)
        hand_on(command, &(struct report){model, *diagnostics->at[done->said]});
    if (hidden == 0 || done->hidden_said)
        return;
    /* The library prints the same sentence for people. */
    done->hidden_said = true;
    snprintf(text, sizeof text, "%s%d more error%s not shown; --error-limit=0 shows all",
             hidden == NNEFC_MOST_HIDDEN ? "at least " : "", hidden, hidden == 1 ? " is" : "s are");
    hand_on(command,
            &(struct report){
                .said = {.severity = NNEFC_NOTE, .code = "N0190", .section = "-", .text = text}});
}

enum nnefc_status model_failure(const struct nnefc_model *model)
{
    enum nnefc_status status = nnefc_model_status(model);

    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

void close_model(const struct command *command, struct nnefc_model *model)
{
    report_model(command, model);
    reports_forget(command->reports);
    nnefc_model_free(model);
}

/* --- messages of the program ---------------------------------------------------------------- */

enum { MESSAGE_SIZE = 4096 };

/* The library knows nothing of such a message. */
static void report_own(const struct command *command, const struct nnefc_diagnostic *said)
{
    const char *severity = severity_name(said->severity);

    if (!is_for_people(command)) {
        hand_on(command, &(struct report){.said = *said});
        return;
    }
    char *text = text_escaped(said->text, "\n"),
         *file = text_escaped(said->file ? said->file : "", "");
    if (!said->code)
        fprintf(stderr, "nnefc: %s\n", text);
    else if (command->format == FORMAT_SHORT)
        fprintf(stderr, "%s: %s[%s]: %s\n", file, severity, said->code, text);
    else
        fprintf(stderr, "%s[%s]: %s\n  --> %s\n\n", severity, said->code, text, file);
    free(text);
    free(file);
}

enum nnefc_status usage_report(const struct command *command, enum nnefc_severity severity,
                               const char *fmt, ...)
{
    char text[MESSAGE_SIZE];
    va_list args;

    if (command->quiet && severity != NNEFC_ERROR)
        return NNEFC_USAGE;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    report_own(command, &(struct nnefc_diagnostic){.severity = severity, .text = text});
    return NNEFC_USAGE;
}

enum nnefc_status usage_suggest(const struct command *command, const char *wrong, const char *name,
                                const char *const *names, const char *lister)
{
    const char *nearest = nnefc_nearest(name, names);

    if (nearest)
        return usage_error(command, "%s '%s'; did you mean '%s'?", wrong, name, nearest);
    return usage_error(command, "%s '%s'; 'nnefc %s' lists them", wrong, name, lister);
}

enum nnefc_status file_error(const struct command *command, const char *file, const char *why)
{
    char text[MESSAGE_SIZE];

    snprintf(text, sizeof text, "cannot write: %s", why);
    report_own(
        command,
        &(struct nnefc_diagnostic){
            .severity = NNEFC_ERROR, .code = "N0181", .section = "-", .file = file, .text = text});
    return NNEFC_FILE;
}

void report_end(const struct command *command, enum nnefc_status status)
{
    if (command->format == FORMAT_SARIF)
        print_record(sarif_end(command->reports->log, status), JSON_LINES);
}
