/* doc_emit.c - see doc_emit.h */
#include "support/doc_emit.h"

#include "backend/c/c.h"
#include "base/arena.h"
#include "base/pool.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "sema/sema.h"
#include "support/doc_pass.h"
#include "support/same_graph.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than one run: variables change, and so do random numbers. */
enum { RUNS = 3 };

typedef int test_call(int begins, const void *const *in, void *const *out);

struct result {
    const char *name;
    double tolerance;
    struct tensor expected[RUNS];
};

/* A function of the file, what it is called with, and what it has to compute. */
struct emission {
    const char *path, *way; /* of the document, and how it was read */
    int function;           /* number of the network in the file */
    size_t begin, end;      /* where the file has it */
    int nin, nout;
    struct tensor *in; /* without data: not fed */
    struct result *results;
};

struct doc_emitter {
    bool small;
    struct arena *arena;
    struct text file;
    struct emission *emissions;
    int count, functions;
};

struct doc_emitter *doc_emitter_new(bool small)
{
    struct doc_emitter *emitter = calloc(1, sizeof *emitter);

    if (!emitter)
        abort();
    emitter->arena = arena_new();
    emitter->small = small;
    return emitter;
}

void doc_emitter_free(struct doc_emitter *emitter)
{
    for (int k = 0; k < emitter->count; k++) {
        const struct emission *e = &emitter->emissions[k];
        for (int i = 0; i < e->nin; i++)
            tensor_clear(&e->in[i]);
        for (int i = 0; i < e->nout; i++)
            for (int r = 0; r < RUNS; r++)
                tensor_clear(&e->results[i].expected[r]);
    }
    arena_free(emitter->arena);
    text_free(&emitter->file);
    free(emitter);
}

/* How a document is read and written; in `refused` is what has no form in C. */
struct way {
    struct doc *doc;
    const char *text;
    bool expanded, small;
    struct text *refused;
};

/* --- writing --------------------------------------------------------------------------------- */

static bool open_graph(const struct way *way, struct doc_pass *pass)
{
    *pass = (struct doc_pass){.doc = way->doc,
                              .name = way->expanded ? ", expanded" : "",
                              .text = way->text,
                              .keep = way->expanded ? lower_keep_none : NULL,
                              .checks_values = true};
    doc_open(pass);
    if (!pass->graph) {
        doc_complain(way->doc, 0, "there is no graph (C)");
        return false;
    }
    doc_collect_expectations(pass);
    doc_add_outputs(pass);
    return doc_has_values(pass) && doc_feed_variables(pass);
}

static void close_graph(struct doc_pass *pass)
{
    doc_clear_feeds(pass);
    if (pass->context)
        doc_close(pass);
}

/* What the first report says is why there is no C. */
static bool refuse(const struct doc_pass *pass, struct text *refused)
{
    const struct diag *diag = pass->context->diag;

    for (int i = 0; i < diag_count(diag) && refused->size == 0; i++)
        if (diag_at(diag, i).severity == SEVERITY_ERROR)
            text_add(refused, "%s", diag_at(diag, i).text);
    if (refused->size == 0)
        doc_complain(pass->doc, 0, "there is no C, and no reason for it%s", pass->name);
    return false;
}

static bool write_source(struct doc_pass *pass, const struct way *way, const char *prefix,
                         struct c_files *files)
{
    struct graph *graph = pass->graph;
    const struct library *library = library_load(pass->context, DIALECT_1_0);
    const struct c_options options = {.prefix = prefix};
    struct plan_options planned = {.backend = &backend_c,
                                   .threads = 1,
                                   .exact = true,
                                   .memory = way->small ? PLAN_SAVING_AHEAD : PLAN_FOR_TIME,
                                   .pool = pool_new()};
    struct plan *plan = NULL;

    if (planned.pool && (graph->provisional || c_expand(graph, library)))
        plan = plan_new(graph, &planned);
    bool ok = (plan && c_write(plan, &options, files)) || refuse(pass, way->refused);
    plan_free(plan);
    pool_free(planned.pool);
    return ok;
}

/* The source of a document that is read again. */
static bool write_again(const struct way *way, const char *prefix, struct c_files *files)
{
    struct doc_pass pass;
    bool ok = open_graph(way, &pass) && write_source(&pass, way, prefix, files);

    close_graph(&pass);
    return ok;
}

