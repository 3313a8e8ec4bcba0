/* message.c - messages about the command line, as text or as JSON */
#include "driver/message.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_SIZE = 4096 };

/* The members are those of a diagnostic without a place; code and file may be NULL. */
static void print_json(const char *severity, const char *code, const char *file, const char *text)
{
    json_t *message =
        json_pack("{s:s?, s:s, s:s?, s:n, s:n, s:n, s:n, s:s, s:[], s:n, s:n}", "code", code,
                  "severity", severity, "file", file, "line", "column", "endLine", "endColumn",
                  "message", text, "notes", "help", "section");

    if (message)
        json_dumpf(message, stderr, JSON_COMPACT);
    json_decref(message);
    fputc('\n', stderr);
}

static void print(const struct settings *settings, const char *severity, const char *fmt,
                  va_list args) __attribute__((format(printf, 3, 0)));

static void print(const struct settings *settings, const char *severity, const char *fmt,
                  va_list args)
{
    char text[MESSAGE_SIZE];

    vsnprintf(text, sizeof text, fmt, args);
    if (settings->print == NNEFC_PRINT_JSON)
        print_json(severity, NULL, NULL, text);
    else
        fprintf(stderr, "nnefc: %s\n", text);
}

enum nnefc_status usage_error(const struct settings *settings, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print(settings, "error", fmt, args);
    va_end(args);
    return NNEFC_USAGE;
}

enum nnefc_status file_error(const struct settings *settings, const char *file, const char *why)
{
    char text[MESSAGE_SIZE];

    snprintf(text, sizeof text, "cannot write: %s", why);
    if (settings->print == NNEFC_PRINT_JSON)
        print_json("error", "N0181", file, text);
    else if (settings->print == NNEFC_PRINT_SHORT)
        fprintf(stderr, "%s: error[N0181]: %s\n", file, text);
    else
        fprintf(stderr, "error[N0181]: %s\n  --> %s\n\n", text, file);
    return NNEFC_FILE;
}

void usage_warning(const struct settings *settings, const char *fmt, ...)
{
    va_list args;

    if (settings->quiet)
        return;
    va_start(args, fmt);
    print(settings, "warning", fmt, args);
    va_end(args);
}
