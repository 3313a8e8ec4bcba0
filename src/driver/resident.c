/*
 * resident.c - how much memory this process has had
 *
 * Linux lets ru_maxrss begin with what the process had before it became this program, which can be
 * much if a large one started it; what /proc says begins with the program.
 */
#include "driver/resident.h"

#include "nnefc/nnefc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int64_t peak_by_proc(void)
{
    static const char word[] = "VmHWM:"; /* and kibibytes */
    FILE *file = fopen("/proc/self/status", "r");
    int64_t bytes = NNEFC_UNKNOWN;
    char line[256];

    while (file && bytes == NNEFC_UNKNOWN && fgets(line, sizeof line, file))
        if (strncmp(line, word, sizeof word - 1) == 0)
            bytes = (int64_t)strtoll(line + sizeof word - 1, NULL, 10) * 1024;
    if (file)
        fclose(file);
    return bytes;
}

int64_t peak_resident_bytes(void)
{
    int64_t bytes = peak_by_proc();
    struct rusage usage;

    if (bytes == NNEFC_UNKNOWN && getrusage(RUSAGE_SELF, &usage) == 0)
        bytes = (int64_t)usage.ru_maxrss * 1024;
    return bytes;
}
