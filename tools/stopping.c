/*
 * stopping.c - ends a program, or lets a name be refused, at one of its calls that change folders
 *
 *     STOP_AT=N LD_PRELOAD=stopping.so PROGRAM ...
 *     REFUSE_AT=N LD_PRELOAD=stopping.so PROGRAM ...
 *
 * The first is killed before its N-th call that writes to disk, opens, names, renames or removes a
 * file of a folder; the N-th renameat() of the second fails with EBUSY, as if a file was mounted
 * there.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* The function of that name that would be called without us. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Whether this is call `*count` of those that the variable numbers. */
static int is_due(const char *variable, long *count)
{
    const char *number = getenv(variable);

    return number && ++*count == strtol(number, NULL, 10);
}

static void stop_if_due(void)
{
    static long count;

    if (is_due("STOP_AT", &count))
        raise(SIGKILL);
}

int openat(int folder, const char *name, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if (flags & O_CREAT)
        mode = va_arg(args, mode_t);
    va_end(args);
    if (!real)
        *(void **)&real = next("openat");
    if (flags & (O_CREAT | O_WRONLY))
        stop_if_due();
    return real(folder, name, flags, mode ? mode : 0666);
}

int linkat(int from, const char *a, int to, const char *b, int flags)
{
    static int (*real)(int, const char *, int, const char *, int);

    if (!real)
        *(void **)&real = next("linkat");
    stop_if_due();
    return real(from, a, to, b, flags);
}

int renameat(int from, const char *a, int to, const char *b)
{
    static int (*real)(int, const char *, int, const char *);
    static long count;

    if (!real)
        *(void **)&real = next("renameat");
    stop_if_due();
    if (!is_due("REFUSE_AT", &count))
        return real(from, a, to, b);
    errno = EBUSY;
    return -1;
}

int unlinkat(int folder, const char *name, int flags)
{
    static int (*real)(int, const char *, int);

    if (!real)
        *(void **)&real = next("unlinkat");
    stop_if_due();
    return real(folder, name, flags);
}

int fsync(int file)
{
    static int (*real)(int);

    if (!real)
        *(void **)&real = next("fsync");
    stop_if_due();
    return real(file);
}
