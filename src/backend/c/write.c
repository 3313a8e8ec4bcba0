/*
 * write.c - a plan as a file of C and its header
 *
 * net.c has what it is written of and how to place it, the kernel texts that are used, and then for
 * each step its constants and a function, unless an earlier one has the same; run() calls these one
 * after the other.
 */
#include "backend/c/writer.h"

#include "backend/c/texts.h"
#include "base/arena.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/planner.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- what families call ---------------------------------------------------------------------- */

bool c_run_nothing(const struct step *step, const struct step_frame *frame)
{
    (void)step;
    (void)frame;
    return false;
}

/* Lines are indented by the braces that are open. */
void c_code_v(struct c_writer *writer, const char *text, size_t size)
{
    const char *end = text + size;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const char *next = stop ? stop + 1 : end;
        bool begins = writer->code.size == 0 || writer->code.data[writer->code.size - 1] == '\n';
        bool closes = begins && *text == '}';
        writer->indent -= closes;
        if (begins && *text != '\n')
            text_add(&writer->code, "%*s", 4 * writer->indent, "");
        c_prefixed(writer, &writer->code, text, (size_t)(next - text));
        for (text += closes; text < next; text++)
            writer->indent += (*text == '{') - (*text == '}');
    }
}

void c_code(struct c_writer *writer, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    c_code_v(writer, text.data, text.size);
    text_free(&text);
}

void c_may_fail(struct c_writer *writer)
{
    writer->may_fail = writer->any_fails = true;
}

void c_reads_state(struct c_writer *writer)
{
    writer->reads_state = true;
}

void c_needs_math(struct c_writer *writer, const char *function, size_t size)
{
    for (int i = 0; i < writer->nmath; i++)
        if (strlen(writer->math[i]) == size && memcmp(writer->math[i], function, size) == 0)
            return;
    assert(writer->nmath < C_MATHS);
    writer->math[writer->nmath++] = arena_strndup(writer->arena, function, size);
}

static const struct {
    const unsigned char *text;
    const size_t *size;
    unsigned needs;
} texts[] = {
#define TEXT(name, needs) {c_text_##name, &c_text_##name##_size, (needs)},
#include "backend/c/text.def"
#undef TEXT
};

/* Functions of math.h that a text calls, which are those of floats. */
static void find_math(struct c_writer *writer, enum c_text text)
{
    static const char *const known[] = {"expf", "fabsf", "fabs",  "floorf", "floor",      "ceilf",
                                        "ceil", "fmaf",  "rintf", "rint",   "nextafterf", "frexp",
                                        "sqrt", "log2",  "exp2",  "round"};
    const char *all = (const char *)texts[text].text;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char call[16];
        size_t size = strlen(known[i]);
        memcpy(call, known[i], size);
        memcpy(call + size, "(", 2);
        const char *found = strstr(all, call);
        if (found && !isalnum((unsigned char)found[-1]) && found[-1] != '_')
            c_needs_math(writer, known[i], size);
    }
}

void c_needs(struct c_writer *writer, enum c_text text)
{
    if (writer->text[text])
        return;
    writer->text[text] = true;
    find_math(writer, text);
    for (int i = 0; i < C_TEXTS; i++)
        if (texts[text].needs & 1U << i)
            c_needs(writer, (enum c_text)i);
}

/* --- types ----------------------------------------------------------------------------------- */

static enum dtype dtype_at(const struct c_writer *writer, int buffer)
{
    return (enum dtype)writer->plan->buffers[buffer].value->dtype;
}

bool c_has_bytes(const struct c_writer *writer, int index)
{
    const struct buffer *buffer = &writer->plan->buffers[index];

    return dtype_at(writer, index) == DTYPE_INTEGER && buffer->size > 0 &&
           buffer->size == (size_t)shape_volume(buffer->value->shape);
}

