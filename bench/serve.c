/* serve.c - the protocol of both sides: commands, times and memory */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { USAGE = 2, MAX_RUNS = 1000000, MAX_ITEMS = 1 << 30, LINE = 4096 };

bool serve_fault(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "serve_%s: ", engine_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

/* --- time and memory ---------------------------------------------------------------------- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t now(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

static int64_t used(void)
{
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* Since this program began; ru_maxrss would count what the process was before. */
static int64_t peak_bytes(void)
{
    static const char word[] = "VmHWM:"; /* and kibibytes */
    FILE *file = fopen("/proc/self/status", "r");
    int64_t bytes = 0;
    char line[256];

    while (file && !bytes && fgets(line, sizeof line, file))
        if (strncmp(line, word, sizeof word - 1) == 0)
            bytes = (int64_t)strtoll(line + sizeof word - 1, NULL, 10) * 1024;
    if (file)
        fclose(file);
    return bytes;
}

/* What a loop of one branch and one addition a step takes.  It takes twice as long while another
 * thread uses the same core, which a virtual machine sees nowhere else. */
static int64_t pace(void)
{
    enum { STEPS = 10000 };
    int64_t start = now();

    for (int i = 0; i < STEPS; i++)
        __asm__ volatile("" : "+r"(i));
    return now() - start;
}

/* --- the task ----------------------------------------------------------------------------- */

static bool parse_number(const char *text, char **end, long long max, long long *value)
{
    errno = 0;
    *value = strtoll(text, end, 10);
    return *end != text && !errno && *value >= 1 && *value <= max;
}

/* "1,3,224,224" */
static bool parse_shape(const char *text, struct array *array)
{
    char *end;
    long long extent;

    array->count = 1;
    while (array->rank < MAX_EXTENTS && parse_number(text, &end, MAX_ITEMS, &extent)) {
        if (array->count > (size_t)(MAX_ITEMS / extent))
            return false;
        array->extent[array->rank++] = extent;
        array->count *= (size_t)extent;
        if (*end != ',')
            return !*end;
        text = end + 1;
    }
    return false;
}

/* The items are the caller's to free. */
static float *read_items(const char *path, size_t count)
{
    FILE *file = fopen(path, "rb");
    float *items = file ? malloc(count * sizeof *items) : NULL;
    bool whole = items && fread(items, sizeof *items, count, file) == count && fgetc(file) == EOF;

    if (!whole)
        serve_fault("'%s' cannot be read, or does not hold %zu floats", path, count);
    if (file)
        fclose(file);
    if (!whole)
        free(items);
    return whole ? items : NULL;
}

static bool parse_task(int argc, char *argv[], struct task *task)
{
    char *end;
    long long threads;

    if (argc < 6 || !parse_number(argv[2], &end, 1024, &threads) || *end ||
        !parse_shape(argv[4], &task->input))
        return false;
    task->model = argv[1];
    task->threads = (int)threads;
    task->input_name = argv[3];
    task->settings = argv + 6;
    return true;
}

/* --- commands ----------------------------------------------------------------------------- */

static bool run_often(struct engine *engine, const char *argument, bool paced)
{
    char *end;
    long long runs;

    if (!parse_number(argument, &end, MAX_RUNS, &runs) || *end)
        return serve_fault("'%s': expected a number of runs", argument);
    int64_t(*times)[3] = calloc((size_t)runs, sizeof *times);
    int64_t before = paced ? pace() : 0;
    bool ok = times;

    if (!times)
        return serve_fault("out of memory");
    for (long long i = 0; i < runs && ok; i++) {
        int64_t cpu = used(), start = now();
        ok = engine_run(engine);
        times[i][0] = now() - start;
        times[i][1] = used() - cpu;
        int64_t behind = paced ? pace() : 0;
        times[i][2] = before > behind ? before : behind;
        before = behind;
    }
    for (long long i = 0; i < runs && ok; i++) {
        printf("wall %" PRId64 " %" PRId64, times[i][0], times[i][1]);
        if (paced)
            printf(" %" PRId64, times[i][2]);
        putchar('\n');
    }
    free(times);
    return ok;
}

static bool change_shape(struct engine *engine, const struct array *most, const char *argument)
{
    struct array input = {.items = most->items};

    if (!parse_shape(argument, &input) || input.count > most->count)
        return serve_fault("'shape %s': expected extents of at most %zu items", argument,
                           most->count);
    return engine_shape(engine, &input);
}

static bool write_output(struct engine *engine, int index, FILE *file)
{
    struct array output = {0};

    if (!engine_output(engine, index, &output))
        return false;
    printf("output");
    for (int i = 0; i < output.rank; i++)
        printf(" %" PRId64, output.extent[i]);
    putchar('\n');
    return fwrite(output.items, sizeof *output.items, output.count, file) == output.count ||
           serve_fault("results cannot be written: %s", strerror(errno));
}

static bool write_outputs(struct engine *engine, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool ok = file || serve_fault("'%s' cannot be written: %s", path, strerror(errno));

    for (int i = 0; i < engine_output_count(engine) && ok; i++)
        ok = write_output(engine, i, file);
    if (file && fclose(file) != 0)
        ok = serve_fault("'%s' cannot be written: %s", path, strerror(errno));
    return ok;
}

/* What stands behind the command and a space; NULL if the line is another command. */
static const char *argument_of(const char *line, const char *command)
{
    size_t size = strlen(command);

    return strncmp(line, command, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

static bool obey(struct engine *engine, const struct task *task, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    const char *runs = argument_of(line, "run"), *path = argument_of(line, "write");
    const char *shape = argument_of(line, "shape"), *paced = argument_of(line, "pace");
    int64_t start = used();
    bool ok = runs    ? run_often(engine, runs, false)
              : paced ? run_often(engine, paced, true)
              : shape ? change_shape(engine, &task->input, shape)
                      : path && write_outputs(engine, path);

    if (!runs && !paced && !path && !shape)
        return serve_fault("there is no command '%s'", line);
    int64_t cpu = used() - start; /* without the time to ask for the memory */
    if (ok)
        printf("done cpu=%" PRId64 " peak=%" PRId64 "\n", cpu, peak_bytes());
    return ok && fflush(stdout) == 0;
}

/* --- the program -------------------------------------------------------------------------- */

static bool get_ready(struct engine *engine)
{
    int64_t start = now();
    bool ok = engine_load(engine);
    int64_t loaded = now();
    ok = ok && engine_plan(engine);
    int64_t planned = now();
    ok = ok && engine_run(engine);
    int64_t ran = now(), cpu = used();

    if (ok)
        printf("ready name=%s version=%s backend=%s load=%.3f plan=%.3f first=%.3f cpu=%" PRId64
               " peak=%" PRId64 "\n",
               engine_name, engine_version(engine), engine_backend(engine),
               (double)(loaded - start) * 1e-6, (double)(planned - loaded) * 1e-6,
               (double)(ran - planned) * 1e-6, cpu, peak_bytes());
    return ok && fflush(stdout) == 0;
}

static bool serve(const struct task *task)
{
    struct engine *engine = engine_new(task);
    bool ok = engine && get_ready(engine);
    char line[LINE];

    while (ok && fgets(line, sizeof line, stdin))
        ok = obey(engine, task, line);
    engine_free(engine);
    return ok;
}

int main(int argc, char *argv[])
{
    struct task task = {0};

    if (!parse_task(argc, argv, &task)) {
        fprintf(stderr, "usage: serve_%s MODEL THREADS INPUT SHAPE FILE [SETTING]...\n",
                engine_name);
        return USAGE;
    }
    float *items = read_items(argv[5], task.input.count);
    task.input.items = items;
    bool ok = items && serve(&task);
    free(items);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
