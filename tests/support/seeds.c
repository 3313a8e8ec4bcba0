/* seeds.c - see seeds.h */
#include "support/seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_option(const char *option, const char *name, uint64_t *number)
{
    size_t size = strlen(name);
    char *end;

    if (strncmp(option, name, size) != 0)
        return false;
    *number = strtoull(option + size, &end, 10);
    return end != option + size && *end == '\0';
}

bool seeds_read(int argc, char *argv[], const char *program, struct seeds *seeds)
{
    bool ok = true;

    *seeds = (struct seeds){.first = 1, .count = 200};
    for (int i = 1; i < argc; i++) {
        bool print = strcmp(argv[i], "--print") == 0;
        seeds->print |= print;
        ok &= print || read_option(argv[i], "--seed=", &seeds->first) ||
              read_option(argv[i], "--count=", &seeds->count);
    }
    if (!ok)
        fprintf(stderr, "usage: %s [--seed=S] [--count=N] [--print]\n", program);
    return ok;
}
