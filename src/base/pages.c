/* pages.c - memory for large things, straight from the system */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): what POSIX does not have */
#include "base/pages.h"

#include "base/clock.h"

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

double pages_touch(void *begin, size_t size)
{
    (void)begin;
    (void)size;
    return 0;
}

void pages_shrink(void *begin, size_t size)
{
    (void)begin;
    (void)size;
}

void pages_grow(void *begin, size_t size)
{
    (void)begin;
    (void)size;
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
    pages_grow(memory, whole);
    return memory;
}

void pages_free(void *pages, size_t size)
{
    if (pages)
        (void)munmap(pages, rounded_up(size, page_size()));
}

/* What takes a system 0.2 ms in one page that it has at hand. */
static const double in_small_ones = 0.9e-3;

double pages_touch(void *begin, size_t size)
{
    double before = clock_worked();
    size_t pages = rounded_up(size, HUGE_PAGE) / HUGE_PAGE;

    for (size_t i = 0; i < pages; i++)
        *((volatile char *)begin + i * HUGE_PAGE) = 0;
    return clock_worked() - before - (double)pages * in_small_ones;
}

/* Of the whole pages in between; that they are what is advised is not promised. */
static void advise(void *begin, size_t size, int advice)
{
    size_t page = page_size(), before = rounded_up((uintptr_t)begin, page) - (uintptr_t)begin;

    if (size > before + page)
        (void)madvise((char *)begin + before, (size - before) / page * page, advice);
}

/* Advice that says nothing where the system has no huge pages. */
#ifdef MADV_HUGEPAGE
enum { IN_SMALL = MADV_NOHUGEPAGE, IN_HUGE = MADV_HUGEPAGE };
#else
enum { IN_SMALL = MADV_NORMAL, IN_HUGE = MADV_NORMAL };
#endif

void pages_shrink(void *begin, size_t size)
{
    advise(begin, size, IN_SMALL);
}

void pages_grow(void *begin, size_t size)
{
    advise(begin, size, IN_HUGE);
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
