/* main.c - a program around a network: it reads files of raw items and prints the results */
#include "backend/c/writer.h"
#include "exec/planner.h"

#include <inttypes.h>

/* One buffer of the program: static, as a network on a small machine has it. */
static void add_buffer(struct text *to, const char *kind, int index, const struct value *value)
{
    int64_t count = shape_volume(value->shape);

    text_add(to, "static %s %s%d[%" PRId64 "];\n", c_type_of((enum dtype)value->dtype)->name, kind,
             index, count + !count);
}

static void add_reads(struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;

    for (int i = 0; i < graph->ninput; i++)
        text_add(to,
                 "    if (!read_items(argv[%d], input%d, %" PRId64
                 " * sizeof *input%d))\n        return 1;\n",
                 i, i, shape_volume(graph->inputs[i].value->shape), i);
}

static void add_prints(struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;

    for (int i = 0; i < graph->noutput; i++) {
        const struct value *value = graph->outputs[i].value;
        bool scalar = value->dtype == DTYPE_SCALAR;
        text_add(to,
                 "    printf(\"%s:\\n\");\n    for (int i = 0; i < %" PRId64
                 "; i++)\n        printf(\"%s\\n\", %sresult%d[i]);\n",
                 writer->result[i], shape_volume(value->shape), scalar ? "%.9g" : "%lld",
                 scalar ? "(double)" : "(long long)", i);
    }
}

static const char reader[] =
    "\n/* The items of a raw file, or none and a message. */\n"
    "static int read_items(const char *path, void *items, size_t size)\n"
    "{\n"
    "    FILE *file = fopen(path, \"rb\");\n"
    "    size_t count = file ? fread(items, 1, size, file) : 0;\n"
    "\n"
    "    if (file)\n"
    "        fclose(file);\n"
    "    if (count != size)\n"
    "        fprintf(stderr, \"%s: cannot read %lu bytes\\n\", path, (unsigned long)size);\n"
    "    return count == size;\n"
    "}\n";

/* The arguments of run() and check(). */
static void add_arguments(struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;
    const char *comma = "";

    if (writer->options->caller_arena) {
        text_add(to, "MEMORY");
        comma = ", ";
    }
    if (writer->options->weights == C_WEIGHTS_FILE) {
        text_add(to, "%sweights.bytes", comma);
        comma = ", ";
    }
    if (writer->keeps) {
        text_add(to, "%s&state", comma);
        comma = ", ";
    }
    for (int i = 0; i < graph->ninput; i++, comma = ", ")
        text_add(to, "%sinput%d", comma, i);
    for (int i = 0; i < graph->noutput; i++, comma = ", ")
        text_add(to, "%sresult%d", comma, i);
}

static void add_usage(struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;
    bool file = writer->options->weights == C_WEIGHTS_FILE;

    text_add(to,
             "static int usage(const char *program)\n{\n    fprintf(stderr, \"usage: %%s [-t "
             "RUNS]%s",
             file ? " WEIGHTS" : "");
    for (int i = 0; i < graph->ninput; i++)
        text_add(to, " %s", writer->input[i]);
    text_add(to, "\\n\", program);\n    return 2;\n}\n");
}

/* It comes before inputs are read, whose memory it fills; without any it is all that is done. */
static void add_check(struct c_writer *writer, struct text *to)
{
    text_add(to, "    int apart = %s_check(", writer->options->prefix);
    add_arguments(writer, to);
    text_add(to, ");\n    fprintf(stderr, \"check: %%s\\n\", apart == 0 ? \"right\" : \"WRONG\");\n"
                 "    if (apart != 0)\n        return 1;\n");
    if (writer->plan->graph->ninput > 0)
        text_add(to, "    if (argc == 0)\n        return 0;\n");
}

