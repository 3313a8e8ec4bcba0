/*
 * pnnx_rows.h - the models of PNNX of pnnx/ in NNEFC_SHARED, or in ../shared, with their tables
 */
#ifndef NNEFC_TESTS_SUPPORT_PNNX_ROWS_H
#define NNEFC_TESTS_SUPPORT_PNNX_ROWS_H

enum { PNNX_PATH_SIZE = 4096, PNNX_COLUMNS = 14 };

/* Of manifest.tsv. */
enum pnnx_column {
    PNNX_ID,
    PNNX_FOLDER,
    PNNX_OPERATORS = 4,
    PNNX_OPERANDS,
    PNNX_ATTRIBUTES,
    PNNX_BIN, /* "zip", "zip64" or "none" */
    PNNX_INPUTS = 9,
    PNNX_CHECK
};

/* The folder; NULL, once it was said that the test is skipped, if it is not there. */
const char *pnnx_root(void);

/* Shows each row of a table below the folder, but for its head. */
void pnnx_for_rows(const char *name, void (*show)(char *column[PNNX_COLUMNS]));

/* The text of the model of a row. */
void pnnx_path_of(char path[PNNX_PATH_SIZE], char *const *column);

#endif
