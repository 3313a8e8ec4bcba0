/* pages.c - memory for large things, straight from the system */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): what POSIX does not have */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t rounded_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

#if defined __SANITIZE_ADDRESS__

/* Of what does not come from malloc() the sanitizer knows nothing. */
void *pages_new(size_t size)
{
    enum { LINE = 64 };
    void *memory = size <= SIZE_MAX / 2 ? aligned_alloc(LINE, rounded_up(size, LINE)) : NULL;

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

/* As most processors have them; where they are of another size nothing is lost but addresses. */
enum { HUGE_PAGE = 2 << 20 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Of a stretch that is too long by a huge page, what is left when it begins with one. */
static void *aligned(char *memory, size_t size)
{
    size_t before = rounded_up((uintptr_t)memory, HUGE_PAGE) - (uintptr_t)memory;

    if (before > 0)
        (void)munmap(memory, before);
    if (before < HUGE_PAGE)
        (void)munmap(memory + before + size, HUGE_PAGE - before);
    return memory + before;
}

void *pages_new(size_t size)
{
    size_t whole, spare = size >= HUGE_PAGE ? HUGE_PAGE : 0;

    if (size > SIZE_MAX / 2)
        return NULL;
    whole = rounded_up(size, page_size());
    void *memory =
        mmap(NULL, whole + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (spare == 0)
        return memory;
    memory = aligned(memory, whole);
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, whole, MADV_HUGEPAGE); /* that they are huge is not promised */
#endif
    return memory;
}

void pages_free(void *pages, size_t size)
{
    if (pages)
        (void)munmap(pages, rounded_up(size, page_size()));
}

/* Of the whole pages in between. */
static void advise(void *begin, size_t size, int advice)
{
    size_t page = page_size(), before = rounded_up((uintptr_t)begin, page) - (uintptr_t)begin;

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
