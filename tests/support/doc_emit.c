/* doc_emit.c - see doc_emit.h */
#include "support/doc_emit.h"

#include "backend/c/c.h"
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

enum { RUNS = 3 };

typedef int test_call(const void *const *in, void *const *out);

/* A graph computed by the reference, and written as C. */
struct emission {
    struct doc *doc;
    struct doc_pass before, now;
    struct run *run;
    struct pool *pool;
    struct plan *plan;
    struct c_files files;
    const char *compiler;
    bool small;
    struct text *refused;
};

static bool open_graph(struct emission *e, const char *text, bool expanded, struct doc_pass *pass)
{
    *pass = (struct doc_pass){.doc = e->doc,
                              .name = expanded ? ", expanded" : "",
                              .text = text,
                              .keep = expanded ? lower_keep_none : NULL,
                              .checks_values = true};
    doc_open(pass);
    if (!pass->graph) {
        doc_complain(e->doc, 0, "there is no graph (C)");
        return false;
    }
    doc_collect_expectations(pass);
    doc_add_outputs(pass);
    return doc_has_values(pass) && doc_feed_variables(pass);
}

/* What the first report says is why there is no C. */
static bool refuse(struct emission *e)
{
    const struct diag *diag = e->now.context->diag;

    for (int i = 0; i < diag_count(diag) && e->refused->size == 0; i++)
        if (diag_at(diag, i).severity == SEVERITY_ERROR)
            text_add(e->refused, "%s", diag_at(diag, i).text);
    if (e->refused->size == 0)
        doc_complain(e->doc, 0, "there is no C, and no reason for it%s", e->now.name);
    return false;
}

static bool write_source(struct emission *e)
{
    static const struct c_options options = {.prefix = "net"};
    struct graph *graph = e->now.graph;
    const struct library *library = library_load(e->now.context, DIALECT_1_0);

    e->pool = pool_new();
    if (!e->pool || (!graph->provisional && !c_expand(graph, library)))
        return refuse(e);
    e->plan = plan_new(
        graph, &(struct plan_options){.backend = &backend_c,
                                      .threads = 1,
                                      .exact = true,
                                      .memory = e->small ? PLAN_SAVING_AHEAD : PLAN_FOR_TIME,
                                      .pool = e->pool});
    return (e->plan && c_write(e->plan, &options, &e->files)) || refuse(e);
}

/* One function of known parameters around the network's. */
static void add_caller(struct emission *e)
{
    struct text *to = &e->files.source;
    const char *comma = "";

    bool keeps = strstr(to->data, "struct net_state {");
    text_add(to, "\nint test_call(const void *const *in, void *const *out);\n"
                 "int test_call(const void *const *in, void *const *out)\n{\n");
    if (keeps) {
        text_add(to, "    static struct net_state state;\n    static int begun;\n"
                     "    if (!begun)\n        net_reset(&state);\n    begun = 1;\n");
        comma = ", ";
    }
    text_add(to, "    (void)in;\n    return net_run(%s", keeps ? "&state" : "");
    for (int i = 0; i < e->now.graph->ninput; i++, comma = ", ")
        text_add(to, "%sin[%d]", comma, i);
    for (int i = 0; i < e->now.graph->noutput; i++, comma = ", ")
        text_add(to, "%sout[%d]", comma, i);
    text_add(to, ");\n}\n");
}

/* The shared object made of the source; NULL after a complaint. */
static void *compile(struct emission *e)
{
    char folder[] = "/tmp/nnefc-emit-XXXXXX";
    struct text c = {0}, object = {0}, command = {0};
    void *handle = NULL;

    if (!mkdtemp(folder)) {
        doc_complain(e->doc, 0, "there is no folder to compile in");
        return NULL;
    }
    text_add(&c, "%s/net.c", folder);
    text_add(&object, "%s/net.so", folder);
    text_add(&command, "%s -shared -fPIC -o %s %s -lm", e->compiler, object.data, c.data);
    FILE *file = fopen(c.data, "w");
    bool ok =
        file && fwrite(e->files.source.data, 1, e->files.source.size, file) == e->files.source.size;
    ok = file && fclose(file) == 0 && ok;
    if (!ok || system(command.data) != 0) /* NOLINT: the compiler is named on the command line */
        doc_complain(e->doc, 0, "the C cannot be compiled%s", e->now.name);
    else if (!(handle = dlopen(object.data, RTLD_NOW | RTLD_LOCAL)))
        doc_complain(e->doc, 0, "%s", dlerror());
    unlink(c.data);
    unlink(object.data);
    rmdir(folder);
    text_free(&c);
    text_free(&object);
    text_free(&command);
    return handle;
}

