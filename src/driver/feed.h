/* feed.h - the options that say what models compute with */
#ifndef NNEFC_DRIVER_FEED_H
#define NNEFC_DRIVER_FEED_H

#include "driver/verb.h"

extern const struct option bench_options[];
extern const struct option feed_options[]; /* ends with {0} */
extern const struct option backend_options[], profile_options[];

/* Make data for a parameter that has none, if that is asked for: --random or --fill. */
enum nnefc_status feed_made(const struct settings *settings, struct nnefc_run *run, int index);

/* --quant=off|apply, --random[=SEED], --threads=N */
bool set_quant(struct settings *settings, char *value);
bool set_random(struct settings *settings, char *value);
bool set_threads(struct settings *settings, char *value);

/* --data=DIR, where there is one model */
bool set_data(struct settings *settings, char *value);

#endif