/* One function of known parameters around the network's. */
static void add_caller(struct doc_emitter *emitter, const struct graph *graph, int n)
{
    static const char *const types[] = {
        [DTYPE_SCALAR] = "float", [DTYPE_INTEGER] = "int64_t", [DTYPE_LOGICAL] = "unsigned char"};
    struct text *to = &emitter->file;
    const char *comma = "";
    char state[32];

    snprintf(state, sizeof state, "struct n%d_state {", n);
    bool keeps = strstr(to->data + emitter->emissions[emitter->count].begin, state);
    text_add(to,
             "\n#ifdef __cplusplus\nextern \"C\"\n#endif\n"
             "int test%d(int begins, const void *const *in, void *const *out);\n"
             "int test%d(int begins, const void *const *in, void *const *out)\n{\n",
             n, n);
    if (keeps) {
        text_add(
            to,
            "    static struct n%d_state state;\n\n    if (begins)\n        n%d_reset(&state);\n",
            n, n);
        comma = ", ";
    }
    text_add(to, "    (void)begins;\n    (void)in;\n    (void)out;\n    return n%d_run(%s", n,
             keeps ? "&state" : "");
    for (int i = 0; i < graph->ninput; i++, comma = ", ")
        text_add(to, "%s(const %s *)in[%d]", comma, types[graph->inputs[i].value->dtype], i);
    for (int i = 0; i < graph->noutput; i++, comma = ", ")
        text_add(to, "%s(%s *)out[%d]", comma, types[graph->outputs[i].value->dtype], i);
    text_add(to, ");\n}\n");
}

static void copy_tensor(struct tensor *to, const struct tensor *from)
{
    if (!tensor_allocate(to, (enum dtype)from->dtype, &from->shape))
        abort();
    if (tensor_bytes(from) > 0)
        memcpy(to->data, from->data, tensor_bytes(from));
}

/* What the marks feed, and what the reference makes of it. */
static bool compute(struct doc_emitter *emitter, struct doc_pass *pass, struct emission *e)
{
    struct run *run = run_new(pass->graph);
    bool ok = run && doc_feed_inputs(pass, run);

    e->nin = pass->graph->ninput;
    e->nout = pass->graph->noutput;
    e->in = arena_array_of(emitter->arena, struct tensor, e->nin + 1);
    e->results = arena_array_of(emitter->arena, struct result, e->nout + 1);
    for (int i = 0; ok && i < e->nin; i++)
        if (run_has_input(run, i))
            copy_tensor(&e->in[i], run_input(run, i));
    for (int r = 0; ok && r < RUNS; r++) {
        ok = run_step(run);
        for (int i = 0; ok && i < e->nout; i++) {
            const struct port *port = &pass->graph->outputs[i];
            e->results[i].name = arena_strndup(emitter->arena, port->name, strlen(port->name));
            e->results[i].tolerance = doc_tolerance(pass, port->name);
            copy_tensor(&e->results[i].expected[r], run_tensor(run, port->value));
        }
    }
    if (run && !ok)
        doc_complain(pass->doc, 0, "it cannot be run%s (C)", pass->name);
    run_free(run);
    return ok;
}

/* Append a network and its caller to the file. */
static bool add_function(struct doc_emitter *emitter, const struct way *way,
                         const struct graph *graph)
{
    struct emission *e = &emitter->emissions[emitter->count];
    struct c_files files = {0};
    char prefix[16];

    e->function = ++emitter->functions;
    snprintf(prefix, sizeof prefix, "n%d", e->function);
    bool ok = write_again(way, prefix, &files);
    if (ok) {
        e->begin = emitter->file.size;
        text_add(&emitter->file, "/* %s%s */\n#ifdef TEST_SMALL\n#define N%d_SMALL\n#endif\n",
                 e->path, e->way, e->function);
        text_add_bytes(&emitter->file, files.source.data, files.source.size);
        add_caller(emitter, graph, e->function);
        e->end = emitter->file.size;
    }
    c_files_free(&files);
    return ok;
}

static bool same_bytes(const struct text *a, const struct text *b)
{
    return a->size == b->size && a->data && b->data && memcmp(a->data, b->data, a->size) == 0;
}

/* `last`: what the way before has written, and then what this one has.  The same C is compiled
 * once. */
static bool try_way(struct doc_emitter *emitter, const struct way *way, struct text *last)
{
    struct doc *doc = way->doc;
    struct c_files first = {0}, second = {0};
    struct doc_pass pass;

    emitter->emissions =
        arena_list(emitter->arena, emitter->emissions, emitter->count, sizeof *emitter->emissions);
    struct emission *e = &emitter->emissions[emitter->count];
    *e = (struct emission){.path = arena_strndup(emitter->arena, doc->path, strlen(doc->path)),
                           .way = way->expanded ? ", expanded" : ""};
    bool ok = open_graph(way, &pass);
    if (ok && write_again(way, "net", &first) && write_again(way, "net", &second)) {
        if (!same_bytes(&first.source, &second.source))
            doc_complain(doc, 0, "it is not written as the same C each time%s", e->way);
        if (way->expanded && same_bytes(&first.source, last)) {
            const struct emission *before = e - 1;
            e->function = before->function;
            e->begin = before->begin;
            e->end = before->end;
        } else {
            ok = add_function(emitter, way, pass.graph);
        }
        emitter->count += ok && compute(emitter, &pass, e);
        text_add_bytes(last, first.source.data, first.source.size);
    }
    c_files_free(&first);
    c_files_free(&second);
    close_graph(&pass);
    return ok;
}