static void compare(struct emission *e, const struct port *port, const struct tensor *found)
{
    const struct tensor *expected = run_tensor(e->run, port->value);
    double relative = doc_tolerance(&e->before, port->name), largest = 1;
    struct text what = {0};

    for (int64_t i = 0, count = shape_volume(&expected->shape); i < count; i++)
        if (isfinite(tensor_item(expected, i)))
            largest = fmax(largest, fabs(tensor_item(expected, i)));
    const struct tolerance tolerance = {relative * largest, relative};
    if (!same_items(port->name, found, expected, &tolerance, &what))
        doc_complain(e->doc, 0, "%s (C%s)", what.data, e->now.name);
    text_free(&what);
}

/* Results begin as what no network computes. */
static void call(struct emission *e, test_call *function)
{
    const struct graph *graph = e->before.graph;
    const void **in = calloc((size_t)graph->ninput + 1, sizeof *in);
    void **out = calloc((size_t)graph->noutput + 1, sizeof *out);
    struct tensor *results = calloc((size_t)graph->noutput + 1, sizeof *results);

    for (int i = 0; i < graph->ninput; i++)
        in[i] = run_has_input(e->run, i) ? run_input(e->run, i)->data : NULL;
    for (int i = 0; i < graph->noutput; i++) {
        const struct value *value = graph->outputs[i].value;
        if (!tensor_allocate(&results[i], (enum dtype)value->dtype, value->shape))
            abort();
        memset(results[i].data, 0x7f, tensor_bytes(&results[i]));
        out[i] = results[i].data;
    }
    if (function(in, out) != 0)
        doc_complain(e->doc, 0, "the C refuses its inputs%s", e->now.name);
    for (int i = 0; i < graph->noutput; i++) {
        compare(e, &graph->outputs[i], &results[i]);
        tensor_clear(&results[i]);
    }
    free(in);
    free(out);
    free(results);
}

static void run_compiled(struct emission *e)
{
    void *handle = compile(e);
    test_call *function = NULL;

    if (!handle)
        return;
    *(void **)&function = dlsym(handle, "test_call");
    /* More than one run: variables change, and so do random numbers. */
    for (int i = 0; i < RUNS; i++)
        if (function && run_step(e->run))
            call(e, function);
        else
            doc_complain(e->doc, 0, "it cannot be run%s", e->now.name);
    dlclose(handle);
}

static void close_graph(struct doc_pass *pass)
{
    doc_clear_feeds(pass);
    if (pass->context)
        doc_close(pass);
}

static void try_way(struct doc *doc, const char *text, bool expanded, const char *compiler,
                    bool small, struct text *refused)
{
    struct emission e = {.doc = doc, .compiler = compiler, .small = small, .refused = refused};

    if (open_graph(&e, text, expanded, &e.before) && (e.run = run_new(e.before.graph)) &&
        doc_feed_inputs(&e.before, e.run) && open_graph(&e, text, expanded, &e.now) &&
        write_source(&e)) {
        add_caller(&e);
        run_compiled(&e);
    }
    c_files_free(&e.files);
    plan_free(e.plan);
    pool_free(e.pool);
    run_free(e.run);
    close_graph(&e.now);
    close_graph(&e.before);
}

bool doc_run_emitted(struct doc *doc, const char *compiler, bool small, struct text *refused)
{
    const char *text = doc->complaints.size > 0 ? NULL : doc_sound_part(doc);

    if (!text)
        return false;
    try_way(doc, text, false, compiler, small, refused);
    if (!doc->keep_only && !doc->expand_all && refused->size == 0)
        try_way(doc, text, true, compiler, small, refused);
    return doc->complaints.size == 0;
}
