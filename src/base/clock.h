/* clock.h - how long something takes */
#ifndef NNEFC_BASE_CLOCK_H
#define NNEFC_BASE_CLOCK_H

/* Seconds since some moment, by a clock that nobody sets. */
double clock_seconds(void);

#endif
