/*
 * reduce.c - nnefc reduce: a small part of a model that still fails
 *
 * Each try that fails is written at once, so that the best so far is there whatever ends the
 * reduction.  The signals that end it are blocked meanwhile; they are looked for before each try
 * and while a process checks.
 */
#include "driver/reduce.h"

#include "driver/path.h"
#include "driver/report.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tried {
    uint64_t digest;
    enum answer answer;
};

/* --- what was tried --------------------------------------------------------------------------- */

/* FNV-1a, over 64 bits. */
uint64_t digest_of(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    digest ^= 0xcbf29ce484222325U;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ byte[i]) * 0x100000001b3U;
    return digest;
}

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static bool is_stopped(void)
{
    sigset_t pending;
    bool stopped = false;

    sigemptyset(&pending);
    sigpending(&pending);
    for (int i = 0; i < STOPPING; i++)
        stopped |= sigismember(&pending, stopping[i]) == 1;
    return stopped;
}

static bool is_late(const struct reduction *r)
{
    return r->s.time > 0 && seconds_now() - r->start > r->s.time;
}

bool reduction_is_over(const struct reduction *r)
{
    return is_late(r) || is_stopped();
}

bool answer_known(struct reduction *r, uint64_t digest, enum answer *answer)
{
    for (int i = 0; i < r->ntried; i++)
        if (r->tried[i].digest == digest) {
            *answer = r->tried[i].answer;
            return true;
        }
    *answer = ANSWER_STOPPED;
    return r->broken || (r->s.tests > 0 && r->tests >= r->s.tests) || reduction_is_over(r);
}

void answer_tell(struct reduction *r, uint64_t digest, enum answer answer, int size,
                 const char *unit)
{
    static const char *const words[] = {[ANSWER_PASSES] = "passes",
                                        [ANSWER_FAILS] = "fails",
                                        [ANSWER_UNKNOWN] = "cannot be told",
                                        [ANSWER_STOPPED] = "stopped"};

    if ((r->ntried & (r->ntried - 1)) == 0)
        r->tried =
            resize_items(r->tried, r->ntried > 0 ? 2 * (size_t)r->ntried : 1, sizeof *r->tried);
    r->tried[r->ntried++] = (struct tried){digest, answer};
    r->tests++;
    if (!r->command->quiet) {
        fprintf(stderr, "%d: %d %s: %s\n", r->tests, size, unit, words[answer]);
    }
}

/* --- the temporary folder --------------------------------------------------------------------- */

char *reduction_path(const struct reduction *r, const char *name)
{
    return path_join(r->folder, name);
}

static const char *temporary_place(void)
{
    const char *place = getenv("TMPDIR");

    return place && *place ? place : "/tmp";
}

static char *make_folder(const struct command *command)
{
    char *path = path_join(temporary_place(), "nnefc-reduce-XXXXXX");

    if (mkdtemp(path))
        return path;
    file_error(command, path, strerror(errno));
    free(path);
    return NULL;
}

void reduction_reads(struct reduction *r)
{
    if (r->folder)
        remove_folder(r->folder);
    free(r->folder);
    r->folder = NULL;
    sigprocmask(SIG_UNBLOCK, &r->ends, NULL);
}

bool reduction_has_read(struct reduction *r)
{
    sigprocmask(SIG_BLOCK, &r->ends, NULL);
    r->folder = make_folder(r->command);
    r->broken |= !r->folder;
    return r->folder;
}

