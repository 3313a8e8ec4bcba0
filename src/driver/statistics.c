/* statistics.c - range, mean and best scores */
#include "driver/statistics.h"

#include <math.h>

struct statistics statistics_of(const struct nnefc_tensor *tensor)
{
    struct statistics s = {.count = nnefc_tensor_count(tensor)};

    for (int64_t i = 0; i < s.count; i++) {
        double item = nnefc_tensor_item(tensor, i);
        if (!isfinite(item))
            continue;
        s.min = s.finite == 0 || item < s.min ? item : s.min;
        s.max = s.finite == 0 || item > s.max ? item : s.max;
        s.mean += item;
        s.finite++;
    }
    if (s.finite > 0)
        s.mean /= (double)s.finite;
    return s;
}

static bool holds_scores(const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    int64_t count = nnefc_tensor_count(tensor);
    bool vector =
        (type.rank > 0 && type.extent[0] == count) || (type.rank > 1 && type.extent[1] == count);

    return type.dtype == NNEFC_SCALAR && count > 1 && vector;
}

int top_scores(const struct nnefc_tensor *tensor, int64_t top[TOP_COUNT])
{
    int64_t count = holds_scores(tensor) ? nnefc_tensor_count(tensor) : 0;
    int found = 0;

    for (int64_t i = 0; i < count; i++) {
        double item = nnefc_tensor_item(tensor, i);
        int at = found;
        if (isnan(item))
            continue;
        while (at > 0 && nnefc_tensor_item(tensor, top[at - 1]) < item)
            at--;
        found += found < TOP_COUNT;
        for (int k = found - 1; k > at; k--)
            top[k] = top[k - 1];
        if (at < TOP_COUNT)
            top[at] = i;
    }
    return found;
}
