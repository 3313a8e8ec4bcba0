/* threads.c - threads by OpenMP, where there is one */
#include "exec/threads.h"

#ifdef _OPENMP
#include <omp.h>

int threads_use(int count)
{
    int before = omp_get_max_threads();

    if (count > 0)
        omp_set_num_threads(count);
    return before;
}

#else

int threads_use(int count)
{
    (void)count;
    return 1;
}

#endif
