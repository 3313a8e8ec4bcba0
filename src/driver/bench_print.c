/* bench_print.c - what was measured, for people and for programs */
#include "driver/amount.h"
#include "driver/bench.h"
#include "driver/json_build.h"
#include "driver/report.h"
#include "driver/steps.h"

#include <stdio.h>

static double milliseconds(double seconds)
{
    return seconds * 1e3;
}

static double gigaflops(const struct bench *bench)
{
    return bench_flops(bench) * 1e-9;
}

/* --- for people --------------------------------------------------------------------------- */

static void print_time(const char *what, double seconds)
{
    printf("%s %.6g\n", what, milliseconds(seconds));
}

bool bench_print(const struct bench *bench)
{
    printf("backend %s\n", nnefc_run_backend(bench->tested));
    printf("threads %d\n", nnefc_run_threads(bench->tested));
    print_time("load_ms", bench->load);
    print_time("plan_ms", bench->plan);
    print_time("first_ms", bench->first);
    printf("runs %zu\n", bench->count);
    print_time("min_ms", bench_percentile(bench, 0));
    print_time("median_ms", bench_percentile(bench, 50));
    print_time("p90_ms", bench_percentile(bench, 90));
    print_time("p99_ms", bench_percentile(bench, 99));
    printf("per_second %.6g\n", bench_per_second(bench));
    if (bench->macs == NNEFC_UNKNOWN)
        puts("gflops unknown");
    else
        printf("gflops %.6g\n", gigaflops(bench));
    amount_print("peak_rss_bytes", bench->peak_rss, AMOUNT_BYTES);
    return !bench->settings->steps_told || steps_print(stdout, bench->settings, bench->tested);
}

/* --- for programs ------------------------------------------------------------------------- */

static json_t *time_json(double seconds)
{
    return json_number(milliseconds(seconds));
}

static json_t *known(bool is_known, json_t *value)
{
    if (is_known)
        return value;
    json_decref(value);
    return json_null();
}

bool bench_print_json(const struct bench *bench)
{
    json_t *object = json_object();

    json_set(&object, "model", json_text(bench->settings->model));
    json_set(&object, "backend", json_string(nnefc_run_backend(bench->tested)));
    json_set(&object, "threads", json_integer(nnefc_run_threads(bench->tested)));
    json_set(&object, "loadMs", time_json(bench->load));
    json_set(&object, "planMs", time_json(bench->plan));
    json_set(&object, "firstMs", time_json(bench->first));
    json_set(&object, "runs", json_integer((json_int_t)bench->count));
    json_set(&object, "minMs", time_json(bench_percentile(bench, 0)));
    json_set(&object, "medianMs", time_json(bench_percentile(bench, 50)));
    json_set(&object, "p90Ms", time_json(bench_percentile(bench, 90)));
    json_set(&object, "p99Ms", time_json(bench_percentile(bench, 99)));
    json_set(&object, "perSecond", json_number(bench_per_second(bench)));
    json_set(&object, "macs", known(bench->macs != NNEFC_UNKNOWN, json_integer(bench->macs)));
    json_set(&object, "gflops", known(bench->macs != NNEFC_UNKNOWN, json_number(gigaflops(bench))));
    json_set(&object, "peakRssBytes",
             known(bench->peak_rss != NNEFC_UNKNOWN, json_integer(bench->peak_rss)));
    if (bench->settings->steps_told)
        json_merge(&object, steps_json(bench->settings, bench->tested));
    return json_print(object, JSON_REAL_PRECISION(FLOAT_DIGITS));
}
