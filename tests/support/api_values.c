/* api_values.c - see api_values.h */
#include "support/api_values.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/t.h"

#define KIND(CAPITALS, name, type, count, pointer) [GIVEN_##CAPITALS] = (count),
static const int counts[] = {GIVEN_KINDS(KIND)};
#undef KIND

#define KIND(CAPITALS, name, type, count, pointer) [GIVEN_##CAPITALS] = (pointer),
static const bool pointers[] = {GIVEN_KINDS(KIND)};
#undef KIND

int given_count(enum given_kind kind)
{
    return counts[kind];
}

bool given_is_pointer(enum given_kind kind)
{
    return pointers[kind];
}

/* --- numbers and texts -------------------------------------------------------------------- */

bool given_bool(struct world *world, int pick)
{
    (void)world;
    return pick == 1;
}

int given_enum(struct world *world, int pick)
{
    static const int numbers[] = {0, 1000, -1, INT_MAX, INT_MIN, 1, 2, 3};

    (void)world;
    return numbers[pick];
}

int given_int(struct world *world, int pick)
{
    static const int numbers[] = {0, INT_MAX, -1, INT_MIN, 1, 2};

    (void)world;
    return numbers[pick];
}

int64_t given_int64(struct world *world, int pick)
{
    static const int64_t numbers[] = {0, INT64_MAX, -1, INT64_MIN, 1};

    (void)world;
    return numbers[pick];
}

uint64_t given_seed(struct world *world, int pick)
{
    (void)world;
    return pick == 1 ? UINT64_MAX : 0;
}

/* Of what a client says is there it must be, so that no text is longer than it is; see
 * test_misuse.c for sizes that are too large. */
size_t given_size(struct world *world, int pick)
{
    static const size_t numbers[] = {1, 0, SIZE_MAX, SIZE_MAX / 2};

    (void)world;
    return numbers[pick];
}

double given_real(struct world *world, int pick)
{
    static const double numbers[] = {0, -1, (double)INFINITY, (double)NAN, 1e308};

    (void)world;
    return numbers[pick];
}

static const char net[] = "version 1.0;\n"
                          "extension KHR_enable_operator_expressions;\n"
                          "graph net( x ) -> ( y )\n{\n"
                          "    x = external<scalar>( shape = [1,3] );\n"
                          "    v = variable<scalar>( shape = [1,3], label = 'v' );\n"
                          "    s = softmax( x * v, axes = [1] );\n"
                          "    y = s + 0.5;\n}\n";

static const char broken[] = "version 1.0;\ngraph net( x ) -> ( y )\n{\n    y = nothing(x);\n}\n";

/* The good path is a model, a tensor and the name of a parameter. */
const char *given_string(struct world *world, int pick)
{
    static char longest[5000];
    const char *const strings[] = {world->writes ? "written" : "x",
                                   NULL,
                                   "",
                                   "no/such/file",
                                   "a\nb\x1b[31m",
                                   "\xff\xfe%s%n",
                                   longest};

    memset(longest, 'a', sizeof longest - 1);
    return strings[pick];
}

const char *const *given_strings(struct world *world, int pick)
{
    static const char *const names[] = {"x", "y", NULL}, *const none[] = {NULL};
    static const char *const *const lists[] = {names, NULL, none};

    (void)world;
    return lists[pick];
}

const int64_t *given_extents(struct world *world, int pick)
{
    static const int64_t ones[NNEFC_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1},
                         least[NNEFC_MAX_RANK] = {INT64_MIN, -1, -1, -1, -1, -1, -1, -1},
                         most[NNEFC_MAX_RANK] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                                                 INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    static const int64_t *const lists[] = {ones, NULL, least, most};

    (void)world;
    return lists[pick];
}

const void *given_items(struct world *world, int pick)
{
    static const float items[3] = {1, 2, 3};

    (void)world;
    return pick == 0 ? items : NULL;
}

void *given_user(struct world *world, int pick)
{
    return pick == 0 ? world : NULL;
}

FILE *given_stream(struct world *world, int pick)
{
    if (pick == 1)
        return NULL;
    world->stream = tmpfile();
    assert_non_null(world->stream);
    return world->stream;
}

/* --- places for results ------------------------------------------------------------------- */