/* The type of the items of a buffer, as a step sees it; NULL: run(). */
const struct c_type *c_type_at(const struct c_writer *writer, const struct step *step, int index)
{
    const struct buffer *buffer = &writer->plan->buffers[index];
    bool narrow =
        step && step->count > 0 && ((const struct c_kernel *)(const void *)step->kernel)->narrow;

    if (c_has_bytes(writer, index))
        return buffer->is_signed ? &c_int8 : &c_uint8;
    if (narrow && buffer->place == PLACE_CONSTANT && dtype_at(writer, index) == DTYPE_INTEGER)
        return c_narrowest(buffer->data, shape_volume(buffer->value->shape));
    return c_type_of(dtype_at(writer, index));
}

const struct c_type *c_narrows(const struct c_writer *writer, const struct step *step)
{
    const struct c_type *type = c_type_at(writer, step, step->out[0]);

    return c_has_bytes(writer, step->out[0]) ? type : NULL;
}

int64_t c_converts(const struct c_writer *writer, const struct step *step)
{
    bool same = c_has_bytes(writer, step->in[0]) == c_has_bytes(writer, step->out[0]);

    return same ? 0 : shape_volume(writer->plan->buffers[step->out[0]].value->shape);
}

bool c_range(const struct c_writer *writer, const struct step *step, int operand, int64_t *low,
             int64_t *high)
{
    const struct buffer *buffer = &writer->plan->buffers[step->in[operand]];
    const int64_t *items = buffer->data;

    if (c_has_bytes(writer, step->in[operand])) {
        *low = buffer->is_signed ? INT8_MIN : 0;
        *high = buffer->is_signed ? INT8_MAX : UINT8_MAX;
        return true;
    }
    if (buffer->place != PLACE_CONSTANT || dtype_at(writer, step->in[operand]) != DTYPE_INTEGER)
        return false;
    *low = *high = 0;
    for (int64_t i = 0, count = shape_volume(buffer->value->shape); i < count; i++) {
        *low = items[i] < *low ? items[i] : *low;
        *high = items[i] > *high ? items[i] : *high;
    }
    return true;
}

/* --- comments -------------------------------------------------------------------------------- */

/* A name must neither end the comment that it stands in nor begin another one. */
static void add_words(struct text *to, const char *words)
{
    for (char last = 0; *words; last = *words++) {
        unsigned char c = (unsigned char)*words;
        bool ends = (c == '/' && last == '*') || (c == '*' && last == '/');
        text_add(to, "%c", c < ' ' || c == 0x7f ? ' ' : ends || c >= 0x80 ? '.' : c);
    }
}

static void add_place(struct c_writer *writer, struct text *to, int index)
{
    const struct buffer *buffer = &writer->plan->buffers[index];
    char name[VALUE_TEXT_SIZE];

    text_add(to, "%s", value_text(buffer->value, name));
    if (buffer->place == PLACE_ARENA && !writer->address[buffer_root(writer->plan, index)])
        text_add(to, " at %zu", c_place(writer, index));
}

static void add_comment(struct c_writer *writer, const struct step *step, int function)
{
    const struct buffer *out = &writer->plan->buffers[step->out[0]];
    struct text words = {0};
    struct location where;

    text_add(&words, "%d: ", writer->step);
    for (int i = 0; i < step->count; i++)
        text_add(&words, "%s%s", i > 0 ? " + " : "", step->nodes[i]->op->name);
    if (step->count == 0)
        text_add(&words, "%s", step->kernel->name);
    for (int i = 0; i < step->count; i++)
        if (sources_locate(writer->plan->graph->context->sources, step->nodes[i]->span.begin,
                           &where)) {
            const char *slash = strrchr(where.file, '/');
            text_add(&words, ", %s:%d", slash ? slash + 1 : where.file, where.line);
            break;
        }
    text_add(&words, ", %s%s;", dtype_name((enum dtype)out->value->dtype),
             SHAPE_TEXT(out->value->shape));
    writer->files->summary.step[writer->step - 1].name =
        arena_strndup(writer->plan->graph->context->arena, words.data, words.size - 1);
    for (int i = 0; i < step->nin; i++) {
        text_add(&words, "%s ", i > 0 ? "," : " reads");
        add_place(writer, &words, step->in[i]);
    }
    for (int i = 0; i < step->nout; i++) {
        text_add(&words, "%s ", i > 0 ? "," : step->nin > 0 ? ", writes" : " writes");
        add_place(writer, &words, step->out[i]);
    }
    if (function != writer->step)
        text_add(&words, "; by step%d()", function);
    text_add(&writer->body, "\n/* ");
    struct text clean = {0};
    add_words(&clean, words.data);
    text_add(&writer->body, "%s */\n", clean.data);
    text_free(&clean);
    text_free(&words);
}

