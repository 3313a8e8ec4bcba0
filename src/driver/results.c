/*
 * results.c - range, mean, first items and best scores of each result
 *
 * Items that are not finite do not count in range and mean, but are counted.
 */
#include "driver/results.h"

#include <assert.h>
#include <math.h>

enum { FIRST_COUNT = 8, TOP_COUNT = 5 };

const struct view results_view = {
    .text = "{outputs*{name}: {type}{shape:shape}\n"
            "{min?    min {min}, max {max}, mean {mean}\n}"
            "{.notFinite?    not finite: {.notFinite} of {.count}\n}"
            "{.first?    {.more?first}{.more!values}{.first* {}}\n}"
            "{top?    top {top:#}\n{top*{index:8d}  {value}\n}}}",
    .json = JSON_FLOATS,
};

/* Range and mean are those of the finite items. */
static void add_range(struct record *to, const struct nnefc_tensor *tensor, int64_t count)
{
    double min = 0, max = 0, sum = 0;
    int64_t finite = 0;

    for (int64_t i = 0; i < count; i++) {
        double item = nnefc_tensor_item(tensor, i);
        if (!isfinite(item))
            continue;
        min = finite == 0 || item < min ? item : min;
        max = finite == 0 || item > max ? item : max;
        sum += item;
        finite++;
    }
    assert(finite <= count);
    if (finite > 0) {
        record_real(to, "min", min);
        record_real(to, "max", max);
        record_real(to, "mean", sum / (double)finite);
    }
    if (finite < count) {
        record_integer(to, ".notFinite", count - finite);
        record_integer(to, ".count", count);
    }
}

/*
 * Scores are a vector of scalars, [n] or [1,n] with n > 1 and nothing but 1 behind it.  Fills in
 * the indices of the largest, largest first and equal ones by index; returns how many.
 */
static int find_top(const struct nnefc_tensor *tensor, int64_t count, int64_t top[TOP_COUNT])
{
    int found = 0;

    assert(count <= nnefc_tensor_count(tensor));
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

/* Only of tensors that look like scores of classes. */
static void add_top(struct record *to, const struct nnefc_tensor *tensor,
                    const struct nnefc_type *type, int64_t count)
{
    bool vector = (type->rank > 0 && type->extent[0] == count) ||
                  (type->rank > 1 && type->extent[1] == count);
    int64_t top[TOP_COUNT];
    int found =
        type->dtype == NNEFC_SCALAR && count > 1 && vector ? find_top(tensor, count, top) : 0;
    struct record *list = found > 0 ? record_list(to, "top") : NULL;

    for (int i = 0; i < found; i++) {
        struct record *item = record_object(list, NULL);
        record_integer(item, "index", top[i]);
        record_real(item, "value", nnefc_tensor_item(tensor, top[i]));
    }
}

/* The values are not copied: they are for JSON only, and may be many. */
static void add_tensor(struct record *to, const char *name, const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    int64_t count = nnefc_tensor_count(tensor);

    record_text(to, "name", name);
    record_type(to, &type);
    add_range(to, tensor, count);
    add_top(to, tensor, &type, count);
    record_tensor(to, "values", tensor);
    record_bool(to, ".more", count > FIRST_COUNT);
    struct record *first = record_list(to, ".first");
    for (int64_t i = 0; i < count && i < FIRST_COUNT; i++)
        record_real(first, NULL, nnefc_tensor_item(tensor, i));
}

struct record *results_record(const struct nnefc_model *model, const struct nnefc_run *run)
{
    struct record *record = record_new_object();

    record_text(record, "graph", nnefc_model_name(model));
    struct record *outputs = record_list(record, "outputs");
    for (int i = 0; i < nnefc_model_outputs(model)->count; i++)
        add_tensor(record_object(outputs, NULL), nnefc_model_outputs(model)->at[i]->name,
                   nnefc_run_output(run, i));
    return record;
}
