/* message.c - messages of the program itself */
#include "driver/message.h"

#include "driver/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 4096 };

int message_format_find(const char *word)
{
    static const char *const words[] = {[FORMAT_HUMAN] = "human",
                                        [FORMAT_SHORT] = "short",
                                        [FORMAT_JSON] = "json",
                                        [FORMAT_SARIF] = "sarif"};

    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

static void say(const struct settings *settings, enum nnefc_severity severity, const char *fmt,
                va_list args) __attribute__((format(printf, 3, 0)));

static void say(const struct settings *settings, enum nnefc_severity severity, const char *fmt,
                va_list args)
{
    char text[MESSAGE_SIZE];

    vsnprintf(text, sizeof text, fmt, args);
    report_own(settings, &(struct nnefc_diagnostic){.severity = severity, .text = text});
}

enum nnefc_status usage_error(const struct settings *settings, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(settings, NNEFC_ERROR, fmt, args);
    va_end(args);
    return NNEFC_USAGE;
}

enum nnefc_status file_error(const struct settings *settings, const char *file, const char *why)
{
    char text[MESSAGE_SIZE];

    snprintf(text, sizeof text, "cannot write: %s", why);
    report_own(
        settings,
        &(struct nnefc_diagnostic){
            .severity = NNEFC_ERROR, .code = "N0181", .section = "-", .file = file, .text = text});
    return NNEFC_FILE;
}

void usage_warning(const struct settings *settings, const char *fmt, ...)
{
    va_list args;

    if (settings->quiet)
        return;
    va_start(args, fmt);
    say(settings, NNEFC_WARNING, fmt, args);
    va_end(args);
}

void usage_note(const struct settings *settings, const char *fmt, ...)
{
    va_list args;

    if (settings->quiet)
        return;
    va_start(args, fmt);
    say(settings, NNEFC_NOTE, fmt, args);
    va_end(args);
}
