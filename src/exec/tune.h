/*
 * tune.h - plans by trying: tasks are done in all the ways there are, and the fastest one is taken
 *
 * What was found goes to the tuning and is not tried again.  When the time is over, what is left is done in
 * the way that is usually best.
 */
#ifndef NNEFC_EXEC_TUNE_H
#define NNEFC_EXEC_TUNE_H

struct diag;
struct tuning;

struct tuner {
    struct tuning *tuning;
    struct diag *diag; /* what goes wrong in trying is reported to; nobody need know */
    double seconds;    /* for trying, all in all; what is left of them */
    int tried, left;   /* tasks, and those for which there was no time */
};

#endif