/* --- steps ----------------------------------------------------------------------------------- */

static void add_parameters(struct c_writer *writer, const struct step *step, struct text *to)
{
    const char *comma = "";

    for (int i = 0; i < step->nin; i++, comma = ", ")
        text_add(to, "%sconst %s *in%d", comma, c_type_at(writer, step, step->in[i])->name, i);
    for (int i = 0; i < step->nout; i++, comma = ", ")
        text_add(to, "%s%s *out%d", comma, c_type_at(writer, step, step->out[i])->name, i);
    for (int i = 0; i < writer->npassed; i++, comma = ", ")
        text_add(to, "%sconst %s *w%d", comma, writer->passed[i].type->name, i);
    if (step->scratch > 0) {
        text_add(to, "%sfloat *scratch", comma);
        comma = ", ";
    }
    if (writer->reads_state) {
        text_add(to, "%sconst struct %s_state *state", comma, writer->options->prefix);
        comma = ", ";
    }
    text_add(to, "%s", *comma ? "" : "void");
}

static void add_call(struct c_writer *writer, const struct step *step, int function,
                     struct text *calls)
{
    const char *comma = "";

    text_add(calls, "    %s%s_step%d(", writer->may_fail ? "if (" : "", writer->options->prefix,
             function);
    for (int i = 0; i < step->nin; i++, comma = ", ") {
        text_add(calls, "%s", comma);
        c_add_address(writer, calls, step, step->in[i]);
    }
    for (int i = 0; i < step->nout; i++, comma = ", ") {
        text_add(calls, "%s", comma);
        c_add_address(writer, calls, step, step->out[i]);
    }
    for (int i = 0; i < writer->npassed; i++, comma = ", ")
        text_add(calls, "%s%s", comma, writer->passed[i].address);
    if (step->scratch > 0) {
        text_add(calls, "%s(float *)(void *)(arena + %zu)", comma, c_scratch(writer, step));
        comma = ", ";
    }
    if (writer->reads_state)
        text_add(calls, "%sstate", comma);
    if (writer->may_fail)
        text_add(calls, ") != 0)\n        return %d;\n", writer->step);
    else
        text_add(calls, ");\n");
}

/* What the reference computes has no C. */
static bool step_fits(struct c_writer *writer, const struct step *step)
{
    char name[VALUE_TEXT_SIZE];

    for (int i = 0; i < step->nin + step->nout; i++) {
        int index = i < step->nin ? step->in[i] : step->out[i - step->nin];
        const struct buffer *buffer = &writer->plan->buffers[index];
        if (shape_volume(buffer->value->shape) > INT32_MAX - C_ROOM)
            return diag_error(writer->diag, value_span(buffer->value), DIAG_NOT_IN_C,
                              "'%s' has more items than an int of C counts",
                              value_text(buffer->value, name));
    }
    if (step->count == 0 || step->backend == backend_c.name)
        return true;
    return diag_error(writer->diag, step->nodes[0]->span, DIAG_NOT_IN_C,
                      "there is no C for this '%s'", step->nodes[0]->op->name);
}

/* The step whose function does this, too: an earlier one that differs in its constants only. */
static int function_of(struct c_writer *writer, const struct text *function)
{
    for (int i = 0; i < writer->nfunction; i++)
        if (strcmp(writer->functions[i].text, function->data) == 0)
            return writer->functions[i].step;
    writer->functions =
        arena_list(writer->arena, writer->functions, writer->nfunction, sizeof *writer->functions);
    writer->functions[writer->nfunction++] = (struct c_function){
        arena_strndup(writer->arena, function->data, function->size), writer->step};
    return writer->step;
}

/* A step of nothing reads none of its parameters. */
static void add_unread(struct c_writer *writer, const char *kind, int count, struct text *to)
{
    char name[24];

    text_add(&writer->code, "%s", "");
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%d", kind, i);
        if (!strstr(writer->code.data, name))
            text_add(to, "    (void)%s;\n", name);
    }
}

