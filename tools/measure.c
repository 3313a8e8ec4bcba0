/*
 * measure.c - measure RUNS COMMAND...: the median time and the most memory of several runs
 *
 * Prints seconds and bytes; the command's own output is the caller's to redirect, to stderr at
 * best. Time is that of the processor, in the program and for it in the kernel: for a program of
 * one thread that reads what is in memory it is the time that passes, less what others take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RUNS = 99 };

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Of all runs so far. */
static double used(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/* Seconds that one run takes, negative if it fails. */
static double time_run(char *command[])
{
    double start = used();
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return -1.0;
    return used() - start;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

int main(int argc, char *argv[])
{
    long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    double seconds[MAX_RUNS];
    struct rusage usage;

    if (runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: measure RUNS COMMAND..., with 1 to %d RUNS\n", MAX_RUNS);
        return 2;
    }
    for (long i = 0; i < runs; i++) {
        seconds[i] = time_run(&argv[2]);
        if (seconds[i] < 0.0)
            return 1;
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.6f %ld\n", median(seconds, (size_t)runs), usage.ru_maxrss * 1024);
    return 0;
}
