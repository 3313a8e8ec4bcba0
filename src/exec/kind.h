/* kind.h - what sort of work a step is, for people who look where the time goes */
#ifndef NNEFC_EXEC_KIND_H
#define NNEFC_EXEC_KIND_H

struct step;

/* "conv", "depthwise", "product", "items", "move"; the name of the first operator if it is none of these. */
const char *step_kind(const struct step *step);

#endif
