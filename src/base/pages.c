/* pages.c - large blocks of memory by mmap(), or by malloc() under the sanitizers */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): madvise() is not in POSIX */
#include "base/pages.h"

#include "base/num.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__

/* The sanitizer checks only memory of malloc(). */
void *pages_new(size_t size)
{
    enum { LINE = 64 };
    void *memory = size <= SIZE_MAX / 2 ? aligned_alloc(LINE, num_round_up(size, LINE)) : NULL;

    return memory ? memset(memory, 0, size) : NULL;
}

void pages_free(void *pages, size_t size)
{
    (void)size;
    free(pages);
}

void pages_unload(void *begin, size_t size)
{
    memset(begin, 0, size);
}

void pages_populate(void *begin, size_t size)
{
    (void)begin;
    (void)size;
}

#else

/* The size on most processors; where it differs, only some addresses are wasted. */
enum { HUGE_PAGE = 2 << 20 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *pages_new(size_t size)
{
    size_t whole, spare = size >= HUGE_PAGE ? HUGE_PAGE : 0;

    assert(size > 0);
    if (size > SIZE_MAX / 2)
        return NULL;
    whole = num_round_up(size, page_size());
    char *memory =
        mmap(NULL, whole + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (spare == 0)
        return memory;
    /* Return what lies before the first huge page, and what is too much behind. */
    size_t before = num_round_up((uintptr_t)memory, HUGE_PAGE) - (uintptr_t)memory;
    if (before > 0)
        (void)munmap(memory, before);
    if (before < HUGE_PAGE)
        (void)munmap(memory + before + whole, HUGE_PAGE - before);
    memory += before;
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, whole, MADV_HUGEPAGE); /* a wish, which may fail */
#endif
    return memory;
}

void pages_free(void *pages, size_t size)
{
    if (pages)
        (void)munmap(pages, num_round_up(size, page_size()));
}

/* Advise on the whole pages of a range. */
static void advise(void *begin, size_t size, int advice)
{
    size_t page = page_size(), before = num_round_up((uintptr_t)begin, page) - (uintptr_t)begin;

    if (size > before + page)
        (void)madvise((char *)begin + before, (size - before) / page * page, advice);
}

void pages_unload(void *begin, size_t size)
{
    advise(begin, size, MADV_DONTNEED);
}

void pages_populate(void *begin, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    enum { WORTH_IT = 1 << 17 };

    if (size >= WORTH_IT)
        advise(begin, size, MADV_POPULATE_WRITE);
#else
    (void)begin;
    (void)size;
#endif
}

#endif
