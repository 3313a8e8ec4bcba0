/* threads.h - how many threads kernels share their loops among */
#ifndef NNEFC_EXEC_THREADS_H
#define NNEFC_EXEC_THREADS_H

/* Use `count` threads from now on in the calling thread, 0: no change.  Returns how many it was;
 * always 1 when built without OpenMP. */
int threads_use(int count);

#endif
