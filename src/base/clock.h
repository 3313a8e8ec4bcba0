/* clock.h - measures how long something takes */
#ifndef NNEFC_BASE_CLOCK_H
#define NNEFC_BASE_CLOCK_H

/* Seconds since an arbitrary moment, by a clock that is never set. */
double clock_seconds(void);

#endif
