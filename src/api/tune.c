/* tune.c - the tuning file; see tune.h */
#include "api/tune.h"

#include "api/api_priv.h"
#include "base/team.h"
#include "base/text.h"
#include "exec/tuning.h"
#include "file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum { MOST_SECONDS = 30 }; /* of trying */

/* --- whose it is ----------------------------------------------------------------------------- */

/* What Linux calls the processor, or its kind. */
static void add_processor(struct text *to)
{
    static const char key[] = "model name\t: ";
    struct utsname system;
    char line[256];
    bool found = false;
    FILE *info = fopen("/proc/cpuinfo", "r");

    while (info && !found && fgets(line, sizeof line, info))
        found = strncmp(line, key, sizeof key - 1) == 0;
    if (info)
        (void)fclose(info);
    if (found)
        text_add(to, "%.*s", (int)strcspn(line + sizeof key - 1, "\n"), line + sizeof key - 1);
    else
        text_add(to, "%s", uname(&system) == 0 ? system.machine : "processor");
}

static struct tuning *new_tuning(const struct tuning_for *wanted)
{
    struct text machine = {0};

    add_processor(&machine);
    text_add(&machine, "; threads %d; nnefc %s; %s%s",
             wanted->threads > 0 ? wanted->threads : team_processors(), NNEFC_VERSION,
             wanted->backends, wanted->exact ? "; exact" : "");
    struct tuning *tuning = tuning_new(machine.data);
    text_free(&machine);
    return tuning;
}

/* --- where it is ------------------------------------------------------------------------------- */

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

/* A folder that cannot be made is noticed when a file in it is written. */
static void make_folder(const char *path)
{
    (void)mkdir(path, 0700);
}

/* As the XDG base directory specification has it. */
static char *usual_path(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct text path = {0};

    if (is_absolute(cache))
        text_add(&path, "%s", cache);
    else if (is_absolute(home))
        text_add(&path, "%s/.cache", home);
    else
        return NULL;
    make_folder(path.data);
    text_add(&path, "/nnefc");
    make_folder(path.data);
    text_add(&path, "/tuning.txt");
    return path.data;
}

static char *path_of(const char *file)
{
    struct text path = {0};

    if (!file)
        return usual_path();
    text_add(&path, "%s", file);
    return path.data;
}

/* --- what is said of it ------------------------------------------------------------------------- */

static void warn(const struct nnefc_model *model, const struct tuned *tuned, const char *what,
                 const char *why)
{
    diag_file_warning(model->context->diag, tuned->path, WARNING_TUNING_FILE, "%s%s%s", what,
                      why ? ": " : "", why ? why : "");
}

/* The first report aside, and none of it any more. */
static void warn_by(const struct nnefc_model *model, const struct tuned *tuned, const char *what,
                    struct diag *aside)
{
    warn(model, tuned, what, diag_count(aside) > 0 ? diag_at(aside, 0).text : NULL);
    diag_clear(aside);
}

/* --- reading ------------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void take(const struct nnefc_model *model, struct tuned *tuned, const char *text,
                 size_t size)
{
    switch (tuning_read(tuned->tuner.tuning, text, size)) {
    case TUNING_SOUND:
        break;
    case TUNING_DAMAGED:
        tuned->was_damaged = true;
        warn(model, tuned, "tuning file is damaged; what can be read of it is used", NULL);
        break;
    case TUNING_FOREIGN:
        tuned->may_write = false;
        warn(model, tuned,
             "no tuning file of this version of nnefc; it is left as it is, and nothing is "
             "remembered",
             NULL);
        break;
    }
}

static void read_file(const struct nnefc_model *model, struct tuned *tuned)
{
    char *text;
    size_t size;

    if (!is_file(tuned->path))
        return;
    if (file_read(tuned->tuner.diag, tuned->path, TUNING_MOST_BYTES, &text, &size)) {
        take(model, tuned, text, size);
        free(text);
        return;
    }
    tuned->may_write = false;
    warn_by(model, tuned, "nothing is known or remembered of tuning", tuned->tuner.diag);
}

void tuned_begin(const struct nnefc_model *model, const struct tuning_for *wanted,
                 struct tuned *tuned)
{
    *tuned = (struct tuned){
        .tuner = {new_tuning(wanted), diag_new(model->context->sources), MOST_SECONDS, 0, 0},
        .path = path_of(wanted->file),
        .errors = diag_error_count(model->context->diag)};
    tuned->may_write = tuned->path;
    if (tuned->path)
        read_file(model, tuned);
    else
        warn(model, tuned,
             "nothing is remembered of tuning: neither XDG_CACHE_HOME nor HOME names a folder",
             NULL);
}

/* --- writing ------------------------------------------------------------------------------------- */

/* What the file says by now; false if it is none to write. */
static bool read_again(const struct tuned *tuned, struct tuning *tuning)
{
    char *text;
    size_t size;

    if (!is_file(tuned->path))
        return true;
    if (!file_read(tuned->tuner.diag, tuned->path, TUNING_MOST_BYTES, &text, &size))
        return false;
    bool ok = tuning_read(tuning, text, size) != TUNING_FOREIGN;
    free(text);
    return ok;
}

static bool write_text(struct diag *diag, const char *path, const struct text *text)
{
    struct out_file file;

    if (!out_file_open(diag, path, &file))
        return false;
    out_file_write(&file, text->data, text->size);
    return out_file_commit(diag, &file);
}

/* What other programs have remembered since it was read stays. */
static void write_file(const struct nnefc_model *model, const struct tuned *tuned)
{
    struct diag *aside = tuned->tuner.diag;
    struct tuning *latest = tuning_new_like(tuned->tuner.tuning);
    struct text text = {0};

    diag_clear(aside);
    bool ok = read_again(tuned, latest);
    tuning_add_more(latest, tuned->tuner.tuning);
    tuning_print(latest, &text);
    if (!ok || !write_text(aside, tuned->path, &text))
        warn_by(model, tuned, "nothing is remembered of tuning", aside);
    text_free(&text);
    tuning_free(latest);
}

static void tell_of_time(const struct nnefc_model *model, const struct tuned *tuned)
{
    const struct tuner *tuner = &tuned->tuner;

    diag_file_warning(model->context->diag, NULL, WARNING_TUNING_TIME,
                      "tuning was over after %d seconds, with %d of %d operations as usual",
                      MOST_SECONDS, tuner->left, tuner->left + tuner->tried);
    diag_help(model->context->diag, "the next run with --tune goes on from there.");
}

bool tuned_end(const struct nnefc_model *model, struct tuned *tuned)
{
    struct tuning *tuning = tuned->tuner.tuning;

    if (tuned->tuner.left > 0)
        tell_of_time(model, tuned);
    if (tuned->may_write && (tuning_has_more(tuning) || tuned->was_damaged))
        write_file(model, tuned);
    tuning_free(tuning);
    diag_free(tuned->tuner.diag);
    free(tuned->path);
    return diag_error_count(model->context->diag) == tuned->errors;
}