char **given_text_out(struct world *world, int pick)
{
    return pick == 0 ? &world->text : NULL;
}

size_t *given_size_out(struct world *world, int pick)
{
    return pick == 0 ? &world->size : NULL;
}

int *given_int_out(struct world *world, int pick)
{
    return pick == 0 ? &world->number : NULL;
}

struct nnefc_difference *given_difference_out(struct world *world, int pick)
{
    return pick == 0 ? &world->difference : NULL;
}

struct nnefc_type *given_type_out(struct world *world, int pick)
{
    return pick == 0 ? &world->type : NULL;
}

/* --- models and runs ---------------------------------------------------------------------- */

/* Loaded so that it can be written in ONNX, too. */
static void load(struct world *world)
{
    assert_int_equal(nnefc_model_set_keep(world->model, NNEFC_KEEP_ONNX), NNEFC_OK);
    assert_int_equal(nnefc_model_load(world->model, "x"), NNEFC_OK);
}

static void start(struct world *world, const char *backend)
{
    world->run = nnefc_run_new_with(
        world->model, &(struct nnefc_run_options){.size = sizeof(struct nnefc_run_options),
                                                  .backend = backend,
                                                  .threads = 1});
    assert_non_null(world->run);
}

struct nnefc_model *given_model(struct world *world, int pick)
{
    enum { GOOD, NOTHING, EMPTY, WITH_ERRORS, WITHOUT_FILE, WITH_RUN, CANCELLED };

    if (pick == NOTHING)
        return NULL;
    world->other = world->model; /* of a call with two models */
    world->other_run = world->run;
    world->run = NULL;
    world->model = nnefc_model_new();
    assert_non_null(world->model);
    if (pick == WITH_ERRORS)
        assert_int_equal(nnefc_model_load_text(world->model, "broken", broken, sizeof broken - 1),
                         NNEFC_INVALID);
    else if (pick == WITHOUT_FILE)
        assert_int_equal(nnefc_model_load(world->model, "no/such/file"), NNEFC_FILE);
    else if (pick != EMPTY)
        load(world);
    if (pick == WITH_RUN)
        start(world, "portable");
    if (pick == CANCELLED)
        nnefc_model_cancel(world->model, true);
    return world->model;
}

struct nnefc_run *given_run(struct world *world, int pick)
{
    enum { GOOD, NOTHING, FRESH, FED, REFERENCE, REFERENCE_FRESH, BEGUN, CANCELLED };

    if (pick == NOTHING)
        return NULL;
    bool reference = pick == REFERENCE || pick == REFERENCE_FRESH || pick == BEGUN;
    given_model(world, 0);
    start(world, reference ? "reference" : "portable");
    if (pick == FRESH || pick == REFERENCE_FRESH)
        return world->run;
    assert_int_equal(nnefc_run_fill_input(world->run, 0, 1), NNEFC_OK);
    if (pick == BEGUN)
        assert_int_equal(nnefc_run_advance(world->run, 0), NNEFC_OK);
    else if (pick != FED)
        assert_int_equal(nnefc_run_step(world->run), NNEFC_OK);
    if (pick == CANCELLED)
        nnefc_model_cancel(world->model, true);
    return world->run;
}

struct nnefc_results *given_results(struct world *world, int pick)
{
    if (pick == 1)
        return NULL;
    given_model(world, 0);
    world->results = nnefc_results_open(world->model, "results");
    assert_non_null(world->results);
    return world->results;
}

struct nnefc_diff *given_diff(struct world *world, int pick)
{
    if (pick == 1)
        return NULL;
    given_model(world, 0);
    world->diff = nnefc_diff_new(world->model, world->model, NULL);
    assert_non_null(world->diff);
    return world->diff;
}

struct nnefc_catalogue *given_catalogue(struct world *world, int pick)
{
    if (pick == 1)
        return NULL;
    world->catalogue = nnefc_catalogue_new();
    assert_non_null(world->catalogue);
    return world->catalogue;
}

/* Of the parameter of `net`, of no items, or of integers. */
struct nnefc_tensor *given_tensor(struct world *world, int pick)
{
    static const struct nnefc_type types[] = {
        {NNEFC_SCALAR, 2, {1, 3}}, {0}, {NNEFC_SCALAR, 2, {0, 3}}, {NNEFC_INTEGER, 1, {4}}};

