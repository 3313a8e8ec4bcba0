/* stack.c - how deep this thread may recurse */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): pthread_getattr_np() is not POSIX */
#include "base/stack.h"

#include <pthread.h>

enum { RESERVE = 128 << 10, ASSUMED = 1 << 20 };

uintptr_t stack_floor(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t floor = here > ASSUMED ? here - ASSUMED : 0;

#ifdef __linux__
    pthread_attr_t attributes;
    void *lowest;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        /* A coroutine is on a stack of its own, which is not the thread's. */
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 && here >= (uintptr_t)lowest &&
            here - (uintptr_t)lowest < size)
            floor = (uintptr_t)lowest + RESERVE;
        pthread_attr_destroy(&attributes);
    }
#endif
    return floor;
}
