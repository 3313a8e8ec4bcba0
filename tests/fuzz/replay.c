/*
 * replay.c - gives a target the inputs of files and folders; links with any compiler
 *
 *     fuzz_NAME FILE|FOLDER...
 *
 * What an input does wrong ends the process; its name is the last one printed.  So does the clock
 * if it takes too long.
 */
#include "fuzz/fuzz.h"

#include "diag/diag.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 60 }; /* for an input, on a busy machine and with sanitizers */

/* Only the fuzzer changes inputs. */
/* NOLINTNEXTLINE(readability-non-const-parameter): as others of its kind */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    (void)data;
    (void)room;
    return size;
}

static int replay_file(const char *path)
{
    struct diag *diag = diag_new(NULL);
    struct file_view view;

    printf("%s\n", path);
    fflush(stdout);
    bool ok = file_open(diag, path, &(struct file_request){.budget = INT64_MAX}, &view);
    if (ok) {
        struct file_view copy = fuzz_view(view.data, view.size);
        alarm(SECONDS);
        LLVMFuzzerTestOneInput(copy.data, copy.size);
        alarm(0);
        file_close(&copy);
        file_close(&view);
    }
    diag_free(diag);
    return ok;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_visible, alphasort), replayed = 0;

    for (int i = 0; i < count; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s", folder, entry[i]->d_name);
        replayed += replay_file(path.data);
        text_free(&path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return replayed;
}

int main(int argc, char *argv[])
{
    int failed = 0, passed = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        int replayed = is_folder ? replay_folder(argv[i]) : replay_file(argv[i]);
        passed += replayed;
        failed += replayed == 0;
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0 || passed == 0;
}
