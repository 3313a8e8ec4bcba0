/* verbs.h - the commands, each of which stands in the file of its name, with its settings */
#ifndef NNEFC_DRIVER_VERBS_H
#define NNEFC_DRIVER_VERBS_H

#include "driver/command.h"

extern const struct verb check_verb, info_verb, list_verb, verify_verb, run_verb, bench_verb,
    init_verb, pack_verb, convert_verb, compile_verb, compare_verb, explain_verb, broadcast_verb,
    list_ops_verb;

#endif
