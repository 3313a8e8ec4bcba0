/*
 * reduce_judge.c - whether a model, or a text, fails
 *
 * Work that may crash, and commands of the user, run in processes of their own.
 */
#include "driver/path.h"
#include "driver/reduce.h"
#include "driver/report.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_SAY = 125, CANNOT_RUN = 126, NO_COMMAND = 127 }; /* exit statuses of shells */

/* --- tensors ---------------------------------------------------------------------------------- */

void tensors_free(struct tensors *tensors)
{
    for (int i = 0; tensors->at && i < tensors->inputs * tensors->samples; i++)
        nnefc_tensor_free(tensors->at[i]);
    free(tensors->at);
}

size_t item_size(enum nnefc_dtype dtype)
{
    static const size_t sizes[] = {
        [NNEFC_SCALAR] = sizeof(float), [NNEFC_INTEGER] = sizeof(int64_t), [NNEFC_LOGICAL] = 1};

    return sizes[dtype];
}

struct nnefc_tensor *tensor_copy(const struct nnefc_tensor *tensor)
{
    const struct nnefc_type type = nnefc_tensor_type(tensor);
    struct nnefc_tensor *copy = nnefc_tensor_new(&type);

    if (copy && nnefc_tensor_count(tensor) > 0)
        memcpy(nnefc_tensor_data(copy), nnefc_tensor_items(tensor),
               (size_t)nnefc_tensor_count(tensor) * item_size(type.dtype));
    return copy;
}

static enum nnefc_status feed_sample(struct nnefc_run *run, const struct tensors *inputs,
                                     int sample)
{
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < inputs->inputs && status == NNEFC_OK; i++)
        status = nnefc_run_set_input(run, i, inputs->at[sample * inputs->inputs + i]);
    return status;
}

struct nnefc_model *load_written(const char *path, int inputs)
{
    const struct loading loading = LOADING_DEFAULTS;
    struct nnefc_model *model = load_model(&loading, path);

    if (nnefc_model_status(model) == NNEFC_OK && nnefc_model_inputs(model)->count >= inputs)
        return model;
    nnefc_model_free(model);
    return NULL;
}

bool write_samples(struct reduction *r, struct nnefc_model *model, const struct tensors *inputs,
                   const char *folder)
{
    const struct nnefc_port_list *ports = nnefc_model_inputs(model);
    const size_t room = strlen(folder) + 32;
    char *place = zeroed_items(room, 1);
    bool ok = true;

    for (int i = 0; i < inputs->samples * inputs->inputs && ok; i++) {
        snprintf(place, room, "%s/%d", folder, i / inputs->inputs + 1);
        char *path = path_of_result(place, ports->at[i % inputs->inputs]->name);
        if (!path_make_folders(path)) {
            file_error(r->command, path, strerror(errno));
            ok = false;
        } else {
            ok = nnefc_tensor_write(model, inputs->at[i], path) == NNEFC_OK;
        }
        free(path);
    }
    r->broken |= !ok;
    free(place);
    return ok;
}

/* --- processes -------------------------------------------------------------------------------- */

/* A process in a process group of its own, which also gets the processes that it starts.  Their
 * output is not shown, and they can be stopped together.  Returns twice, as fork() does. */
static pid_t start_process(void)
{
    sigset_t none;

    fflush(NULL);
    const pid_t child = fork();
    if (child > 0)
        setpgid(child, child); /* parent and child both do it: the first one succeeds */
    if (child != 0)
        return child;
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        dup2(nowhere, i);
    return child;
}

/* Wait until a process ends, for so many seconds at most.  SIGCHLD is blocked. */
static void await_signal(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    sigset_t ended;

    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigtimedwait(&ended, NULL, &pause);
}

/* The exit status of a process, or 128 plus the number of the signal that ended it.  If the
 * reduction has to end first, or if the check takes too long, the process is stopped, with all
 * processes that it has started. */
static int wait_for(const struct reduction *r, pid_t child)
{
    const double begin = seconds_now(), most = r->s.each;
    pid_t ended;
    int status = 0;

    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && !reduction_is_over(r) &&
           !(most > 0 && seconds_now() - begin > most))
        await_signal(0.05);
    if (ended == 0) {
        kill(-child, SIGTERM);
        await_signal(1);
        kill(-child, SIGKILL);
        if (waitpid(child, &status, 0) < 0)
            return CANNOT_RUN;
        return reduction_is_over(r) ? 128 + SIGTERM : CANNOT_SAY;
    }
    if (ended < 0)
        return CANNOT_RUN;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Was the process stopped because the reduction has to end?  A command may end like that itself. */
static bool is_interrupted(const struct reduction *r, int status)
{
    return status == 128 + SIGTERM && reduction_is_over(r);
}