    if (pick == 1)
        return NULL;
    if (!world->tensor)
        world->tensor = nnefc_tensor_new(&types[pick]);
    assert_non_null(world->tensor);
    return world->tensor;
}

const struct nnefc_type *given_type(struct world *world, int pick)
{
    static const struct nnefc_type types[] = {
        {NNEFC_SCALAR, 2, {1, 3}},
        {0},
        {NNEFC_SCALAR, INT_MAX, {1}},
        {NNEFC_SCALAR, INT_MIN, {1}},
        {NNEFC_LOGICAL, 8, {INT64_MAX, INT64_MAX, 1, 1, 1, 1, 1, 1}},
        {NNEFC_INTEGER, 1, {-7}},
        {(enum nnefc_dtype)77, 1, {1}}};

    (void)world;
    return pick == 1 ? NULL : &types[pick];
}

/* The attributes of `softmax`, and what is in the first of them. */
const struct nnefc_datum *given_datum(struct world *world, int pick)
{
    if (pick == 1)
        return NULL;
    given_model(world, 0);
    const struct nnefc_operation_list *operations = nnefc_model_operations(world->model);
    for (int i = 0; i < operations->count; i++) {
        const struct nnefc_attribute_list *attributes = operations->at[i]->attributes;
        if (attributes->count > 0 && pick == 2)
            return nnefc_datum_item(attributes->at[0]->value, 0);
        if (attributes->count > 0)
            return attributes->at[0]->value;
    }
    fail_msg("no operation has attributes");
    return NULL;
}

struct nnefc_infer *given_infer(struct world *world, int pick)
{
    return pick == 0 ? world->infer : NULL;
}

const struct nnefc_eval *given_eval(struct world *world, int pick)
{
    return pick == 0 ? world->eval : NULL;
}

/* --- structs that clients fill in --------------------------------------------------------- */

static void progress(void *data, int done, int total)
{
    (void)data, (void)done, (void)total;
}

nnefc_progress given_progress(struct world *world, int pick)
{
    (void)world;
    return pick == 0 ? progress : NULL;
}

const struct nnefc_diff_options *given_diff_options(struct world *world, int pick)
{
    world->options.diff_options =
        (struct nnefc_diff_options){.size = sizeof world->options.diff_options,
                                    .ignore = pick == 2 ? UINT_MAX : 0,
                                    .data = pick == 3};
    return pick == 1 ? NULL : &world->options.diff_options;
}

const struct nnefc_run_options *given_run_options(struct world *world, int pick)
{
    static const struct nnefc_run_options good = {.size = sizeof good};
    struct nnefc_run_options *options = &world->options.run_options;

    *options = good;
    if (pick == 2)
        options->backend = "no such backend";
    if (pick == 3)
        options->threads = INT_MAX;
    if (pick == 4)
        options->threads = INT_MIN;
    return pick == 1 ? NULL : options;
}

const struct nnefc_custom_op *given_custom_op(struct world *world, int pick)
{
    world->options.custom_op = (struct nnefc_custom_op){.size = sizeof(struct nnefc_custom_op),
                                                        .name = pick == 2 ? NULL : "mine"};
    return pick == 1 ? NULL : &world->options.custom_op;
}

const struct nnefc_rewrite *given_rewrite(struct world *world, int pick)
{
    struct nnefc_rewrite *rewrite = &world->options.rewrite;

    *rewrite = (struct nnefc_rewrite){.size = sizeof *rewrite,
                                      .passes = pick == 2 ? ",,no-such-pass,\n" : NULL};
    if (pick == 3)
        rewrite->growth = INT64_MIN;
    return pick == 1 ? NULL : rewrite;
}

static enum nnefc_status feed_random(void *user, int sample, struct nnefc_run *run)
{
    (void)user;
    return nnefc_run_randomize_input(run, 0, (uint64_t)sample);
}

