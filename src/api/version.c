/* version.c - what this library is, and help for command lines */
#include "api/entry.h"
#include "base/num.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

const char *nnefc_version(void)
{
    return NNEFC_VERSION;
}

const char *nnefc_build_facts(void)
{
    return "standards: NNEF 1.0.5 (and the earlier 1.0 to 1.0.4), provisional NNEF 1.0\n"
           "threads: POSIX threads\n"
           "compiler: " COMPILER "\n";
}

/* The list ends with NULL. */
static const char *candidate_at(int index, const void *data)
{
    const char *const *candidates = data;

    return candidates[index];
}

const char *api_nearest(const char *name, const char *const *candidates)
{
    return !name || !candidates ? NULL : num_nearest(name, candidate_at, candidates);
}
