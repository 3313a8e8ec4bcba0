/* verb.c - the table of commands, and what each option sets */
#include "driver/verb.h"

#include "driver/feed.h"
#include "driver/message.h"
#include "driver/rewrite.h"
#include "driver/value.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- setters ----------------------------------------------------------------------------- */

static bool set_std(struct settings *settings, char *value)
{
    static const char *const words[] = {"auto", "1.0", "provisional", NULL};
    int word = parse_word(value, words);

    settings->dialect = (enum nnefc_dialect)word;
    return word >= 0;
}

static bool set_from(struct settings *settings, char *value)
{
    static const char *const words[] = {"nnef", "onnx", "graph", "pnnx", NULL};
    static const enum nnefc_format format[] = {NNEFC_FORMAT_NNEF, NNEFC_FORMAT_ONNX,
                                               NNEFC_FORMAT_GRAPH, NNEFC_FORMAT_PNNX};
    int word = parse_word(value, words);

    settings->from = word < 0 ? NNEFC_FORMAT_AUTO : format[word];
    return word >= 0;
}

static bool set_expand(struct settings *settings, char *value)
{
    settings->keep = NNEFC_KEEP_NONE;
    return strcmp(value, "all") == 0;
}

static bool set_onnx_quant(struct settings *settings, char *value)
{
    static const char *const words[] = {"keep", "qdq", "apply", NULL};
    int word = parse_word(value, words);

    settings->quantize = word > 0;
    settings->qdq = word == 1;
    return word >= 0;
}

static bool set_onnx_state(struct settings *settings, char *value)
{
    static const char *const words[] = {"inputs", "default", NULL};
    int word = parse_word(value, words);

    settings->onnx.state = (enum nnefc_onnx_state)word;
    return word >= 0;
}

static bool set_bin(struct settings *settings, char *value)
{
    settings->bin = value;
    return *value;
}

static bool set_quant_file(struct settings *settings, char *value)
{
    settings->quant_file = value;
    return *value;
}

static bool set_error_limit(struct settings *settings, char *value)
{
    return parse_count(value, 0, &settings->error_limit);
}

static bool set_max_memory(struct settings *settings, char *value)
{
    struct limit *limit = &settings->limits[settings->nlimit++];

    limit->limit = NNEFC_LIMIT_MEMORY;
    return parse_size(value, &limit->value);
}

static bool set_limit(struct settings *settings, char *value)
{
    struct limit *limit = &settings->limits[settings->nlimit++];
    size_t size = strcspn(value, "=");
    int found = 0;

    for (const char *name; (name = nnefc_limit_name((enum nnefc_limit)found)); found++)
        if (strlen(name) == size && strncmp(name, value, size) == 0)
            break;
    limit->limit = (enum nnefc_limit)found;
    return value[size] && nnefc_limit_name(limit->limit) &&
           parse_size(value + size + 1, &limit->value);
}

/* Told once it is for both models, a second time for the second. */
static bool set_data_of_pair(struct settings *settings, char *value)
{
    if (settings->data_count++ == 0)
        settings->data = value;
    else
        settings->data_of_b = value;
    return *value;
}

static bool set_shape(struct settings *settings, char *value)
{
    struct named_file split = split_any_name(value);
    struct named_shape *shape = &settings->shapes[settings->nshape++];
    char *rest = value + (split.file - value);

    *shape = (struct named_shape){.name = split.name};
    for (char *item = next_item(&rest); item; item = next_item(&rest)) {
        long long extent;
        if (shape->rank == NNEFC_MAX_RANK || !parse_integer(item, 1, INT64_MAX, &extent))
            return false;
        shape->extent[shape->rank++] = extent;
    }
    return split.name;
}

static bool set_dim(struct settings *settings, char *value)
{
    struct named_file split = split_any_name(value);
    struct named_extent *extent = &settings->extents[settings->nextent++];
    long long number = 0;
    bool ok = split.name && parse_integer(split.file, 1, INT64_MAX, &number);

    *extent = (struct named_extent){split.name, number};
    return ok;
}

/* The file is what stands behind the first '='. */
static bool set_bind(struct settings *settings, char *value)
{
    char *equals = strchr(value, '=');
    bool ok = equals && equals > value && equals[1];

    if (ok) {
        *equals = '\0';
        settings->bounds[settings->nbound++] = (struct named_file){value, equals + 1};
    }
    return ok;
}

static bool set_message_format(struct settings *settings, char *value)
{
    int word = message_format_find(value);

    if (word >= 0)
        settings->format = (enum message_format)word;
    return word >= 0;
}