const struct nnefc_emit_c *given_emit_c(struct world *world, int pick)
{
    struct nnefc_emit_c *emit_c = &world->options.emit_c;

    *emit_c = (struct nnefc_emit_c){.size = sizeof *emit_c};
    if (pick == 2)
        emit_c->prefix = "";
    if (pick == 3)
        emit_c->prefix = "int x";
    if (pick == 4)
        emit_c->weights = (enum nnefc_c_weights)1000;
    return pick == 1 ? NULL : emit_c;
}

const struct nnefc_quantize *given_quantize(struct world *world, int pick)
{
    struct nnefc_quantize *quantize = &world->options.quantize;

    *quantize = (struct nnefc_quantize){
        .size = sizeof *quantize, .samples = 1, .feed = pick == 2 ? NULL : feed_random};
    if (pick == 3)
        quantize->samples = INT_MIN;
    if (pick == 4)
        quantize->checks = INT_MAX;
    if (pick == 5)
        quantize->range = (enum nnefc_range)1000;
    return pick == 1 ? NULL : quantize;
}

const struct nnefc_extract *given_extract(struct world *world, int pick)
{
    static const char *const results[] = {"y", NULL};
    struct nnefc_extract *extract = &world->options.extract;

    *extract = (struct nnefc_extract){.size = sizeof *extract, .to = results, .to_count = 1};
    if (pick == 2)
        extract->to_count = INT_MIN;
    if (pick == 3)
        extract->to_count = 2;
    if (pick == 4)
        extract->from_count = INT_MAX;
    if (pick == 5)
        extract->to_count = 0;
    return pick == 1 ? NULL : extract;
}

const struct nnefc_edit *given_edit(struct world *world, int pick)
{
    static const struct nnefc_rename unnamed[] = {{"x", NULL}};
    static const struct nnefc_attribute_edit unknown[] = {{"y", NULL, "1"}};
    struct nnefc_edit *edit = &world->options.edit;

    *edit = (struct nnefc_edit){.size = sizeof *edit};
    if (pick == 2)
        edit->bridge_count = INT_MIN;
    if (pick == 3)
        edit->label_count = INT_MAX;
    if (pick == 4)
        *edit = (struct nnefc_edit){.size = sizeof *edit, .tensors = unnamed, .tensor_count = 1};
    if (pick == 5)
        *edit =
            (struct nnefc_edit){.size = sizeof *edit, .attributes = unknown, .attribute_count = 1};
    return pick == 1 ? NULL : edit;
}

const struct nnefc_onnx *given_onnx(struct world *world, int pick)
{
    static const struct nnefc_dynamic nameless = {0}, behind = {"x", INT_MAX, "n"},
                                      unknown = {"z", 0, "n"};
    struct nnefc_onnx *onnx = &world->options.onnx;

    *onnx = (struct nnefc_onnx){.size = sizeof *onnx};
    if (pick == 2)
        onnx->opset = INT_MIN;
    if (pick == 3)
        onnx->state = (enum nnefc_onnx_state)1000;
    if (pick == 4)
        onnx->dynamic_count = INT_MIN;
    if (pick >= 5) {
        onnx->dynamic_count = 1;
        onnx->dynamic = pick == 5 ? &nameless : pick == 6 ? &behind : &unknown;
    }
    return pick == 1 ? NULL : onnx;
}

const struct nnefc_image *given_image(struct world *world, int pick)
{
    struct nnefc_image *image = &world->options.image;

    *image = (struct nnefc_image){.size = sizeof *image};
    if (pick == 2)
        image->mean_count = INT_MAX;
    if (pick == 3)
        image->scale_count = INT_MIN;
    if (pick == 4)
        image->scale_count = 1;
    return pick == 1 ? NULL : image;
}

const struct nnefc_hooks *given_hooks(struct world *world, int pick)
{
    world->options.hooks = (struct nnefc_hooks){.size = pick == 2 ? 3 : sizeof(struct nnefc_hooks)};
    return pick == 1 ? NULL : &world->options.hooks;
}

const struct nnefc_tolerance *given_tolerance(struct world *world, int pick)
{
    static const struct nnefc_tolerance values[] = {
        {0, 0}, {0, 0}, {(double)NAN, 0}, {0, (double)-INFINITY}};

    (void)world;
    return pick == 1 ? NULL : &values[pick];
}

