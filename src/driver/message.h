/* message.h - what the program itself has to say, beside the diagnostics of the model */
#ifndef NNEFC_DRIVER_MESSAGE_H
#define NNEFC_DRIVER_MESSAGE_H

#include "driver/settings.h"

/* Print "nnefc: ..." to stderr, or an object as diagnostics are if they are JSON.  Always
 * NNEFC_USAGE. */
enum nnefc_status usage_error(const struct settings *settings, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print, as the library does, that a file cannot be written.  Always NNEFC_FILE. */
enum nnefc_status file_error(const struct settings *settings, const char *file, const char *why);

/* Not if the user wants it quiet. */
void usage_warning(const struct settings *settings, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
