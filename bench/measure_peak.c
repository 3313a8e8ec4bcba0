/* measure_peak.c - measure_peak THREADS...: billions of operations a second that so many threads
 * reach */
#include "peak.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    for (int i = 1; i < argc; i++) {
        char *end;
        long threads = strtol(argv[i], &end, 10);
        if (*end || threads < 1 || threads > 1024) {
            fprintf(stderr, "measure_peak: '%s' is no number of threads from 1 to 1024\n", argv[i]);
            return 2;
        }
        printf("%ld %.1f\n", threads, peak_flops((int)threads) * 1e-9);
    }
    return 0;
}
