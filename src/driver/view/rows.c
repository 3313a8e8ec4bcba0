/*
 * rows.c - in which row each box lies
 *
 * At first, a box lies just below the lowest box that it reads from.  Then boxes move down where
 * that makes tracks shorter.  Each row takes a row from the track of each result, and adds one to
 * the track of each operand that nothing else reads further down.  tighten.c makes links even
 * shorter.
 */
#include "driver/memory.h"
#include "driver/view/layout_priv.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

/* A value: its readers are edges from `first` to `end`. */
struct track {
    int first, end;
    int lowest, owner; /* the lowest row of a reader, and which; -1: more than one */
    int second;        /* the lowest row of others; -1: there are none */
};

struct row_finder {
    int *row;
    int boxes;
    const struct layout_edge *edge;
    struct track *track;
    int *result;  /* of each box, and one more: its first track */
    int *operand; /* likewise, of the list of tracks that it reads */
    int *read;
    int *others; /* for one box */
};

/* --- tracks ----------------------------------------------------------------------------------- */

/* Note that a reader has moved down to this row. */
static void lower_reader(struct track *track, int reader, int row)
{
    if (track->owner == reader) {
        track->lowest = row;
    } else if (row > track->lowest) {
        track->second = track->lowest;
        track->lowest = row;
        track->owner = reader;
    } else if (row > track->second) {
        track->second = row;
    }
}

static struct track track_of(const struct row_finder *rows, int first, int end)
{
    struct track track = {first, end, -1, -1, -1};

    for (int i = first; i < end; i++)
        lower_reader(&track, rows->edge[i].to, rows->row[rows->edge[i].to]);
    return track;
}

static void find_tracks(struct row_finder *rows, int edges)
{
    int tracks = 0, *next = zeroed_items((size_t)rows->boxes + 1, sizeof *next);

    for (int i = 0; i < edges; i++)
        rows->operand[rows->edge[i].to + 1]++;
    for (int i = 0; i < rows->boxes; i++)
        rows->operand[i + 1] += rows->operand[i];
    for (int first = 0, end; first < edges; first = end) {
        const struct layout_edge *edge = &rows->edge[first];
        for (end = first; end < edges && rows->edge[end].from == edge->from &&
                          rows->edge[end].value == edge->value;
             end++) {
            int to = rows->edge[end].to;
            rows->read[rows->operand[to] + next[to]++] = tracks;
        }
        rows->result[edge->from + 1]++;
        rows->track[tracks++] = track_of(rows, first, end);
    }
    for (int i = 0; i < rows->boxes; i++)
        rows->result[i + 1] += rows->result[i];
    free(next);
}

/* --- moves ------------------------------------------------------------------------------------ */

static int compare_integers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The lowest row down to which a move makes tracks shorter: fewer operands than the box has results
 * get a longer track.  INT_MAX: it has fewer operands than results. */
static int shared_row(struct row_finder *rows, int box)
{
    int count = 0, results = rows->result[box + 1] - rows->result[box];

    for (int i = rows->operand[box]; i < rows->operand[box + 1]; i++) {
        const struct track *track = &rows->track[rows->read[i]];
        rows->others[count++] = track->owner == box ? track->second : track->lowest;
    }
    if (results > count)
        return INT_MAX;
    qsort(rows->others, (size_t)count, sizeof *rows->others, compare_integers);
    return rows->others[results - 1];
}

/* Move a box down where tracks get shorter by that. */
static void sink(struct row_finder *rows, int box)
{
    int results = rows->result[box + 1] - rows->result[box], most = INT_MAX;

    for (int i = rows->result[box]; i < rows->result[box + 1]; i++)
        for (int k = rows->track[i].first; k < rows->track[i].end; k++)
            if (rows->row[rows->edge[k].to] - 1 < most)
                most = rows->row[rows->edge[k].to] - 1;
    int row = results ? shared_row(rows, box) : -1;
    row = row < most ? row : most;
    if (results == 0 || row <= rows->row[box])
        return;
    rows->row[box] = row;
    for (int i = rows->operand[box]; i < rows->operand[box + 1]; i++)
        lower_reader(&rows->track[rows->read[i]], box, row);
}

/* Leave out rows without boxes: all boxes of a row may have moved. */
static int close_rows(int *row, int boxes)
{
    int *number = zeroed_items((size_t)boxes + 1, sizeof *number), rows = 0;

    for (int i = 0; i < boxes; i++)
        number[row[i]] = 1;
    for (int i = 0; i < boxes; i++)
        number[i] = number[i] ? rows++ : 0;
    for (int i = 0; i < boxes; i++)
        row[i] = number[row[i]];
    free(number);
    return rows;
}

int layout_rows(int *row, int boxes, const struct layout_edge *edge, int edges, bool tight)
{
    size_t room = (size_t)(boxes > edges ? boxes : edges) + 2;
    struct row_finder rows = {.row = row,
                              .boxes = boxes,
                              .edge = edge,
                              .track = zeroed_items(room, sizeof *rows.track),
                              .result = zeroed_items(room, sizeof *rows.result),
                              .operand = zeroed_items(room, sizeof *rows.operand),
                              .read = zeroed_items(room, sizeof *rows.read),
                              .others = zeroed_items(room, sizeof *rows.others)};

    for (int i = 0; i < edges; i++) {
        assert(edge[i].from < edge[i].to && edge[i].to < boxes);
        if (row[edge[i].from] + 1 > row[edge[i].to])
            row[edge[i].to] = row[edge[i].from] + 1;
    }
    find_tracks(&rows, edges);
    for (int i = boxes - 1; i >= 0; i--)
        sink(&rows, i);
    free(rows.track);
    free(rows.result);
    free(rows.operand);
    free(rows.read);
    free(rows.others);
    if (tight)
        layout_tighten(row, boxes, edge, edges);
    return close_rows(row, boxes);
}
