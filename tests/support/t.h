/*
 * t.h - what every unit test needs: cmocka and the headers it wants before it, and where the data
 * is that is no part of the project
 */
#ifndef NNEFC_TESTS_SUPPORT_T_H
#define NNEFC_TESTS_SUPPORT_T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHARED_PATH_SIZE = 4096 };

/* The path of data in NNEFC_SHARED, or in ../shared.  Where it is not there, says that a test is
 * skipped for that, and returns false. */
static inline bool shared_path(char path[SHARED_PATH_SIZE], const char *name)
{
    const char *shared = getenv("NNEFC_SHARED");
    int size = snprintf(path, SHARED_PATH_SIZE, "%s/%s", shared ? shared : "../shared", name);

    assert_true(size > 0 && size < SHARED_PATH_SIZE);
    if (access(path, F_OK) == 0)
        return true;
    print_message("skipped: no %s, which NNEFC_SHARED could name\n", path);
    return false;
}

#endif