const struct nnefc_output_file *given_output_file(struct world *world, int pick)
{
    static const struct nnefc_output_file good[] = {{0, "written"}, {-1, "written.npz"}, {0}};
    static const struct nnefc_output_file none[] = {{0}}, strange[] = {{INT_MIN, "x"}, {0}};
    static const struct nnefc_output_file *const lists[] = {good, NULL, none, strange};

    (void)world;
    return lists[pick];
}

/* --- the world ---------------------------------------------------------------------------- */

/* What was made within a call for another argument, too, is freed once. */
void world_free(struct world *world)
{
    nnefc_results_free(world->results);
    nnefc_run_free(world->run);
    nnefc_run_free(world->other_run);
    nnefc_tensor_free(world->tensor);
    nnefc_model_free(world->model);
    nnefc_model_free(world->other);
    nnefc_diff_free(world->diff);
    nnefc_catalogue_free(world->catalogue);
    if (world->stream)
        fclose(world->stream);
    free(world->text);
    *world = (struct world){0};
}

/* "x" is the model, with its data, and "results" what it computes. */
void world_prepare(void)
{
    struct nnefc_model *model = nnefc_model_new();
    const struct nnefc_type type = {NNEFC_SCALAR, 2, {1, 3}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_int_equal(nnefc_model_write_text(model, "x", net, sizeof net - 1), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, "x"), NNEFC_OK);
    assert_int_equal(nnefc_model_init_weights(model, 0, true), NNEFC_OK);
    assert_int_equal(mkdir("results", 0777), 0);
    assert_int_equal(nnefc_tensor_write(model, tensor, "results/y.npy"), NNEFC_OK);
    nnefc_tensor_free(tensor);
    nnefc_model_free(model);
}

/* --- answers ------------------------------------------------------------------------------ */

void answer_status(struct answer *answer, enum nnefc_status status)
{
    answer->status = status;
    answer->nothing = status == NNEFC_USAGE || status == NNEFC_CANCELLED;
}

void answer_number(struct answer *answer, int64_t number)
{
    answer->nothing = number == 0 || number == -1;
}

void answer_real(struct answer *answer, double number)
{
    answer->nothing = !(number < 0) && !(number > 0);
}

void answer_text(struct answer *answer, const char *text)
{
    answer->nothing = !text || !*text;
}

void answer_owned_text(struct answer *answer, char *text)
{
    answer->nothing = !text;
    free(text);
}

void answer_pointer(struct answer *answer, const void *pointer)
{
    answer->nothing = !pointer;
}

/* All lists begin with their count. */
void answer_list(struct answer *answer, const void *list)
{
    int count = -1;

    answer->broken = !list;
    if (list)
        memcpy(&count, list, sizeof count);
    answer->nothing = count == 0;
}

void answer_record(struct answer *answer, const void *record)
{
    answer->broken = !record;
    answer->nothing = true;
}

void answer_type(struct answer *answer, struct nnefc_type type)
{
    answer->nothing = type.rank == NNEFC_UNKNOWN;
}

void answer_source(struct answer *answer, struct nnefc_text text)
{
    answer->nothing = !text.name;
}

void answer_plans(struct answer *answer, struct nnefc_plans plans)
{
    answer->nothing = plans.made == 0;
}

void answer_layers(struct answer *answer, struct nnefc_layers layers)
{
    answer->nothing = layers.count == 0;
}

void answer_new_model(struct answer *answer, struct nnefc_model *model)
{
    answer->nothing = !model;
    nnefc_model_free(model);
}

void answer_new_run(struct answer *answer, struct nnefc_run *run)
{
    answer->nothing = !run;
    nnefc_run_free(run);
}

void answer_new_tensor(struct answer *answer, struct nnefc_tensor *tensor)
{
    answer->nothing = !tensor;
    nnefc_tensor_free(tensor);
}

void answer_new_results(struct answer *answer, struct nnefc_results *results)
{
    answer->nothing = !results;
    nnefc_results_free(results);
}

void answer_new_diff(struct answer *answer, struct nnefc_diff *diff)
{
    answer->nothing = !diff;
    nnefc_diff_free(diff);
}

void answer_new_catalogue(struct answer *answer, struct nnefc_catalogue *catalogue)
{
    answer->nothing = !catalogue;
    nnefc_catalogue_free(catalogue);
}