/* Does it write any item? */
static bool has_items(const struct c_writer *writer, const struct step *step)
{
    for (int i = 0; i < step->nout; i++)
        if (shape_volume(writer->plan->buffers[step->out[i]].value->shape) > 0)
            return true;
    return false;
}

static void write_step(struct c_writer *writer, const struct step *step, struct text *calls)
{
    struct text function = {0};

    writer->npassed = 0;
    writer->reads_state = writer->may_fail = false;
    writer->indent = 1;
    if (step->count == 0)
        c_print_reordering(writer, step);
    else
        ((const struct c_kernel *)(const void *)step->kernel)->print(writer, step);
    assert(writer->indent == 1);
    if (!has_items(writer, step) && !writer->may_fail) {
        writer->code.size = 0;
        writer->reads_state = false;
    }
    add_parameters(writer, step, &function);
    text_add(&function, ")\n{\n");
    add_unread(writer, "in", step->nin, &function);
    add_unread(writer, "out", step->nout, &function);
    add_unread(writer, "w", writer->npassed, &function);
    text_add_bytes(&function, writer->code.data, writer->code.size);
    text_add(&function, writer->may_fail ? "    return 0;\n}\n" : "}\n");
    int of = function_of(writer, &function);
    add_call(writer, step, of, calls);
    if (writer->overflows) /* a step without nodes has no constants */
        writer->ok = diag_error(writer->diag, step->nodes[0]->span, DIAG_NOT_IN_C,
                                "the weights of this '%s' are more than an int of C counts",
                                step->nodes[0]->op->name);
    add_comment(writer, step, of);
    text_add_bytes(&writer->body, writer->data.data, writer->data.size);
    if (of == writer->step) {
        text_add(&writer->body, "static %s %s_step%d(", writer->may_fail ? "int" : "void",
                 writer->options->prefix, of);
        text_add_bytes(&writer->body, function.data, function.size);
    }
    text_free(&function);
    writer->data.size = writer->code.size = 0;
    writer->step++;
}

/* Results that are not written where the caller wants them. */
static void add_copies(struct c_writer *writer, struct text *calls)
{
    const struct plan *plan = writer->plan;

    for (int i = 0; i < plan->graph->noutput; i++) {
        const struct value *value = plan->graph->outputs[i].value;
        int shown = plan->shown[value->id];
        if (plan->buffers[shown].size == 0)
            text_add(calls, "    (void)%s;\n", writer->result[i]);
        if ((writer->address[shown] && strcmp(writer->address[shown], writer->result[i]) == 0) ||
            plan->buffers[shown].size == 0)
            continue;
        text_add(calls, "    memcpy(%s, ", writer->result[i]);
        c_add_address(writer, calls, NULL, shown);
        text_add(calls, ", %zu);\n", plan->buffers[shown].size);
    }
}

/* --- the files ------------------------------------------------------------------------------- */