static void add_runs(struct c_writer *writer, struct text *to)
{
    text_add(to, "    begin = clock();\n    for (long i = 0; i < runs; i++)\n        if (%s_run(",
             writer->options->prefix);
    add_arguments(writer, to);
    text_add(to, ") != 0)\n            return 1;\n"
                 "    if (timed)\n        fprintf(stderr, \"%%ld runs, %%.3f us each\\n\", runs,\n"
                 "                (double)(clock() - begin) * 1e6 / CLOCKS_PER_SEC / "
                 "(double)runs);\n");
}

static void add_main(struct c_writer *writer, struct text *to)
{
    int inputs = writer->plan->graph->ninput;
    bool file = writer->options->weights == C_WEIGHTS_FILE;

    text_add(to, "\nint main(int argc, char **argv)\n{\n"
                 "    const char *program = argv[0];\n    long runs = 1;\n    clock_t begin;\n"
                 "    int timed = argc > 2 && strcmp(argv[1], \"-t\") == 0;\n\n"
                 "    if (timed)\n        runs = strtol(argv[2], NULL, 10);\n"
                 "    argc -= timed ? 3 : 1;\n    argv += timed ? 3 : 1;\n");
    if (file)
        text_add(
            to,
            "    if (argc < 1)\n        return usage(program);\n"
            "    if (!read_items(*argv, weights.bytes, %s_WEIGHTS_FILE_BYTES))\n        return 1;\n"
            "    argc--;\n    argv++;\n",
            writer->capitals);
    if (writer->options->check && inputs > 0)
        text_add(to,
                 "    if (runs < 1 || (argc != %d && argc != 0))\n        return "
                 "usage(program);\n",
                 inputs);
    else
        text_add(to, "    if (runs < 1 || argc != %d)\n        return usage(program);\n", inputs);
    if (writer->options->check)
        add_check(writer, to);
    add_reads(writer, to);
    if (writer->keeps)
        text_add(to, "    %s_reset(&state%s);\n", writer->options->prefix,
                 file ? ", weights.bytes" : "");
    add_runs(writer, to);
    add_prints(writer, to);
    text_add(to, "    return 0;\n}\n");
}

void c_write_main(struct c_writer *writer)
{
    const struct c_options *o = writer->options;
    const struct graph *graph = writer->plan->graph;
    struct text *to = &writer->files->main;
    bool file = o->weights == C_WEIGHTS_FILE;

    text_add(to,
             "/* Reads files of raw items%s, in the order of the header, and prints the results.%s "
             "*/\n#include \"%s\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
             "#include <time.h>\n\n",
             file ? ", first that of the weights" : "",
             o->check && graph->ninput > 0 ? "\n * Without inputs it checks that they are right."
                                           : "",
             o->header ? o->header : "net.h");
    for (int i = 0; i < graph->ninput; i++)
        add_buffer(to, "input", i, graph->inputs[i].value);
    for (int i = 0; i < graph->noutput; i++)
        add_buffer(to, "result", i, graph->outputs[i].value);
    if (o->caller_arena)
        text_add(to,
                 "static union {\n    double aligned;\n    unsigned char bytes[%s_ARENA_BYTES + "
                 "%s_ARENA_ALIGNMENT];\n} arena;\n#define MEMORY \\\n    (arena.bytes + "
                 "(%s_ARENA_ALIGNMENT - (uintptr_t)arena.bytes %% %s_ARENA_ALIGNMENT))\n",
                 writer->capitals, writer->capitals, writer->capitals, writer->capitals);
    if (file)
        text_add(to,
                 "static union {\n    int64_t aligned;\n    unsigned char "
                 "bytes[%s_WEIGHTS_FILE_BYTES + 1];\n} weights;\n",
                 writer->capitals);
    if (writer->keeps)
        text_add(to, "static struct %s_state state;\n", o->prefix);
    if (graph->ninput > 0 || file)
        text_add(to, "%s", reader);
    text_add(to, "\n");
    add_usage(writer, to);
    add_main(writer, to);
}