/* The end of a child that reads and computes. */
static enum answer crash_answer(const struct reduction *r, pid_t child)
{
    const int status = child < 0 ? NNEFC_OK : wait_for(r, child);

    if (is_interrupted(r, status))
        return ANSWER_STOPPED;
    if (status == CANNOT_SAY)
        return ANSWER_UNKNOWN;
    return status >= 128 || status == NNEFC_INTERNAL ? ANSWER_FAILS : ANSWER_PASSES;
}

/* The command with `model` for each {} and `in` for each {in}; to be freed. */
static char *fill_in(const char *command, const char *model, const char *in)
{
    size_t room = strlen(command) + 1, used = 0;
    const size_t longest = strlen(model) + strlen(in);

    for (const char *c = command; *c; c++)
        room += *c == '{' ? longest : 0;
    char *filled = zeroed_items(room, 1);
    while (*command) {
        const bool is_model = strncmp(command, "{}", 2) == 0;
        const bool is_in = strncmp(command, "{in}", 4) == 0;
        if (!is_model && !is_in) {
            filled[used++] = *command++;
            continue;
        }
        for (const char *c = is_model ? model : in; *c; c++)
            filled[used++] = *c;
        command += is_model ? 2 : 4;
    }
    return filled;
}

static enum answer run_command(struct reduction *r, const char *model, const char *in)
{
    char *command = fill_in(r->s.check, model, in);
    const pid_t child = start_process();

    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(NO_COMMAND);
    }
    const int status = child < 0 ? CANNOT_RUN : wait_for(r, child);
    free(command);
    if (status == CANNOT_RUN || status == NO_COMMAND) {
        usage_error(r->command, "the command of --check cannot be run: %s", r->s.check);
        r->broken = true;
    }
    if (r->broken || is_interrupted(r, status))
        return ANSWER_STOPPED;
    return status == 0 ? ANSWER_PASSES : status == CANNOT_SAY ? ANSWER_UNKNOWN : ANSWER_FAILS;
}

/* --- models ----------------------------------------------------------------------------------- */

/* Where a candidate is written for a command; to be freed. */
static char *candidate_path(const struct reduction *r)
{
    switch (r->s.to) {
    case TARGET_ONNX:
        return reduction_path(r, "candidate.onnx");
    case TARGET_GRAPH:
        return reduction_path(r, "candidate.ng");
    case TARGET_NNEF:
    case TARGET_PNNX:
    case TARGET_BY_NAME:
        break;
    }
    return reduction_path(r, "candidate/");
}

/* Write the inputs of a part for {in}, by the names that it has at `path`. */
static bool write_in(struct reduction *r, struct nnefc_model *model, const char *path,
                     const struct tensors *inputs)
{
    char *folder = reduction_path(r, "in");
    struct nnefc_model *written = load_written(path, inputs->inputs);
    const bool ok = write_samples(r, written ? written : model, inputs, folder);

    nnefc_model_free(written);
    free(folder);
    return ok;
}

static enum answer check_model(struct reduction *r, struct nnefc_model *model,
                               const struct tensors *inputs)
{
    const bool by_sample = strstr(r->s.check, "{in}") && inputs->inputs > 0;
    char *path = candidate_path(r), *folder = reduction_path(r, "in");
    const struct target_form form = {path, r->s.to, NNEFC_PROFILE_COMPOUND, NULL, NULL};
    const size_t room = strlen(folder) + 32;
    char *in = zeroed_items(room, 1);
    enum answer answer = ANSWER_UNKNOWN;

    remove_folder(path); /* of the part before */
    if (target_write(&form, model) == NNEFC_OK && (!by_sample || write_in(r, model, path, inputs)))
        answer = ANSWER_PASSES;
    for (int i = 0; i < (by_sample ? inputs->samples : 1) && answer == ANSWER_PASSES; i++) {
        snprintf(in, room, "%s/%d", folder, i + 1);
        answer = run_command(r, path, in);
    }
    free(in);
    free(folder);
    free(path);
    return answer;
}

static struct nnefc_run *new_run(struct nnefc_model *model, const char *backend)
{
    const struct nnefc_run_options options = {.size = sizeof options, .backend = backend};

    return nnefc_run_new_with(model, &options);
}

/* Do the results of a step differ? */
static enum nnefc_status compare_step(const struct reduction *r, struct nnefc_run *a,
                                      struct nnefc_run *b, int results)
{
    enum nnefc_status status = nnefc_run_step(a);

    if (status == NNEFC_OK)
        status = nnefc_run_step(b);
    for (int i = 0; i < results && status == NNEFC_OK; i++)
        if (nnefc_tensor_compare(nnefc_run_output(a, i), nnefc_run_output(b, i), &r->s.tolerance,
                                 NULL) != NNEFC_OK)
            status = NNEFC_DIFFERENT;
    return status;
}

