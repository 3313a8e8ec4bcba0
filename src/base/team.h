/*
 * team.h - threads that share the work of loops
 *
 * A team has threads of its own; the thread that calls team_share() is member 0.  After a loop the
 * threads look for the next one for some microseconds, and then sleep.  The caller waits only for
 * members that have begun: if another program keeps the processor of a member busy, the others do
 * its part.
 */
#ifndef NNEFC_BASE_TEAM_H
#define NNEFC_BASE_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct team;

/* Does the part begin <= i < end of a loop, as the member of that number. */
typedef void team_part(void *data, int64_t begin, int64_t end, int member);

/* The number of cores that this process may use; of processors, if the cores are not known. */
int team_processors(void);

/* The number of processors that this process may use, of which a core may have several. */
int team_most(void);

/* The number of members of a team of `size`: within the limit; team_processors() if size <= 0. */
int team_usable(int size);

/*
 * A team of team_usable(size) members, or fewer if the system refuses threads.  NULL if there is
 * not enough memory; NULL is a valid team of one.
 */
struct team *team_new(int size);

/* Returns in a forked child, too, which has the memory but none of the threads. */
void team_free(struct team *team);

/* False in a forked child of the process that made the team: it is good for nothing but to be
 * freed. */
bool team_is_here(const struct team *team);

int team_size(const struct team *team);

/*
 * Do 0 <= i < count in parts of `grain` items; the last one may be smaller.  Members begin with
 * equal shares, in the order of their numbers; a member that is done helps the others.  Returns
 * when all parts are done.  A part must not call team_share() in turn, and a team serves one caller
 * at a time.
 */
void team_share(struct team *team, int64_t count, int64_t grain, team_part *part, void *data);

/* When a member worked, in seconds of clock_seconds(); both are 0 if it did not. */
struct team_span {
    double begin, end;
};

/* Note in `spans`, zeros for each member, when it takes part in loops from now on; NULL: no longer.
 * A loop that the caller does alone is not noted. */
void team_watch(struct team *team, struct team_span *spans);

#endif
