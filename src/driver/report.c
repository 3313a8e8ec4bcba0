/* report.c - says what there is to say, for people or for programs */
#include "driver/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *severity_name(enum nnefc_severity severity)
{
    switch (severity) {
    case NNEFC_NOTE:
        return "note";
    case NNEFC_WARNING:
        return "warning";
    case NNEFC_ERROR:
        return "error";
    }
    return "error";
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

/* The option counts more than the environment, that more than what `to` is. */
static bool use_colour(enum colour colour, FILE *to)
{
    const char *term = getenv("TERM");

    switch (colour) {
    case COLOUR_ALWAYS:
        return true;
    case COLOUR_NEVER:
        return false;
    case COLOUR_AUTO:
        break;
    }
    if (is_set("NO_COLOR"))
        return false;
    const char *forced = getenv("CLICOLOR_FORCE");
    if (forced && strcmp(forced, "") != 0 && strcmp(forced, "0") != 0)
        return true;
    return isatty(fileno(to)) && !(term && strcmp(term, "dumb") == 0);
}

/* --- for people --------------------------------------------------------------------------- */

static void print_own(const struct settings *settings, const struct nnefc_diagnostic *said)
{
    const char *severity = severity_name(said->severity);

    if (!said->code)
        fprintf(stderr, "nnefc: %s\n", said->text);
    else if (settings->format == FORMAT_SHORT)
        fprintf(stderr, "%s: %s[%s]: %s\n", said->file, severity, said->code, said->text);
    else
        fprintf(stderr, "%s[%s]: %s\n  --> %s\n\n", severity, said->code, said->text, said->file);
}

static void print_model(const struct settings *settings, struct nnefc_model *model)
{
    enum nnefc_print print =
        settings->format == FORMAT_SHORT ? NNEFC_PRINT_SHORT : NNEFC_PRINT_FULL;

    nnefc_model_print_diagnostics(model, stderr, print, use_colour(settings->colour, stderr));
}

/* --- for programs ------------------------------------------------------------------------- */

/* In one piece, for the stream has no buffer. Takes over the object, which may be NULL. */
static void print_object(json_t *object, size_t flags)
{
    char *text = object ? json_dumps(object, flags) : NULL;

    fprintf(stderr, "%s\n", text ? text : "");
    free(text);
    json_decref(object);
}

/* SARIF is one object, which is kept until all is said. */
static void hand_on(const struct settings *settings, const struct report *report)
{
    if (settings->format == FORMAT_JSON)
        print_object(report_json(report), JSON_COMPACT);
    else if (settings->reports->log)
        sarif_add(settings->reports->log, report);
}

/* In the words of the library. */
static void hand_on_hidden(const struct settings *settings, int count)
{
    char text[128];

    snprintf(text, sizeof text, "%s%d more error%s not shown; --error-limit=0 shows all",
             count == NNEFC_MOST_HIDDEN ? "at least " : "", count, count == 1 ? " is" : "s are");
    hand_on(settings,
            &(struct report){
                .said = {.severity = NNEFC_NOTE, .code = "N0190", .section = "-", .text = text}});
}

static void hand_on_rest(const struct settings *settings, const struct nnefc_model *model)
{
    struct reports *done = settings->reports;
    int hidden = nnefc_model_hidden_count(model);

    for (; done->said < nnefc_model_diagnostic_count(model); done->said++) {
        struct report report = {model, done->said, nnefc_model_diagnostic(model, done->said)};
        hand_on(settings, &report);
    }
    if (hidden > 0 && !done->hidden_said)
        hand_on_hidden(settings, hidden);
    done->hidden_said |= hidden > 0;
}

/* --- both --------------------------------------------------------------------------------- */

static bool is_for_people(const struct settings *settings)
{
    return settings->format == FORMAT_HUMAN || settings->format == FORMAT_SHORT;
}

void report_model(const struct settings *settings, struct nnefc_model *model)
{
    if (settings->reports->model != model)
        report_forget(settings);
    settings->reports->model = model;
    settings->reports->errors |= nnefc_model_error_count(model) > 0;
    if (settings->quiet && nnefc_model_error_count(model) == 0)
        return;
    if (is_for_people(settings))
        print_model(settings, model);
    else
        hand_on_rest(settings, model);
}

void report_forget(const struct settings *settings)
{
    settings->reports->model = NULL;
    settings->reports->said = 0;
    settings->reports->hidden_said = false;
}

void report_own(const struct settings *settings, const struct nnefc_diagnostic *said)
{
    const struct report report = {.said = *said};

    if (is_for_people(settings))
        print_own(settings, said);
    else
        hand_on(settings, &report);
}

void report_end(const struct settings *settings, enum nnefc_status status)
{
    json_t *log = settings->reports->log;

    if (settings->format == FORMAT_SARIF && log) {
        sarif_end(log, status);
        print_object(log, JSON_INDENT(2));
    } else {
        json_decref(log);
    }
}