/* Two models, the second of which may be the first, with every sample. */
static enum nnefc_status compare_samples(const struct reduction *r, struct nnefc_model *model,
                                         struct nnefc_model *other, const struct tensors *inputs)
{
    const char *colon = strchr(r->s.differs, ':');
    struct nnefc_run *a = new_run(model, other ? "reference" : colon + 1);
    struct nnefc_run *b = new_run(other ? other : model, "reference");
    enum nnefc_status status = a && b ? NNEFC_OK : NNEFC_UNSUPPORTED;

    assert(other || colon);
    for (int i = 0; i < inputs->samples && status == NNEFC_OK; i++) {
        status = feed_sample(a, inputs, i);
        if (status == NNEFC_OK)
            status = feed_sample(b, inputs, i);
        if (status == NNEFC_OK)
            status = compare_step(r, a, b, nnefc_model_outputs(model)->count);
    }
    nnefc_run_free(a);
    nnefc_run_free(b);
    return status;
}

/* In a process of its own, which can be stopped while it computes. */
static enum answer compare_models(const struct reduction *r, struct nnefc_model *model,
                                  struct nnefc_model *other, const struct tensors *inputs)
{
    const pid_t child = start_process();

    if (child == 0) {
        _exit((int)compare_samples(r, model, other, inputs));
    }
    const int status = child < 0 ? CANNOT_RUN : wait_for(r, child);
    if (is_interrupted(r, status))
        return ANSWER_STOPPED;
    return status == NNEFC_OK          ? ANSWER_PASSES
           : status == NNEFC_DIFFERENT ? ANSWER_FAILS
                                       : ANSWER_UNKNOWN;
}

/* In a process of its own: compute every sample as `run` does. */
static enum answer crash_model(const struct reduction *r, struct nnefc_model *model,
                               const struct tensors *inputs)
{
    const pid_t child = start_process();

    if (child == 0) {
        struct nnefc_run *run = new_run(model, "auto");
        enum nnefc_status status = run ? NNEFC_OK : nnefc_model_status(model);
        for (int i = 0; i < inputs->samples && status == NNEFC_OK; i++) {
            status = feed_sample(run, inputs, i);
            status = status == NNEFC_OK ? nnefc_run_step(run) : status;
        }
        _exit((int)status);
    }
    return crash_answer(r, child);
}

enum answer judge_model(struct reduction *r, struct nnefc_model *model, struct nnefc_model *other,
                        const struct tensors *inputs)
{
    if (r->s.differs)
        return compare_models(r, model, other, inputs);
    return r->s.check ? check_model(r, model, inputs) : crash_model(r, model, inputs);
}

/* --- texts ------------------------------------------------------------------------------------ */

static struct nnefc_model *load_text(const struct reduction *r, const char *text, size_t size)
{
    struct nnefc_model *model = prepare_model(&r->s.loading);

    nnefc_model_load_text(model, "graph.nnef", text, size);
    return model;
}

static enum answer code_of_text(const struct reduction *r, const char *text, size_t size)
{
    struct nnefc_model *model = load_text(r, text, size);
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
    enum answer answer = ANSWER_PASSES;

    for (int i = 0; i < list->count && answer == ANSWER_PASSES; i++)
        if (list->at[i]->code && strcmp(list->at[i]->code, r->s.code) == 0)
            answer = ANSWER_FAILS;
    nnefc_model_free(model);
    return answer;
}

static enum answer crash_of_text(const struct reduction *r, const char *text, size_t size)
{
    const pid_t child = start_process();

    if (child == 0) {
        _exit((int)nnefc_model_status(load_text(r, text, size)));
    }
    return crash_answer(r, child);
}

static enum answer check_text(struct reduction *r, const char *text, size_t size)
{
    char *path = reduction_path(r, r->in_folder ? "candidate/graph.nnef" : "candidate.nnef");
    char *part = r->in_folder ? reduction_path(r, "candidate/") : must_have(strdup(path));
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(text, 1, size, file) == size;
    enum answer answer = ANSWER_STOPPED;

    ok = file && fclose(file) == 0 && ok;
    if (ok) {
        answer = run_command(r, part, r->folder);
    } else {
        file_error(r->command, path, strerror(errno));
        r->broken = true;
    }
    free(part);
    free(path);
    return answer;
}

enum answer judge_text(struct reduction *r, const char *text, size_t size)
{
    if (r->s.code)
        return code_of_text(r, text, size);
    return r->s.check ? check_text(r, text, size) : crash_of_text(r, text, size);
}
