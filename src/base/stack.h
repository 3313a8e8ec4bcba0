/*
 * stack.h - how deep this thread may recurse
 *
 * Texts decide how deep the parser's tree is and how deep fragments expand, but the thread that
 * calls the library decides how large its stack is.  What recurses asks here beforehand and
 * reports.
 */
#ifndef NNEFC_BASE_STACK_H
#define NNEFC_BASE_STACK_H

#include <stddef.h>
#include <stdint.h>

/*
 * The address below which recursion must not go in this thread: it leaves a reserve for calls that
 * do not recurse.  Takes some microseconds.  A megabyte from here if the system does not know, or
 * if a coroutine calls.
 */
uintptr_t stack_floor(void);

/* Bytes between the caller and the floor; 0 below it. */
static inline size_t stack_left(uintptr_t floor)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return here > floor ? here - floor : 0;
}

#endif
