/*
 * reduce_search.c - delta debugging: items are left out in runs that get shorter
 *
 * Runs are tried from the last to the first, because later items mostly depend on earlier ones.
 * Single items are tried again until none of them can be left out.
 */
#include "driver/memory.h"
#include "driver/reduce.h"

#include <stdlib.h>
#include <string.h>

/* The indices of the kept items, to be freed. */
static int *list_kept(const bool *kept, int count, int *size)
{
    int *list = zeroed_items((size_t)count + 1, sizeof *list);

    *size = 0;
    for (int i = 0; i < count; i++)
        if (kept[i])
            list[(*size)++] = i;
    return list;
}

/* Try to leave out each run of `length`.  Returns the number of items that were left out; -1: no
 * more tries. */
static int leave_out(bool *kept, int count, int length, try_function test, void *data)
{
    int size, gone = 0;
    int *list = list_kept(kept, count, &size);
    enum answer answer = ANSWER_PASSES;

    for (int end = size; end > 0 && answer != ANSWER_STOPPED; end -= length) {
        const int begin = end > length ? end - length : 0;
        for (int i = begin; i < end; i++)
            kept[list[i]] = false;
        answer = test(data, kept);
        for (int i = begin; i < end && answer != ANSWER_FAILS; i++)
            kept[list[i]] = true;
        gone += answer == ANSWER_FAILS ? end - begin : 0;
    }
    free(list);
    return answer == ANSWER_STOPPED ? -1 : gone;
}

void search_less(bool *kept, int count, try_function test, void *data)
{
    int size, gone = 1;

    free(list_kept(kept, count, &size));
    for (int length = (size + 1) / 2; length > 1 && gone >= 0; length = (length + 1) / 2)
        gone = leave_out(kept, count, length, test, data);
    while (gone > 0)
        gone = leave_out(kept, count, 1, test, data);
}
