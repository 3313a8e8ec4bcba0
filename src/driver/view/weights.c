/*
 * weights.c - statistics of the data of variables: extremes, mean and deviation of finite items,
 * and a histogram between the extremes
 */
#include "driver/memory.h"
#include "driver/view/facts.h"
#include "driver/view/strings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BINS = 64, FIRST = 8 };

struct item_statistics {
    double min, max, mean, deviation;
    int64_t finite, zeros, nan, infinite;
    int64_t bin[BINS];
};

/* Mean and deviation by Welford's algorithm. */
static void add_item(struct item_statistics *s, double item)
{
    s->nan += isnan(item);
    s->infinite += isinf(item);
    if (!isfinite(item))
        return;
    s->zeros += !(item < 0) && !(item > 0);
    s->min = s->finite == 0 || item < s->min ? item : s->min;
    s->max = s->finite == 0 || item > s->max ? item : s->max;
    double off = item - s->mean;
    s->mean += off / (double)++s->finite;
    s->deviation += off * (item - s->mean);
}

static struct item_statistics statistics_of(const struct nnefc_tensor *tensor)
{
    struct item_statistics s = {0};
    int64_t count = nnefc_tensor_count(tensor);

    for (int64_t i = 0; i < count; i++)
        add_item(&s, nnefc_tensor_item(tensor, i));
    s.deviation = s.finite > 0 ? sqrt(s.deviation / (double)s.finite) : 0;
    for (int64_t i = 0; i < count; i++) {
        double item = nnefc_tensor_item(tensor, i), share = (item - s.min) / (s.max - s.min);
        if (isfinite(item))
            s.bin[share >= 0 && share < 1 ? (int)(share * BINS) : share >= 1 ? BINS - 1 : 0]++;
    }
    return s;
}

/* The statistics of the variables that have data. */
struct gathered {
    int *value;
    struct item_statistics *of;
    double (*first)[FIRST];
    int *firsts, count;
};

static void print_reals(FILE *to, const char *key, const struct gathered *all, size_t offset)
{
    fprintf(to, "\"%s\":[", key);
    for (int i = 0; i < all->count; i++)
        fprintf(to, "%s%.6g", i ? "," : "",
                *(const double *)(const void *)((const char *)&all->of[i] + offset));
    fputs("],\n", to);
}

static void print_counts(FILE *to, const char *key, const struct gathered *all, size_t offset)
{
    fprintf(to, "\"%s\":[", key);
    for (int i = 0; i < all->count; i++)
        fprintf(to, "%s%" PRId64, i ? "," : "",
                *(const int64_t *)(const void *)((const char *)&all->of[i] + offset));
    fputs("],\n", to);
}

static void print_all(FILE *to, const struct gathered *all)
{
    fputs("{\"value\":[", to);
    for (int i = 0; i < all->count; i++)
        fprintf(to, "%s%d", i ? "," : "", all->value[i]);
    fputs("],\n", to);
    print_reals(to, "min", all, offsetof(struct item_statistics, min));
    print_reals(to, "max", all, offsetof(struct item_statistics, max));
    print_reals(to, "mean", all, offsetof(struct item_statistics, mean));
    print_reals(to, "deviation", all, offsetof(struct item_statistics, deviation));
    print_counts(to, "zeros", all, offsetof(struct item_statistics, zeros));
    print_counts(to, "nan", all, offsetof(struct item_statistics, nan));
    print_counts(to, "infinite", all, offsetof(struct item_statistics, infinite));
    fputs("\"histogram\":[", to);
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < BINS; k++)
            fprintf(to, "%s%" PRId64 "%s",
                    k   ? ","
                    : i ? ",["
                        : "[",
                    all->of[i].bin[k], k == BINS - 1 ? "]" : "");
    fputs("],\n\"first\":[", to);
    for (int i = 0; i < all->count; i++) {
        fputs(i ? ",[" : "[", to);
        for (int k = 0; k < all->firsts[i]; k++)
            if (isfinite(all->first[i][k]))
                fprintf(to, "%s%.6g", k ? "," : "", all->first[i][k]);
            else /* a number beyond all is an infinity to who reads it */
                fprintf(to, "%s%s", k ? "," : "",
                        isnan(all->first[i][k])  ? "null"
                        : all->first[i][k] > 0.0 ? "1e999"
                                                 : "-1e999");
        fputs("]", to);
    }
    fputs("]}", to);
}

/* The data of variable `index`, which is that of all values of its label. */
static void gather(struct gathered *all, const struct nnefc_tensor *tensor, int value)
{
    int count = 0;

    all->value[all->count] = value;
    all->of[all->count] = statistics_of(tensor);
    while (count < FIRST && count < nnefc_tensor_count(tensor)) {
        all->first[all->count][count] = nnefc_tensor_item(tensor, count);
        count++;
    }
    all->firsts[all->count++] = count;
}

char *weights_read(struct nnefc_model *model, const struct net *net)
{
    const struct nnefc_variable_list *variables = nnefc_model_variables(model);
    struct nnefc_run *run = nnefc_run_new(model);
    struct strings labels = {0};
    int *variable = zeroed_items((size_t)variables->count, sizeof *variable);
    size_t values = (size_t)net->values;
    struct gathered all = {
        zeroed_items(values, sizeof *all.value), zeroed_items(values, sizeof *all.of),
        zeroed_items(values, sizeof *all.first), zeroed_items(values, sizeof *all.firsts), 0};
    char *text = NULL;
    size_t size = 0;

    for (int i = 0; i < variables->count; i++)
        variable[strings_add(&labels, variables->at[i]->label)] = i;
    for (int i = 0; run && i < net->values; i++) {
        const char *label = net->value[i].label;
        int number = label ? strings_find(&labels, label) : -1;
        const struct nnefc_tensor *tensor =
            number < 0 ? NULL : nnefc_run_variable(run, variable[number]);
        if (tensor)
            gather(&all, tensor, i);
    }
    if (run) {
        FILE *memory = must_have(open_memstream(&text, &size));
        print_all(memory, &all);
        if (fclose(memory) != 0)
            end_without_memory();
    }
    nnefc_run_free(run);
    strings_free(&labels);
    free(variable);
    free(all.value);
    free(all.of);
    free(all.first);
    free(all.firsts);
    return text;
}
