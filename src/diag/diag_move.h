/*
 * diag_move.h - reports of a thread that has a list of its own
 *
 * One list is for one thread at a time.  Where several compute, each reports to a list aside, which
 * follows that of the model and is moved there by one of them at a time.
 */
#ifndef NNEFC_DIAG_DIAG_MOVE_H
#define NNEFC_DIAG_DIAG_MOVE_H

struct diag;

/* Let a list have the texts, the limit and the rules of another. */
void diag_follow(struct diag *diag, const struct diag *other);

/* Put all reports behind those of another list, by whose rules they are; none is left. */
void diag_move(struct diag *to, struct diag *from);

#endif