bool doc_emit(struct doc_emitter *emitter, struct doc *doc, struct text *refused)
{
    struct way way = {.doc = doc,
                      .text = doc->complaints.size > 0 ? NULL : doc_sound_part(doc),
                      .small = emitter->small,
                      .refused = refused};
    struct text last = {0};

    if (!way.text)
        return false;
    bool ok = try_way(emitter, &way, &last);
    way.expanded = true;
    if (ok && !doc->keep_only && !doc->expand_all && refused->size == 0)
        try_way(emitter, &way, &last);
    text_free(&last);
    return doc->complaints.size == 0;
}

/* --- running --------------------------------------------------------------------------------- */

/* The shared object made of a part of the file; NULL: it cannot be made. */
static void *compile(const char *source, size_t size, const char *compiler)
{
    char folder[] = "/tmp/nnefc-emit-XXXXXX";
    struct text c = {0}, object = {0}, command = {0};
    void *handle = NULL;

    if (!mkdtemp(folder))
        return NULL;
    text_add(&c, "%s/net.c", folder);
    text_add(&object, "%s/net.so", folder);
    text_add(&command, "%s -shared -fPIC -o %s %s -lm", compiler, object.data, c.data);
    FILE *file = fopen(c.data, "w");
    bool ok = file && fwrite(source, 1, size, file) == size;
    ok = file && fclose(file) == 0 && ok;
    if (ok && system(command.data) == 0) /* NOLINT: the compiler is named on the command line */
        handle = dlopen(object.data, RTLD_NOW | RTLD_LOCAL);
    unlink(c.data);
    unlink(object.data);
    rmdir(folder);
    text_free(&c);
    text_free(&object);
    text_free(&command);
    return handle;
}

static void complain(const struct emission *e, const char *what, struct text *complaints)
{
    text_add(complaints, "%s: %s (C%s)\n", e->path, what, e->way);
}

static void compare(const struct emission *e, const struct result *result, int r,
                    const struct tensor *found, struct text *complaints)
{
    const struct tensor *expected = &result->expected[r];
    double largest = 1;
    struct text what = {0};

    for (int64_t i = 0, count = shape_volume(&expected->shape); i < count; i++)
        if (isfinite(tensor_item(expected, i)))
            largest = fmax(largest, fabs(tensor_item(expected, i)));
    const struct tolerance tolerance = {result->tolerance * largest, result->tolerance};
    if (!same_items(result->name, found, expected, &tolerance, &what))
        complain(e, what.data, complaints);
    text_free(&what);
}

/* Results begin as what no network computes. */
static void call(const struct emission *e, test_call *function, int r, struct text *complaints)
{
    const void **in = calloc((size_t)e->nin + 1, sizeof *in);
    void **out = calloc((size_t)e->nout + 1, sizeof *out);
    struct tensor *found = calloc((size_t)e->nout + 1, sizeof *found);

    if (!in || !out || !found)
        abort();
    for (int i = 0; i < e->nin; i++)
        in[i] = e->in[i].data;
    for (int i = 0; i < e->nout; i++) {
        const struct tensor *expected = &e->results[i].expected[r];
        if (!tensor_allocate(&found[i], (enum dtype)expected->dtype, &expected->shape))
            abort();
        memset(found[i].data, 0x7f, tensor_bytes(&found[i]));
        out[i] = found[i].data;
    }
    if (function(r == 0, in, out) != 0)
        complain(e, "it refuses its inputs", complaints);
    for (int i = 0; i < e->nout; i++) {
        compare(e, &e->results[i], r, &found[i], complaints);
        tensor_clear(&found[i]);
    }
    free(in);
    free(out);
    free(found);
}

static void run_one(const struct emission *e, void *handle, struct text *complaints)
{
    test_call *function = NULL;
    char name[16];

    snprintf(name, sizeof name, "test%d", e->function);
    *(void **)&function = dlsym(handle, name);
    for (int r = 0; function && r < RUNS; r++)
        call(e, function, r, complaints);
    if (!function)
        complain(e, "there is no function", complaints);
}

/* All in one object if that can be made; else one after the other, to find which cannot be. */
int doc_emitter_run(struct doc_emitter *emitter, const char *compiler, struct text *complaints)
{
    const char *wrong = NULL;
    int failed = 0;
    void *all = compile(emitter->file.data, emitter->file.size, compiler);

    for (int i = 0; i < emitter->count; i++) {
        const struct emission *e = &emitter->emissions[i];
        void *handle =
            all ? all : compile(emitter->file.data + e->begin, e->end - e->begin, compiler);
        size_t before = complaints->size;
        if (handle)
            run_one(e, handle, complaints);
        else
            complain(e, "it cannot be compiled", complaints);
        if (handle && !all)
            dlclose(handle);
        if (complaints->size > before && (!wrong || strcmp(wrong, e->path) != 0)) {
            wrong = e->path;
            failed++;
        }
    }
    if (all)
        dlclose(all);
    return failed;
}
