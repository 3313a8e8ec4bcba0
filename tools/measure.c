/*
 * measure.c - measure RUNS COMMAND...: the shortest time and the most memory of several runs
 *
 * Prints seconds and bytes; the command's own output is the caller's to redirect, to stderr at best.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds that one run takes, negative if it fails. */
static double time_run(char *command[])
{
    double start = now();
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return -1.0;
    return now() - start;
}

int main(int argc, char *argv[])
{
    long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    double best = -1.0;
    struct rusage usage;

    if (runs < 1) {
        fputs("usage: measure RUNS COMMAND...\n", stderr);
        return 2;
    }
    for (long i = 0; i < runs; i++) {
        double seconds = time_run(&argv[2]);
        if (seconds < 0.0)
            return 1;
        if (best < 0.0 || seconds < best)
            best = seconds;
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.6f %ld\n", best, usage.ru_maxrss * 1024);
    return 0;
}
