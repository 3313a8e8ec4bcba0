/* summary.c - results for people */
#include "driver/summary.h"

#include "driver/statistics.h"
#include "driver/typed.h"

#include <inttypes.h>
#include <stdio.h>

enum { FIRST_COUNT = 8 };

static void print_range(const struct statistics *s)
{
    if (s->finite > 0)
        printf("    min %.6g, max %.6g, mean %.6g\n", s->min, s->max, s->mean);
    if (s->finite < s->count)
        printf("    not finite: %" PRId64 " of %" PRId64 "\n", s->count - s->finite, s->count);
}

static void print_first(const struct nnefc_tensor *tensor, int64_t count)
{
    fputs(count > FIRST_COUNT ? "    first" : "    values", stdout);
    for (int64_t i = 0; i < count && i < FIRST_COUNT; i++)
        printf(" %.6g", nnefc_tensor_item(tensor, i));
    putchar('\n');
}

static void print_top(const struct nnefc_tensor *tensor)
{
    int64_t top[TOP_COUNT];
    int count = top_scores(tensor, top);

    if (count > 0)
        printf("    top %d\n", count);
    for (int i = 0; i < count; i++)
        printf("%8" PRId64 "  %.6g\n", top[i], nnefc_tensor_item(tensor, top[i]));
}

static void print_tensor(const char *name, const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    struct statistics s = statistics_of(tensor);

    printf("%s: ", name);
    print_type(&type);
    putchar('\n');
    if (s.count == 0)
        return;
    print_range(&s);
    print_first(tensor, s.count);
    print_top(tensor);
}

void summary_print(const struct nnefc_model *model, const struct nnefc_run *run)
{
    for (int i = 0; i < nnefc_model_output_count(model); i++)
        print_tensor(nnefc_model_output_name(model, i), nnefc_run_output(run, i));
}
