/* main.c - a program around a network: it reads files of raw items and prints the results */
#include "backend/c/writer.h"
#include "exec/planner.h"

#include <inttypes.h>

/* One buffer of the program: static, as a network on a small machine has it. */
static void add_buffer(struct text *to, const char *kind, int index, const struct value *value)
{
    int64_t count = shape_volume(value->shape);

    text_add(to, "static %s %s%d[%" PRId64 "];\n", c_type((enum dtype)value->dtype), kind, index,
             count + !count);
}

static void add_reads(struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;
    int next = 1;

    if (writer->options->weights == C_WEIGHTS_FILE)
        text_add(to, "    if (!read_items(argv[%d], weights, sizeof weights))\n        return 1;\n",
                 next++);
    for (int i = 0; i < graph->ninput; i++)
        text_add(to,
                 "    if (!read_items(argv[%d], input%d, %" PRId64
                 " * sizeof *input%d))\n        return 1;\n",
                 next++, i, shape_volume(graph->inputs[i].value->shape), i);
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

void c_write_main(struct c_writer *writer)
{
    const struct c_options *o = writer->options;
    const struct graph *graph = writer->plan->graph;
    struct text *to = &writer->files->main;
    bool file = o->weights == C_WEIGHTS_FILE;
    int arguments = graph->ninput + file;

    text_add(to,
             "/* Reads files of raw items%s, in the order of the header, and prints the results. "
             "*/\n#include \"%s\"\n\n#include <stdio.h>\n\n",
             file ? ", first that of the weights" : "", o->header ? o->header : "net.h");
    for (int i = 0; i < graph->ninput; i++)
        add_buffer(to, "input", i, graph->inputs[i].value);
    for (int i = 0; i < graph->noutput; i++)
        add_buffer(to, "result", i, graph->outputs[i].value);
    if (o->caller_arena)
        text_add(to,
                 "static union {\n    double aligned;\n    unsigned char bytes[%s_ARENA_BYTES + "
                 "%s_ARENA_ALIGNMENT];\n} arena;\n",
                 writer->capitals, writer->capitals);
    if (file)
        text_add(to, "static float weights[%s_WEIGHTS_FILE_BYTES / 4];\n", writer->capitals);
    if (arguments > 0)
        text_add(to, "%s", reader);
    text_add(to,
             "\nint main(int argc, char **argv)\n{\n    if (argc != %d) {\n        fprintf(stderr, "
             "\"usage: %%s",
             arguments + 1);
    text_add(to, "%s", file ? " WEIGHTS" : "");
    for (int i = 0; i < graph->ninput; i++)
        text_add(to, " %s", writer->input[i]);
    text_add(to, "\\n\", argv[0]);\n        return 2;\n    }\n");
    add_reads(writer, to);
    text_add(to, "    if (%s_run(", o->prefix);
    const char *comma = "";
    if (o->caller_arena) {
        text_add(to,
                 "arena.bytes + (%s_ARENA_ALIGNMENT - (uintptr_t)arena.bytes %% "
                 "%s_ARENA_ALIGNMENT)",
                 writer->capitals, writer->capitals);
        comma = ", ";
    }
    if (file) {
        text_add(to, "%sweights", comma);
        comma = ", ";
    }
    for (int i = 0; i < graph->ninput; i++, comma = ", ")
        text_add(to, "%sinput%d", comma, i);
    for (int i = 0; i < graph->noutput; i++, comma = ", ")
        text_add(to, "%sresult%d", comma, i);
    text_add(to, ") != 0)\n        return 1;\n");
    add_prints(writer, to);
    text_add(to, "    return 0;\n}\n");
}