static bool set_colour(struct settings *settings, char *value)
{
    static const char *const words[] = {"auto", "always", "never", NULL};
    int word = parse_word(value, words);

    settings->colour = (enum colour)word;
    return word >= 0;
}

static bool set_dump(struct settings *settings, char *value)
{
    static const char *const words[] = {"ast", "checked", "graph", "plan", NULL};
    int word = parse_word(value, words);

    settings->dump_plan = word > NNEFC_STAGE_GRAPH;
    settings->stage = settings->dump_plan ? NNEFC_STAGE_GRAPH : (enum nnefc_stage)word;
    return settings->dump = word >= 0;
}

static bool set_output(struct settings *settings, char *value)
{
    settings->outputs[settings->noutput++] = split_name(value);
    return *settings->outputs[settings->noutput - 1].file;
}

static bool set_expected(struct settings *settings, char *value)
{
    settings->expected[settings->nexpected++] = split_name(value);
    return *settings->expected[settings->nexpected - 1].file;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as the table has it */
static bool set_graph_file(struct settings *settings, char *value)
{
    settings->target = value;
    return *value;
}

static bool set_seed(struct settings *settings, char *value)
{
    return parse_seed(value, &settings->seed);
}

static bool set_atol(struct settings *settings, char *value)
{
    return parse_amount(value, &settings->tolerance.absolute);
}

static bool set_rtol(struct settings *settings, char *value)
{
    return parse_amount(value, &settings->tolerance.relative);
}

static bool set_target_format(struct settings *settings, char *value)
{
    static const char *const words[] = {"nnef", "onnx", "graph", "pnnx", NULL};
    static const enum target_format format[] = {TARGET_NNEF, TARGET_ONNX, TARGET_GRAPH,
                                                TARGET_PNNX};
    int word = parse_word(value, words);

    settings->target_format = word < 0 ? TARGET_BY_NAME : format[word];
    return word >= 0;
}

static bool set_profile(struct settings *settings, char *value)
{
    static const char *const words[] = {"strict", "compound", "custom", "document", NULL};
    int word = parse_word(value, words);

    settings->profile = (enum nnefc_profile)word;
    settings->profile_told = true;
    return word >= 0;
}

static bool set_opset(struct settings *settings, char *value)
{
    return parse_count(value, 13, &settings->onnx.opset) && settings->onnx.opset <= 21;
}

/* TENSOR:AXIS=NAME */
static bool set_dynamic(struct settings *settings, char *value)
{
    struct nnefc_dynamic *item = &settings->dynamic[settings->onnx.dynamic_count++];
    char *colon = strchr(value, ':'), *equals = colon ? strchr(colon, '=') : NULL;

    settings->onnx.dynamic = settings->dynamic;
    if (!equals || !is_name(value, colon))
        return false;
    *colon = *equals = '\0';
    item->parameter = value;
    item->name = equals + 1;
    return parse_count(colon + 1, 0, &item->axis) && is_name(item->name, strchr(item->name, '\0'));
}

/* --- tables ------------------------------------------------------------------------------ */

static const struct option message_options[] = {
    {"--message-format", NULL, "human|short|json|sarif",
     "how diagnostics are printed: for people, or for programs", .set = set_message_format},
    {0},
};

static const struct option model_options[] = {
    {"--from", NULL, "nnef|onnx|graph|pnnx", "what the model is, if not what its first bytes say",
     .set = set_from},
    {"--std", NULL, "auto|1.0|provisional", "dialect; 'auto' goes by the ';' after the version",
     .set = set_std},
    {"--shape", NULL, "NAME=1,3,...", "let this graph parameter have these extents",
     .expects = "a name and up to 8 extents from 1", .set = set_shape},
    {"--dim", NULL, "NAME=N", "ONNX, PNNX: let extents of this name, such as 'batch', be N",
     .expects = "a name and a whole number from 1", .set = set_dim},
    {"--bind", NULL, "NAME=FILE", "ONNX: let this input be known when the model is read",
     .expects = "the name of an input and a file", .set = set_bind},
    {"--expand", NULL, "all", "expand every compound operation by its body", .set = set_expand},
    {"--bin", NULL, "FILE", "PNNX: weights (NAME.bin beside NAME.param)", .set = set_bin},
    {"--quant-file", NULL, "FILE", "quantization file (graph.quant beside the document)",
     .set = set_quant_file},
    {"--pedantic", NULL, NULL, "refuse what is tolerated with a warning",
     .flag = offsetof(struct settings, pedantic)},
    {"--warn", "-W", "NAME|no-NAME|error[=NAME]",
     "turn on or off a warning, or 'all', or make it an error; see 'nnefc help warnings'",
     .set = warnings_set},
    {"--error-limit", NULL, "N", "show N errors and count the others (20; 0: show all)",
     .expects = "a whole number from 0", .set = set_error_limit},
    {"--max-memory", NULL, "SIZE", "refuse what takes more memory (3/4 of the machine's)",
     .expects = "a whole number, perhaps with K, M, G or T", .set = set_max_memory},
    {"--limit", NULL, "NAME=N", "refuse what takes more: depth, steps, nodes, ...; see the manual",
     .expects = "the name of a limit and a whole number, perhaps with K, M, G or T",
     .set = set_limit},
    {"--color", NULL, "auto|always|never", "colours in diagnostics", .set = set_colour},
    {"--quiet", "-q", NULL, "print errors only", .flag = offsetof(struct settings, quiet)},
    {0},
};

static const struct option check_options[] = {
    {"--fix", NULL, NULL, "mend the files: make the changes that diagnostics propose",
     .flag = offsetof(struct settings, fix)},
    {"--diff", NULL, NULL, "print what --fix would change, and change nothing",
     .flag = offsetof(struct settings, diff)},
    {"--dump", NULL, "ast|checked|graph|plan",
     "print the document as read, as checked, its graph, or how that is run", .set = set_dump},
    {"--threads", NULL, "N", "plan for N threads", .expects = "a whole number from 1 to 1024",
     .set = set_threads},
    {"--data", NULL, "DIR", "plan with weights of this folder or archive (the model's)",
     .set = set_data},
    {0},
};

static const struct option json_options[] = {
    {"--json", NULL, NULL, "print it as JSON", .flag = offsetof(struct settings, json)},
    {0},
};

static const struct option list_options[] = {
    {"--graph", NULL, NULL, "PNNX: list the operations that the model becomes, not its operators",
     .flag = offsetof(struct settings, graph)},
    {0},
};

static const struct option verify_options[] = {
    {"--no-data", NULL, NULL, "do not read the data of variables",
     .flag = offsetof(struct settings, no_data)},
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {0},
};

static const struct option run_options[] = {
    {"--output", "-o", "DIR/|[NAME=]FILE",
     "write all results (X.npz too), or one: .dat, .npy or - (stdout)", .set = set_output},
    {"--expect", NULL, "DIR|[NAME=]FILE",
     "compare all results (X.npz too), or one, with what was expected", .set = set_expected},
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {"--json", NULL, NULL, "print the results, or how they differ, as JSON",
     .flag = offsetof(struct settings, json)},
    {0},
};

static const struct option tolerance_options[] = {
    {"--atol", NULL, "X", "allow items to be off by X + RTOL * |B|; 0: exact (1e-5)",
     .expects = "a number from 0", .set = set_atol},
    {"--rtol", NULL, "Y", "allow items to be off by ATOL + Y * |B| (1e-5)",
     .expects = "a number from 0", .set = set_rtol},
    {0},
};

static const struct option compare_options[] = {
    {"--layers", NULL, NULL, "find the first computed tensor that differs",
     .flag = offsetof(struct settings, layers)},
    {"--data", NULL, "DIR", "folder or archive of the weights of both; twice: of A, then of B",
     .set = set_data_of_pair},
    {"--json", NULL, NULL, "print the differences as JSON",
     .flag = offsetof(struct settings, json)},
    {0},
};

static const struct option init_options[] = {
    {"--seed", NULL, "N", "another N makes other weights (1)", .expects = "a whole number from 0",
     .set = set_seed},
    {"--data", NULL, "DIR", "folder to write to (the model's)", .set = set_data},
    {"--force", "-f", NULL, "replace weights that are there",
     .flag = offsetof(struct settings, force)},
    {0},
};

static const struct option pack_options[] = {
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {0},
};

static const struct option convert_options[] = {
    {"--to", NULL, "nnef|onnx|graph|pnnx", "what to write, if the name of OUT does not tell",
     .set = set_target_format},
    {"--profile", NULL, "strict|compound|custom|document",
     "what NNEF lacks: by its operations (strict), by fragments, or by declarations; or the "
     "document with its own fragments",
     .set = set_profile},
    {"--opset", NULL, "N", "version of ONNX's operators, 13 to 21 (17)",
     .expects = "a whole number from 13 to 21", .set = set_opset},
    {"--functions", NULL, NULL, "keep fragments of the document, as functions of the model",
     .flag = offsetof(struct settings, onnx.functions)},
    {"--allow-custom", NULL, NULL, "write what ONNX lacks as operations of domain 'nnef'",
     .flag = offsetof(struct settings, onnx.allow_custom)},
    {"--external-data", NULL, NULL, "write weights into OUT.data (done if OUT would pass 2 GiB)",
     .flag = offsetof(struct settings, onnx.external_data)},
    {"--quant", NULL, "keep|qdq|apply",
     "graph.quant becomes metadata (keep), QuantizeLinear, or ordinary operations",
     .set = set_onnx_quant},
    {"--state", NULL, "inputs|default",
     "first values of updated variables: in OUT.state.npz (inputs), or in the model",
     .set = set_onnx_state},
    {"--dynamic", NULL, "TENSOR:AXIS=NAME",
     "leave this extent of a graph parameter open, under this name",
     .expects = "a graph parameter, an axis from 0 and an identifier", .set = set_dynamic},
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {0},
};

static const struct option compile_options[] = {
    {"--output", "-o", "FILE", "the graph file to write: .ng, or - (stdout)",
     .set = set_graph_file},
    {"--pack", NULL, NULL,
     "put in weights as kernels of this processor want them, for a quick start",
     .flag = offsetof(struct settings, pack)},
    {"--exact", NULL, NULL, "pack for runs with --exact", .flag = offsetof(struct settings, exact)},
    {"--quant", NULL, "off|apply", "quantize tensors as the quantization file says (off)",
     .set = set_quant},
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {0},
};

static const struct option explain_options[] = {
    {"--list", NULL, NULL, "list all codes", .flag = offsetof(struct settings, list)},
    {"--json", NULL, NULL, "print them as JSON", .flag = offsetof(struct settings, json)},
    {"--markdown", NULL, NULL, "print all of them as a document with headings",
     .flag = offsetof(struct settings, markdown)},
    {0},
};

static const struct option broadcast_options[] = {
    {"--json", NULL, NULL, "print the shape, or the reason, as JSON",
     .flag = offsetof(struct settings, json)},
    {0},
};

static const struct option list_ops_options[] = {
    {"--std", NULL, "1.0|provisional", "operations of NNEF 1.0.5, or of the provisional text",
     .set = set_std},
    {"--extensions", NULL, NULL, "also those that NNEF lacks, which documents declare",
     .flag = offsetof(struct settings, extensions)},
    {"--json", NULL, NULL, "print them as JSON", .flag = offsetof(struct settings, json)},
    {"--markdown", NULL, NULL, "print them as a document with headings",
     .flag = offsetof(struct settings, markdown)},
    {0},
};

const struct verb verbs[] = {
    {"check",
     "say what is wrong with models",
     "  nnefc check model.nnef                      silent if nothing is wrong\n"
     "  nnefc check model/ --dump=graph             show operations and shapes\n"
     "  nnefc check model/ --dump=plan              show how it is run: kernels and memory\n"
     "  nnefc check *.nnef                          several models\n"
     "  nnefc check model/ --fix                    mend what can be mended, tell the rest\n"
     "  nnefc check model/ --diff                   see what that would change\n"
     "  nnefc check --message-format=json - < model.nnef\n",
     {check_options, backend_options, pass_options, model_options, message_options, NULL},
     .run = check_run,
     .many = true},
    {"info",
     "say what a model is, what it consists of and what it costs",
     "  nnefc info model.onnx                       format, interface, operators, parameters, "
     "MACs\n"
     "  nnefc info model/ --json                    the same for programs\n"
     "  nnefc info model.onnx | grep '^opset'       which operators of ONNX it wants\n",
     {json_options, model_options, message_options, NULL},
     .run = info_run},
    {"list",
     "list the operations of a model in their order",
     "  nnefc list model/                           operator, results, operands: one a line\n"
     "  nnefc list model.onnx | cut -d' ' -f1,2     operator and name only\n"
     "  nnefc list model/ --json                    with types, producers, uses and places\n"
     "  nnefc list net.pnnx.param                   operators of the file: type and name\n",
     {json_options, list_options, model_options, message_options, NULL},
     .run = list_run},
    {"verify",
     "say whether models, their data and their graphs are in order",
     "  nnefc verify model/                         prints 'model/: ok', or what is wrong\n"
     "  nnefc verify *.onnx                         several models\n"
     "  nnefc verify model.nnef --no-data           without the data of variables\n",
     {verify_options, model_options, message_options, NULL},
     .run = verify_run,
     .many = true},
    {"run",
     "compute the results of a model",
     "  nnefc run model/ --input image.png          print a summary of the results\n"
     "  nnefc run model/ -i x=a.npy -o out/         write out/RESULT.dat for each result\n"
     "  nnefc run model/ --random --json            random input, results as JSON\n"
     "  nnefc run model/ -i x=a.npy --expect out/   does it still compute what it did\n",
     {feed_options, run_options, tolerance_options, backend_options, profile_options, pass_options,
      model_options, message_options, NULL},
     .run = run_run},
    {"bench",
     "measure how long a model takes to start and to run",
     "  nnefc bench model/                          random input, 3 seconds of runs\n"
     "  nnefc bench model.onnx --threads=1          with one thread\n"
     "  nnefc bench model/ --time=10 --json         longer, for programs\n",
     {bench_options, backend_options, profile_options, pass_options, model_options, message_options,
      NULL},
     .run = bench_run},
    {"init",
     "write random weights for a model that has none",
     "  nnefc init model/                           write model/LABEL.dat for each variable\n"
     "  nnefc init model.nnef --data weights/       somewhere else\n",
     {init_options, model_options, message_options, NULL},
     .run = init_run},
    {"pack",
     "put a model with its data into one archive",
     "  nnefc pack model/ model.tgz                 the same model makes the same bytes\n"
     "  nnefc pack model.nnef model.tar --data weights/\n",
     {pack_options, model_options, message_options, NULL},
     .run = pack_run,
     .target = "OUT"},
    {"convert",
     "write a model in ONNX, in flat NNEF, or in PNNX again",
     "  nnefc convert model/ model.onnx             for ONNX Runtime and others\n"
     "  nnefc convert model.nnef model.onnx --opset=13\n"
     "  nnefc convert model/ model.onnx --external-data     weights in model.onnx.data\n"
     "  nnefc convert model/ flat/                  fragments expanded, weights beside it\n"
     "  nnefc convert model.onnx model/ -v          and say what became of the operations\n"
     "  nnefc convert model/ - --to=nnef            show what the fragments amount to\n"
     "  nnefc convert net.param copy.param --raw    a model of PNNX only: as it is, with "
     "copy.bin\n",
     {convert_options, pass_options, model_options, message_options, NULL},
     .run = convert_run,
     .target = "OUT"},
    {"compile",
     "make a graph file, which is loaded at once and needs nothing else",
     "  nnefc compile model/ -o net.ng\n"
     "  nnefc run net.ng --input image.png\n"
     "  nnefc compile model/ -o net.ng --pack       and let runs on such a machine start sooner\n",
     {compile_options, pass_options, model_options, message_options, NULL},
     .run = compile_run},
    {"compare",
     "say whether two models compute the same",
     "  nnefc compare a/ b.nnef --random            the same random input for both\n"
     "  nnefc compare a/ b/ -i x=x.npy --layers     where they begin to differ\n"
     "  nnefc compare a/ expected/ -i x=x.npy       results recorded by 'run -o expected/'\n",
     {compare_options, tolerance_options, feed_options, pass_options, model_options,
      message_options, NULL},
     .run = compare_run,
     .operand = "A B",
     .pair = true},
    {"explain",
     "say what the code of a diagnostic means",
     "  nnefc explain N0142                         the rule, its reason, wrong and right\n"
     "  nnefc explain --list                        all codes with their titles\n",
     {explain_options, message_options, NULL},
     .run = explain_run,
     .operand = "CODE",
     .many = true},
    {"broadcast",
     "say what shape others broadcast to",
     "  nnefc broadcast nnef 1,16,7,7 1,16          prints [1,16,7,7]\n"
     "  nnefc broadcast onnx 1,16,7,7 1,16          says why they do not\n"
     "  nnefc broadcast onnx-one-way 8,16 16        as PRelu and Gemm of ONNX do\n",
     {broadcast_options, NULL},
     .run = broadcast_run,
     .operand = "RULE SHAPE SHAPE",
     .many = true},
    {"list-ops",
     "list the standard operations",
     "  nnefc list-ops                              declaration, kind, shape, borders\n"
     "  nnefc list-ops --std=provisional --json     those of the provisional text, as JSON\n",
     {list_ops_options, message_options, NULL},
     .run = list_ops_run,
     .no_model = true},
    {0},
};

const struct verb *verb_find(const struct settings *settings, const char *name)
{
    const char *names[sizeof verbs / sizeof verbs[0]] = {NULL};

    for (int i = 0; verbs[i].name; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
        names[i] = verbs[i].name;
    }
    const char *nearest = nnefc_nearest(name, names);
    if (nearest)
        usage_error(settings, "there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        usage_error(settings, "there is no command '%s'; 'nnefc help' lists them", name);
    return NULL;
}