/* The folder has only files of this program, a few folders deep. */
void remove_folder(const char *path) /* NOLINT(misc-no-recursion) */
{
    DIR *folder = opendir(path);
    struct stat status;

    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *inner = path_join(path, entry->d_name);
        if (lstat(inner, &status) == 0 && S_ISDIR(status.st_mode))
            remove_folder(inner);
        else
            unlink(inner);
        free(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* --- the command ------------------------------------------------------------------------------ */

static bool is_text(const char *path)
{
    return path_is_folder(path) || path_ends_in(path, ".nnef");
}

static bool is_sound(struct reduction *r)
{
    reduction_reads(r);
    struct nnefc_model *model = load_model(&r->s.loading, r->command->operand[0]);
    const bool sound = nnefc_model_status(model) == NNEFC_OK;

    nnefc_model_free(model);
    return reduction_has_read(r) && sound;
}

/* A model is reduced as a text if the text has errors, if reading it crashes, or if its graph does
 * not fail once it is written again. */
static enum nnefc_status reduce_either(struct reduction *r, bool *fails)
{
    const struct reduce_settings *s = &r->s;
    const bool text = is_text(r->command->operand[0]);
    enum nnefc_status status = NNEFC_OK;
    bool as_text = s->code || (text && (s->crash || (s->check && !is_sound(r))));

    if (as_text)
        status = reduce_text(r, fails);
    if (status == NNEFC_OK && !*fails && !s->code && !(as_text && s->check) &&
        !reduction_is_over(r))
        status = reduce_graph(r, fails);
    if (status == NNEFC_OK && !*fails && text && s->check && !as_text &&
        is_text(r->command->operand[1]) && r->s.to == TARGET_NNEF && !reduction_is_over(r)) {
        r->in_folder = path_is_folder(r->command->operand[1]);
        status = reduce_text(r, fails);
    }
    return status;
}

/* Say why there is nothing to reduce. */
static enum nnefc_status tell_soundness(const struct reduction *r)
{
    const char *model = r->command->operand[0], *other = r->s.differs;

    if (is_late(r))
        return usage_error(r->command, "the time was over before '%s' was seen to fail", model);
    const bool unknown = r->ntried > 0 && r->tried[0].answer == ANSWER_UNKNOWN;
    if (unknown && other && !strchr(other, ':'))
        return usage_error(r->command,
                           "it cannot be told whether '%s' fails: '%s' lacks tensors of the same "
                           "names, or one of them does not run, or takes too long; a model with a "
                           "quantization file keeps its names with --quant=off",
                           model, other);
    if (unknown)
        return usage_error(r->command, "it cannot be told whether '%s' fails: %s", model,
                           other        ? "the backend does not compute it, or takes too long"
                           : r->s.check ? "the check ended with 125, or took too long"
                                        : "it took too long");
    return usage_error(r->command, "'%s' does not fail, so there is nothing to reduce", model);
}

static enum nnefc_status reduce_stoppable(struct reduction *r)
{
    sigset_t blocked, before;
    bool fails = false;
    int number;

    sigemptyset(&r->ends);
    for (int i = 0; i < STOPPING; i++) {
        struct sigaction action;
        /* One that is ignored, as 'nohup' has it, would be pending if it were blocked. */
        if (sigaction(stopping[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&r->ends, stopping[i]);
    }
    blocked = r->ends;
    sigaddset(&blocked, SIGCHLD); /* which is waited for */
    sigprocmask(SIG_BLOCK, &blocked, &before);
    enum nnefc_status status = reduce_either(r, &fails);
    const bool stopped = is_stopped();
    while (is_stopped())
        sigwait(&r->ends, &number);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (stopped)
        return NNEFC_CANCELLED;
    if (status == NNEFC_OK && r->broken)
        return NNEFC_FILE;
    if (status == NNEFC_OK && !fails)
        return tell_soundness(r);
    return status;
}

/* --- the command line ------------------------------------------------------------------------- */

/* The path of a model without "/graph.nnef" and '/' at its end, to be freed. */
static char *bare_path(const char *path)
{
    char *bare = must_have(strdup(path));
    size_t size = strlen(bare);

    if (path_ends_in(bare, "/graph.nnef"))
        size -= strlen("/graph.nnef");
    while (size > 1 && bare[size - 1] == '/')
        size--;
    bare[size] = '\0';
    return bare;
}

/* Are two files or folders that will be written the same?  They need not exist yet. */
static bool is_one_place(const char *a, const char *b)
{
    char *bare[2] = {bare_path(a), bare_path(b)};
    const bool same = path_same(bare[0], bare[1]) || path_replaces_model(a, b);

    free(bare[0]);
    free(bare[1]);
    return same;
}

/* --record writes the part of B as DIR/other.ng, which B may be. */
static bool record_fits(const struct reduce_settings *s)
{
    char *other = s->record && s->differs ? path_join(s->record, "other.ng") : NULL;
    const char *const read[] = {s->command.operand[0], s->differs};
    bool fits = true;

    for (int i = 0; i < 2 && other && fits && !s->loading.force; i++)
        if (path_replaces_model(read[i], other))
            fits = usage_error(&s->command,
                               "--record would replace '%s'; write to another place, or with "
                               "--force",
                               read[i]) == NNEFC_OK;
    free(other);
    return fits;
}

/* Parts are cut from copies, so only this check prevents that results replace the model. */
static bool results_fit(const struct reduce_settings *s)
{
    const struct command *command = &s->command;
    const char *const out[] = {command->operand[1], s->good};
    const char *const read[] = {command->operand[0], s->differs};

    if (s->good && is_one_place(out[0], s->good))
        return usage_error(command, "OUT and --min-good are both '%s'", s->good) == NNEFC_OK;
    for (int i = 0; i < 4 && !s->loading.force; i++)
        if (out[i / 2] && read[i % 2] && path_replaces_model(read[i % 2], out[i / 2]))
            return usage_error(command,
                               "that would replace '%s'; write to another place, or with --force",
                               read[i % 2]) == NNEFC_OK;
    return true;
}

/* A command gets the paths of files in the temporary folder as they are, whether in quotes or not.
 */
static bool check_fits(const struct reduce_settings *s)
{
    const char *place = temporary_place();

    if (!s->check)
        return true;
    if (!strstr(s->check, "{}"))
        return usage_error(&s->command, "--check has no {} for the file to be checked") == NNEFC_OK;
    for (const char *c = place; *c; c++)
        if (!isalnum((unsigned char)*c) && (unsigned char)*c < 128 && !strchr("/._-+,:@%=", *c))
            return usage_error(&s->command,
                               "TMPDIR is '%s', which a shell does not take for one word where {} "
                               "of --check stands: choose another folder",
                               place) == NNEFC_OK;
    return true;
}

static enum nnefc_status check_code(const struct reduce_settings *s)
{
    struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
    const struct nnefc_explanation_list *all = nnefc_catalogue_explanations(catalogue);
    const char **names = zeroed_items((size_t)all->count + 1, sizeof *names);
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < all->count; i++)
        names[i] = all->at[i]->code;
    if (!nnefc_catalogue_explain(catalogue, s->code))
        status = usage_suggest(&s->command, "there is no code", s->code, names, "explain --list");
    free(names);
    nnefc_catalogue_free(catalogue);
    return status;
}

/* Faults of the command line are found before the model is read. */
static enum nnefc_status check_settings(struct reduce_settings *s)
{
    const struct command *command = &s->command;
    const char *out = command->operand[1];
    const int ways = (s->differs != NULL) + (s->check != NULL) + (s->code != NULL) + s->crash;

    if (ways != 1)
        return usage_error(command, "one of --differs, --check, --code and --crash has to say what "
                                    "fails");
    if (!loading_agrees(command, &s->loading) ||
        !feeding_agrees(command, &s->feeding, loading_streams(command, &s->loading)))
        return NNEFC_USAGE;
    if (is_standard(command->operand[0]) || path_is_stream(out))
        return usage_error(command, "MODEL and OUT are files or folders");
    if (!check_fits(s))
        return NNEFC_USAGE;
    if (s->differs && strncmp(s->differs, "backend:", 8) != 0 && strchr(s->differs, ':'))
        return usage_error(command, "--differs is a model or 'backend:NAME', not '%s'", s->differs);
    if (!target_find(command, out, &s->format))
        return NNEFC_USAGE;
    if (s->good && !target_find(command, s->good, &s->good_format))
        return NNEFC_USAGE;
    if (s->format == TARGET_PNNX || s->to == TARGET_PNNX || s->good_format == TARGET_PNNX)
        return usage_error(command, "a part of a model cannot be written in PNNX");
    if (s->code && (s->format != TARGET_NNEF || !is_text(out) || !is_text(command->operand[0])))
        return usage_error(command, "--code is for texts of NNEF, in a file .nnef or a folder");
    if (!results_fit(s) || !record_fits(s) || (s->code && check_code(s) != NNEFC_OK))
        return NNEFC_USAGE;
    if (s->to == TARGET_BY_NAME)
        s->to = s->format;
    if (!path_is_folder(out) && !path_is_writable(out, false))
        return file_error(command, out, strerror(errno));
    return NNEFC_OK;
}

static enum nnefc_status reduce_run(const void *settings)
{
    struct reduction r = {.s = *(const struct reduce_settings *)settings};

    r.command = &r.s.command;
    enum nnefc_status status = check_settings(&r.s);
    if (status != NNEFC_OK)
        return status;
    feeding_tell(&r.s.feeding, &r.s.loading);
    const bool for_onnx =
        r.s.format == TARGET_ONNX || r.s.to == TARGET_ONNX || r.s.good_format == TARGET_ONNX;
    r.s.loading.keep = for_onnx ? NNEFC_KEEP_ONNX : NNEFC_KEEP_KERNELS;
    r.start = seconds_now();
    status = reduce_stoppable(&r);
    if (r.folder)
        remove_folder(r.folder);
    free(r.folder);
    free(r.tried);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

#define FIELD(name) .field = offsetof(struct reduce_settings, name)

static const struct option reduce_options[] = {
    {"--differs", NULL, "B|backend:NAME",
     "a part fails if its results differ from those of B, or those of a backend from the reference",
     .set = set_text, FIELD(differs)},
    {"--check", NULL, "'CMD {}'",
     "a part fails if CMD ends with other than 0 (125: it cannot tell); {in}: folder of inputs",
     .set = set_text, FIELD(check)},
    {"--code", NULL, "CODE", "a text fails if it has this diagnostic, such as N0137",
     .set = set_text, FIELD(code)},
    {"--crash", NULL, NULL,
     "a part fails if reading or running it ends by a signal or with status 70", FIELD(crash)},
    {"--as-is", NULL, NULL, "do not try smaller extents, simpler weights and shorter names",
     FIELD(as_is)},
    {"--to", NULL, "nnef|onnx|graph", "format of the part for CMD (that of OUT)",
     .first_word = TARGET_NNEF, FIELD(to), .needs = "--check"},
    {"--record", NULL, "DIR", "store the inputs of the part: DIR/1/x.dat, for each sample",
     .set = set_text, FIELD(record)},
    {"--min-good", NULL, "FILE", "also write the largest part that passes", .set = set_text,
     FIELD(good)},
    {"--tests", NULL, "N", "check at most N parts", .expects = "a whole number from 1",
     .set = set_number, FIELD(tests)},
    {"--time", NULL, "S", "stop after S seconds, even during a check", .expects = "a number from 0",
     .set = set_amount, FIELD(time)},
    {"--each", NULL, "S", "stop each check after S seconds; then it cannot tell",
     .expects = "a number from 0", .set = set_amount, FIELD(each)},
    DATA_OPTION(offsetof(struct reduce_settings, loading)),
    QUANT_OPTION(offsetof(struct reduce_settings, loading), "auto"),
    FORCE_OPTION(offsetof(struct reduce_settings, loading)),
    {0},
};

const struct verb reduce_verb = {
    .name = "reduce",
    .purpose = "find a small part of a model that still fails",
    .examples = "  nnefc reduce model/ small/ --differs=leaky.nnef --random\n"
                "  nnefc reduce model/ small.onnx --differs=leaky.nnef -i a.npy -i b.npy\n"
                "                              with two samples\n"
                "  nnefc reduce model/ small/ --check='! grep -q max_pool {}/graph.nnef'\n"
                "  nnefc reduce wrong/ small.nnef --code=N0142\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(reduce, {.loading = {LOADING_UNSET, .quantization = NNEFC_QUANTIZATION_AUTO},
                           .feeding = FEEDING_DEFAULTS,
                           .tolerance = TOLERANCE_DEFAULTS}),
    .groups = {{reduce_options, 0, NULL},
               {tolerance_options, offsetof(struct reduce_settings, tolerance), NULL},
               {feed_options, offsetof(struct reduce_settings, feeding), FEED_TITLE},
               {image_options, offsetof(struct reduce_settings, feeding), FEED_TITLE},
               MODEL_GROUPS(reduce)},
    .run = reduce_run,
};
