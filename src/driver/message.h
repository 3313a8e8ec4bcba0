/* message.h - what the program itself has to say, beside the diagnostics of the model */
#ifndef NNEFC_DRIVER_MESSAGE_H
#define NNEFC_DRIVER_MESSAGE_H

#include "driver/settings.h"

/* Which format the word names; -1: none. */
int message_format_find(const char *word);

/* Print "nnefc: ..." to stderr, or tell it in the format of the diagnostics.  Always NNEFC_USAGE. */
enum nnefc_status usage_error(const struct settings *settings, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print, as the library does, that a file cannot be written.  Always NNEFC_FILE. */
enum nnefc_status file_error(const struct settings *settings, const char *file, const char *why);

/* Not if the user wants it quiet. */
void usage_note(const struct settings *settings, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void usage_warning(const struct settings *settings, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
