/* pnnx_rows.c - see pnnx_rows.h */
#include "support/pnnx_rows.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/t.h"

enum { LINE_SIZE = 4096 };

const char *pnnx_root(void)
{
    static char path[SHARED_PATH_SIZE];

    return shared_path(path, "pnnx") ? path : NULL;
}

/* The columns of a line, which is cut up. */
static void split(char *line, char *column[PNNX_COLUMNS])
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < PNNX_COLUMNS; i++) {
        size_t size = strcspn(line, "\t");
        column[i] = line;
        line += size;
        if (*line)
            *line++ = '\0';
    }
}

void pnnx_for_rows(const char *name, void (*show)(char *column[PNNX_COLUMNS]))
{
    char path[PNNX_PATH_SIZE], line[LINE_SIZE], *column[PNNX_COLUMNS];
    int rows = 0;

    snprintf(path, sizeof path, "%s/%s", pnnx_root(), name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); rows++) {
        if (rows == 0)
            continue;
        split(line, column);
        show(column);
    }
    fclose(file);
    assert_true(rows > 1);
}

void pnnx_path_of(char path[PNNX_PATH_SIZE], char *const *column)
{
    char pattern[PNNX_PATH_SIZE];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/%s/%s/*.param", pnnx_root(), column[PNNX_FOLDER],
             column[PNNX_ID]);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(path, PNNX_PATH_SIZE, "%s", found.gl_pathv[0]);
    globfree(&found);
}