void c_prototype(const struct c_writer *writer, struct text *to, const char *function)
{
    const struct graph *graph = writer->plan->graph;
    const char *comma = "", *qualifier = strcmp(function, "run") == 0 ? "const " : "";

    text_add(to, "int %s_%s(", writer->options->prefix, function);
    if (writer->options->caller_arena) {
        text_add(to, "void *memory");
        comma = ", ";
    }
    if (writer->options->weights == C_WEIGHTS_FILE) {
        text_add(to, "%sconst void *items", comma);
        comma = ", ";
    }
    if (writer->keeps) {
        text_add(to, "%sstruct %s_state *state", comma, writer->options->prefix);
        comma = ", ";
    }
    for (int i = 0; i < graph->ninput; i++, comma = ", ") {
        const struct value *value = graph->inputs[i].value;
        text_add(to, "%s%s%s %s[%" PRId64 "]", comma, qualifier,
                 c_type_of((enum dtype)value->dtype)->name, writer->input[i],
                 shape_volume(value->shape) + !shape_volume(value->shape));
    }
    for (int i = 0; i < graph->noutput; i++, comma = ", ") {
        const struct value *value = graph->outputs[i].value;
        text_add(to, "%s%s %s[%" PRId64 "]", comma, c_type_of((enum dtype)value->dtype)->name,
                 writer->result[i], shape_volume(value->shape) + !shape_volume(value->shape));
    }
    text_add(to, "%s)", *comma ? "" : "void");
}

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static void add_items(const struct c_writer *writer, struct text *to, const char *name,
                      const struct value *value)
{
    text_add(to, "#define %s_", writer->capitals);
    for (; *name; name++)
        text_add(to, "%c", capital(*name));
    text_add(to, "_ITEMS %" PRId64 " /* %s%s", shape_volume(value->shape),
             dtype_name((enum dtype)value->dtype), SHAPE_TEXT(value->shape));
    enum layout layout = plan_outer_layout(writer->options->channels_last, value);
    if (layout == LAYOUT_CHANNELS_LAST) {
        const struct shape turned = layout_shape(value->shape, value->shape->rank, layout);
        text_add(to, ", channels last: %s", SHAPE_TEXT(&turned));
    }
    text_add(to, " */\n");
}

static void add_title(const struct c_writer *writer, struct text *to, const char *file)
{
    text_add(to, "/*\n * %s - network '", file);
    add_words(to, writer->plan->graph->name);
    text_add(to, "', written by nnefc %s", NNEFC_VERSION);
    if (writer->options->from) {
        text_add(to, " from\n * ");
        add_words(to, writer->options->from);
    }
    if (writer->weight_bytes > 0)
        text_add(to, "\n * SHA-1 of the weights as they are here: %s", writer->digest);
    text_add(to, "\n *\n * It needs: memcpy, memset");
    for (int i = 0; i < writer->nmath; i++)
        text_add(to, ", %s", writer->math[i]);
    text_add(to,
             "\n * Compile it with -O3 -ffp-contract=fast, or -Os -D%s_SMALL, and a flag for "
             "the processor,\n * for example -march=native.\n */\n",
             writer->capitals);
}

