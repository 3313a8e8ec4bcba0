/*
 * have_memory.c - have_memory BYTES: see to it that the system has so much free memory at hand
 *
 * A virtual machine may have given free memory back to its host, from whom the next process would
 * have to wait for it.  So it is used here, and what is free when this ends is at hand for a while.
 */
#include "base/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 4096 };

int main(int argc, char *argv[])
{
    char *end = NULL;
    unsigned long long size = argc == 2 ? strtoull(argv[1], &end, 10) : 0;

    if (size == 0 || *end || size > SIZE_MAX) {
        fprintf(stderr, "usage: have_memory BYTES\n");
        return 2;
    }
    char *memory = pages_new((size_t)size);
    if (!memory) {
        fprintf(stderr, "have_memory: there is no memory of %llu bytes\n", size);
        return 1;
    }
    for (size_t at = 0; at < size; at += PAGE)
        *(volatile char *)(memory + at) = 1;
    pages_free(memory, (size_t)size);
    return 0;
}
