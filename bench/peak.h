/* peak.h - how fast a machine can be at most */
#ifndef NNEFC_BENCH_PEAK_H
#define NNEFC_BENCH_PEAK_H

/*
 * Floating-point operations a second that so many threads reach together, measured for about a
 * tenth of a second: multiply-adds of 32-bit floats, two operations each, in the widest registers
 * of the processor.  Negative if this is a processor for which it is not known how.
 */
double peak_flops(int threads);

#endif
