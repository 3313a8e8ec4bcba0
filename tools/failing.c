/*
 * failing.c - lets one allocation after the other fail in a program
 *
 *     FAILING_FOLDER=DIR [FAILING_RESULT=FILE] [FAILING_STEP=N] [FAILING_SPARE=LIBRARIES]
 *         LD_PRELOAD=failing.so PROGRAM ...
 *
 * Before main() the process forks once for each allocation of the program, or for each N-th, until
 * a child needs no more of them.  The n-th child gets NULL for its n-th; one that goes on must end
 * as if nothing had happened, one that does not by a documented exit status and with a message that
 * names memory; the file FAILING_RESULT is whole or not there, and no temporary file is left in
 * DIR. If it was one of those libraries that got NULL, any message will do, and its crash, or that
 * the dynamic linker ends the process, is not held against the program.  Prints what went wrong,
 * and how far the walk went.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE = 20, /* seconds */
    TEXT = 1 << 16,
    LOADER_GIVES_UP = 127 /* the status that the dynamic linker ends a process with */
};

/* --- allocation --------------------------------------------------------------------------- */

static atomic_long count; /* of allocations so far */
static long fail_at;      /* 0: none fails */

/* Told to the parent. */
static struct report {
    atomic_bool failed; /* the child came to the allocation that failed */
    atomic_bool spared; /* it was the library's */
} * report;

static bool is_spared(const void *caller)
{
    const char *libraries = getenv("FAILING_SPARE");
    char name[64];
    Dl_info info;

    if (!libraries || !dladdr(caller, &info))
        return false;
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    return strstr(libraries, name);
}

static bool fails(const void *caller)
{
    if (!fail_at || atomic_fetch_add(&count, 1) + 1 != fail_at)
        return false;
    atomic_store(&report->failed, true);
    atomic_store(&report->spared, is_spared(caller));
    errno = ENOMEM;
    return true;
}

/* The function of that name that would be called without us. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *malloc(size_t size)
{
    static void *(*real)(size_t);

    if (!real)
        *(void **)&real = next("malloc");
    return fails(__builtin_return_address(0)) ? NULL : real(size);
}

void *calloc(size_t items, size_t size)
{
    static void *(*real)(size_t, size_t);

    if (!real)
        *(void **)&real = next("calloc");
    return fails(__builtin_return_address(0)) ? NULL : real(items, size);
}

void *realloc(void *old, size_t size)
{
    static void *(*real)(void *, size_t);

    if (!real)
        *(void **)&real = next("realloc");
    return fails(__builtin_return_address(0)) ? NULL : real(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static void *(*real)(size_t, size_t);

    if (!real)
        *(void **)&real = next("aligned_alloc");
    return fails(__builtin_return_address(0)) ? NULL : real(alignment, size);
}

/* Files are another matter. */
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);

    if (!real)
        *(void **)&real = next("mmap");
    return flags & MAP_ANONYMOUS && fails(__builtin_return_address(0))
               ? MAP_FAILED
               : real(address, size, protection, flags, file, offset);
}

/* --- judging ------------------------------------------------------------------------------ */

struct ending {
    int status; /* of waitpid() */
    size_t out_size, err_size;
    long result_size;          /* of FAILING_RESULT; -1: it is not there */
    char out[TEXT], err[TEXT]; /* the beginning of what was printed */
};

static size_t slurp(const char *path, char text[TEXT])
{
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, TEXT - 1);

    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0 && fstat(fd, &st) != 0)
        st.st_size = 0;
    if (fd >= 0)
        close(fd);
    return (size_t)st.st_size;
}

static bool has_temporary(const char *folder)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (listing && (entry = readdir(listing)))
        found |= strncmp(entry->d_name, ".nnefc-", strlen(".nnefc-")) == 0;
    if (listing)
        closedir(listing);
    return found;
}

static bool is_documented(int status)
{
    return status == 1 || status == 3 || status == 4 || status == 70;
}

/* What is wrong with an ending, or NULL. */
static const char *fault_of(const struct ending *e, const struct ending *sound, const char *folder)
{
    int status = WEXITSTATUS(e->status);
    bool same = e->err_size == sound->err_size && e->out_size == sound->out_size &&
                strcmp(e->out, sound->out) == 0 && e->result_size == sound->result_size;

    if (has_temporary(folder))
        return "a temporary file is left";
    if (atomic_load(&report->spared) &&
        (WIFEXITED(e->status) ? status == LOADER_GIVES_UP : WTERMSIG(e->status) != SIGALRM))
        return NULL;
    if (!WIFEXITED(e->status))
        return WTERMSIG(e->status) == SIGALRM ? "it hangs" : "it is killed";
    if (strstr(e->err, "Sanitizer") || strstr(e->err, "runtime error"))
        return "a sanitizer complains";
    if (status == 0 || same)
        return same ? NULL : "it goes on, but the outcome is another";
    if (!is_documented(status))
        return "the exit status is not documented";
    if (e->result_size >= 0 && e->result_size != sound->result_size)
        return "half a file is left";
    if (atomic_load(&report->spared)) /* which says what it could not do, and not why */
        return e->err_size ? NULL : "there is no message";
    return strstr(e->err, "memory") ? NULL : "no message says that memory ran out";
}

/* --- the walk ----------------------------------------------------------------------------- */

static void redirect(int to, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    close(fd);
}

/* In the child: on to main(). */
static void begin(const char *out, const char *err, long n)
{
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, err);
    alarm(PATIENCE);
    fail_at = n;
}

/* False in the child. */
static bool try(const char *folder, long n, struct ending *ending)
{
    const char *result = getenv("FAILING_RESULT");
    char out[TEXT], err[TEXT];
    struct stat st;

    snprintf(out, sizeof out, "%s/failing.out", folder);
    snprintf(err, sizeof err, "%s/failing.err", folder);
    if (result)
        unlink(result);
    atomic_store(&report->failed, false);
    pid_t child = fork();
    if (child == 0) {
        begin(out, err, n);
        return false;
    }
    if (child < 0 || waitpid(child, &ending->status, 0) != child)
        _exit(125);
    ending->result_size = result && stat(result, &st) == 0 ? (long)st.st_size : -1;
    ending->out_size = slurp(out, ending->out);
    ending->err_size = slurp(err, ending->err);
    return true;
}

/* Returns in children only. */
static void walk(const char *folder, long step)
{
    static struct ending sound, ending;
    long faults = 0, n = 1;

    if (!try(folder, 0, &sound))
        return;
    for (;; n += step) {
        if (!try(folder, n, &ending))
            return;
        if (!atomic_load(&report->failed))
            break;
        const char *fault = fault_of(&ending, &sound, folder);
        if (fault && ++faults <= 10)
            printf("allocation %ld: %s (status %d)\n%.600s%.600s\n", n, fault, ending.status,
                   ending.out, ending.err);
        fflush(stdout); /* or children print it again */
    }
    printf("%ld allocations, %ld faults\n", n - 1, faults);
    fflush(stdout);
    _exit(faults > 0 || n < 2);
}

__attribute__((constructor)) static void start(void)
{
    const char *folder = getenv("FAILING_FOLDER"), *step = getenv("FAILING_STEP");

    if (!folder)
        return;
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        _exit(125);
    unsetenv("LD_PRELOAD");
    walk(folder, step ? strtol(step, NULL, 10) : 1);
}