static void write_header(struct c_writer *writer)
{
    const struct graph *graph = writer->plan->graph;
    struct text *to = &writer->files->header;
    const char *capitals = writer->capitals;

    if (writer->options->header)
        add_title(writer, to, writer->options->header);
    text_add(to, "#ifndef %s_H\n#define %s_H\n\n#include <stdint.h>\n\n", capitals, capitals);
    text_add(to, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < graph->ninput; i++)
        add_items(writer, to, writer->input[i], graph->inputs[i].value);
    for (int i = 0; i < graph->noutput; i++)
        add_items(writer, to, writer->result[i], graph->outputs[i].value);
    text_add(to, "#define %s_ARENA_BYTES %zu\n#define %s_WEIGHTS_BYTES %" PRId64 "\n", capitals,
             writer->memory, capitals, writer->weight_bytes);
    if (writer->options->caller_arena)
        text_add(to, "#define %s_ARENA_ALIGNMENT %d\n", capitals, BUFFER_ALIGNMENT);
    if (writer->options->weights == C_WEIGHTS_FILE)
        text_add(to, "#define %s_WEIGHTS_FILE_BYTES %zu\n", capitals, writer->files->weights.size);
    text_add(to, "\n");
    if (writer->keeps)
        c_declare_state(writer, to);
    text_add(to,
             "/*\n * Compute the results, which overlap neither each other nor the inputs.  "
             "Returns 0%s.\n",
             writer->any_fails ? ", or the\n * number of the step whose data is at fault: an index "
                                 "out of range, a quotient by 0"
                               : "");
    if (writer->keeps)
        text_add(to, " * Variables change when it returns 0: the next run finds what this one has "
                     "computed for them.\n");
    if (writer->options->caller_arena)
        text_add(to, " * `memory`: %s_ARENA_BYTES, at a multiple of %s_ARENA_ALIGNMENT.\n",
                 capitals, capitals);
    else
        text_add(to, " * Not reentrant: the arena is static.\n");
    if (writer->options->weights == C_WEIGHTS_FILE)
        text_add(to, " * `items`: the bytes of the file of weights, at a multiple of 8.\n");
    text_add(to, " */\n");
    c_prototype(writer, to, "run");
    text_add(to, ";\n");
    if (writer->options->check)
        c_declare_check(writer, to);
    text_add(to, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void add_arena(const struct c_writer *writer, struct text *to)
{
    size_t bytes = writer->memory;
    const char *p = writer->options->prefix, *capitals = writer->capitals;

    if (bytes == 0 || writer->options->caller_arena)
        return;
    text_add(to,
             "\nstatic union {\n    int64_t integers[%zu];\n    float scalars[%zu];\n    unsigned "
             "char bytes[%zu];\n} %s_arena %s_ARENA_ATTRIBUTE;\n",
             bytes / 8, bytes / 4, bytes, p, capitals);
}

/* What a user may define, and what the compiler has to be. */
static void write_macros(const struct c_writer *writer, struct text *to)
{
    const struct c_options *o = writer->options;
    const char *capitals = writer->capitals;

    text_add(to, "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    text_add(to,
             "/* Where weights and arena lie; with %s_SMALL kernels are no part of each step. "
             "*/\n#ifndef %s_WEIGHTS_ATTRIBUTE\n#ifdef __AVX512F__\n#define %s_WEIGHTS_ATTRIBUTE "
             "__attribute__((aligned(64)))\n#else\n#define "
             "%s_WEIGHTS_ATTRIBUTE\n#endif\n#endif\n#ifndef "
             "%s_ARENA_ATTRIBUTE\n#define %s_ARENA_ATTRIBUTE\n#endif\n",
             capitals, capitals, capitals, capitals, capitals, capitals);
    if (o->weights != C_WEIGHTS_ARRAY)
        text_add(to,
                 "#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != "
                 "__ORDER_LITTLE_ENDIAN__\n#error \"weights in %s are little-endian: "
                 "write them as arrays\"\n#endif\n",
                 o->weights == C_WEIGHTS_FILE ? "a file" : "strings");
}

static void write_source(struct c_writer *writer, const struct text *calls)
{
    const struct c_options *o = writer->options;
    struct text *to = &writer->files->source;

    add_title(writer, to, o->source);
    if (o->header)
        text_add(to, "#include \"%s\"\n\n", o->header);
    else
        text_add_bytes(to, writer->files->header.data, writer->files->header.size);
    write_macros(writer, to);
    for (int i = 0; i < C_TEXTS; i++)
        if (writer->text[i]) {
            text_add(to, "\n");
            c_renamed(writer, to, (const char *)texts[i].text, *texts[i].size);
        }
    text_add_bytes(to, writer->body.data, writer->body.size);
    add_arena(writer, to);
    if (writer->keeps)
        c_write_reset(writer, to);
    text_add(to, "\n");
    c_prototype(writer, to, "run");
    text_add(to, "\n{\n");
    if (writer->memory > 0 && o->caller_arena)
        text_add(to, "    unsigned char *arena = (unsigned char *)memory;\n");
    else if (writer->memory > 0)
        text_add(to, "    unsigned char *arena = %s_arena.bytes;\n", o->prefix);
    else if (o->caller_arena)
        text_add(to, "    (void)memory;\n");
    if (o->weights == C_WEIGHTS_FILE)
        c_open_weights(to);
    else
        text_add(to, "\n");
    if (writer->memory > 0)
        text_add(to,
                 "#if defined __GNUC__\n"
                 "    /* GCC 12 can lose what is written to an array whose address it knows. */\n"
                 "    __asm__(\"\" : \"+r\"(arena));\n"
                 "#else\n"
                 "    (void)arena;\n"
                 "#endif\n");
    for (int i = 0; i < writer->plan->graph->ninput; i++)
        if (writer->plan->inputs[i] == NO_BUFFER)
            text_add(to, "    (void)%s;\n", writer->input[i]);
    text_add_bytes(to, calls->data, calls->size);
    text_add(to, "    return 0;\n}\n");
    if (o->check)
        c_write_check(writer, to);
}

static const char *in_capitals(struct arena *arena, const char *name)
{
    char *capitals = arena_strndup(arena, name, strlen(name));

    for (char *c = capitals; *c; c++)
        *c = capital(*c);
    return capitals;
}

void c_files_free(struct c_files *files)
{
    text_free(&files->header);
    text_free(&files->source);
    text_free(&files->main);
    text_free(&files->weights);
}

/* Steps that need more than the limit, or else the one that needs most, with what lies there. */
static bool report_excess(const struct c_writer *writer)
{
    enum { REPORTS = 8 };
    const struct c_summary *summary = &writer->files->summary;
    const size_t limit = writer->options->limit;
    int reports = 0;

    diag_file_error(writer->diag, NULL, DIAG_NOT_IN_C,
                    "the arena takes %zu bytes, and no more than %zu are allowed", summary->arena,
                    limit);
    for (int s = 0; s < summary->steps && reports < REPORTS; s++) {
        const struct step *step = &writer->plan->steps[s];
        const struct c_step *at = &summary->step[s];
        struct text words = {0};
        bool only = summary->peak_step < 0 || summary->step[summary->peak_step - 1].bytes <= limit;
        if (only ? s + 1 != summary->peak_step : at->bytes <= limit)
            continue;
        for (int i = 0; i < at->count; i++)
            text_add(&words, "%s '%s' %zu", i > 0 ? "," : "", at->tensors[i].name,
                     at->tensors[i].bytes);
        const struct value *value = writer->plan->buffers[step->out[0]].value;
        diag_error(writer->diag, step->count > 0 ? step->nodes[0]->span : value_span(value),
                   DIAG_NOT_IN_C, "step %d, '%s', needs %zu bytes of the arena:%s", s + 1,
                   step->count > 0 ? step->nodes[0]->op->name : step->kernel->name, at->bytes,
                   words.data);
        text_free(&words);
        reports++;
    }
    return false;
}

/* Everything has its place; to be ended. */
static struct c_writer begin(const struct plan *plan, const struct c_options *options,
                             struct c_files *files)
{
    struct arena *arena = arena_new();
    struct c_writer writer = {.plan = plan,
                              .options = options,
                              .files = files,
                              .arena = arena,
                              .diag = plan->graph->context->diag,
                              .capitals = in_capitals(arena, options->prefix),
                              .step = 1,
                              .ok = true};

    *files = (struct c_files){.summary.peak_step = -1};
    c_name_ports(&writer);
    c_place_results(&writer);
    c_find_state(&writer);
    return writer;
}

static void end(struct c_writer *writer)
{
    text_free(&writer->body);
    text_free(&writer->data);
    text_free(&writer->code);
    arena_free(writer->arena);
}

size_t c_arena_of(const struct plan *plan, const struct c_options *options)
{
    struct c_files files;
    struct c_writer writer = begin(plan, options, &files);
    size_t bytes = writer.memory;

    end(&writer);
    return bytes;
}

bool c_write(const struct plan *plan, const struct c_options *options, struct c_files *files)
{
    struct c_writer writer = begin(plan, options, files);
    struct text calls = {0};

    sha1_begin(&writer.sha1);
    c_needs(&writer, C_TEXT_common);
    if (options->check)
        c_needs(&writer, C_TEXT_check);
    c_report_memory(&writer);
    writer.ok = options->limit == 0 || writer.memory <= options->limit || report_excess(&writer);
    for (int i = 0; i < plan->nstep && writer.ok; i++)
        writer.ok &= step_fits(&writer, &plan->steps[i]);
    for (int i = 0; i < plan->nstep && writer.ok; i++)
        write_step(&writer, &plan->steps[i], &calls);
    if (writer.ok) {
        add_copies(&writer, &calls);
        c_write_renewals(&writer, &calls);
        c_find_initial(&writer);
    }
    if (writer.ok) {
        sha1_end(&writer.sha1, writer.digest);
        files->summary.weights = writer.weight_bytes;
        write_header(&writer);
        /* Constants that only run() names. */
        text_add_bytes(&writer.body, writer.data.data, writer.data.size);
        write_source(&writer, &calls);
        if (options->main)
            c_write_main(&writer);
    }
    text_free(&calls);
    end(&writer);
    return writer.ok;
}
