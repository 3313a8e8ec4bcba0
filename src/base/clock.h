/* clock.h - how long something takes */
#ifndef NNEFC_BASE_CLOCK_H
#define NNEFC_BASE_CLOCK_H

/* Seconds since some moment, by a clock that nobody sets. */
double clock_seconds(void);

/* Seconds that a processor has worked for this thread. */
double clock_worked(void);

#endif
