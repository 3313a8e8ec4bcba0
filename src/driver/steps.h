/* steps.h - where the time of a run goes: step by step of its plan, and by kind of step */
#ifndef NNEFC_DRIVER_STEPS_H
#define NNEFC_DRIVER_STEPS_H

#include "driver/record.h"

/* Columns of a step or kind, and the layout of what steps_add() adds: a table of each. */
#define SPENT_LAYOUT                \
    "{minMs:10.4f}  {share:5.1%}  " \
    "{gflops?{gflops:8.1f}  {ofPeak:6.1%}{fewerOperations? *}}{gflops!       -        -}\n"
#define STEPS_LAYOUT                                                                             \
    "{@step\toperations\tbackend\tkernel\tlayout\t        ms   share   GFLOP/s  of peak\n"       \
    "{steps*{name?{name}}{name!-}\t{operations?{operations}}{operations!-}\t"                    \
    "{backend}\t{kernel}\t{layout}\t" SPENT_LAYOUT "}}\n"                                        \
    "{@kind\tsteps          ms   share   GFLOP/s  of peak\n"                                     \
    "{kinds*{kind}\t{steps:5d}  " SPENT_LAYOUT "}{.all*{kind}\t{steps:5d}  " SPENT_LAYOUT "}}\n" \
    "peak: {peakGflops:.1f} GFLOP/s, by as many threads that multiply and add in registers "     \
    "({kernels})\n{.all*{fewerOperations?"                                                       \
    "*: Winograd's or Strassen's algorithm takes fewer operations than the direct form, which "  \
    "is counted\n}}"

/*
 * Add what was measured: "kernels", "peakGflops", "steps" in their order, and "kinds" of them, what
 * took longest first.  Speeds are compared with what the machine reaches at most, which is measured
 * now.  False if memory ran out.
 */
bool steps_add(struct record *to, int threads, struct nnefc_run *run);

#endif
