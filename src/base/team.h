/*
 * team.h - threads that loops are shared among
 *
 * A team is whoever calls team_share(), member 0, and threads of its own.  These look for work for
 * some microseconds after they had some and sleep then.  Nobody waits for a member that has not
 * begun: where another program keeps its processor busy, the others do its part.
 */
#ifndef NNEFC_BASE_TEAM_H
#define NNEFC_BASE_TEAM_H

#include <stdint.h>

struct team;

/* Part begin <= i < end of a loop, done by a member. */
typedef void team_part(void *data, int64_t begin, int64_t end, int member);

/* The processors that this process may use; threads of one core count once, where that is known. */
int team_processors(void);

/* How many members a team of `size` has at most: no more than there may be; 0 or less:
 * team_processors(). */
int team_usable(int size);

/*
 * A team of at most team_usable(size) members.  Fewer if the system refuses
 * threads.  NULL, which is a team of one, if there is not enough memory.
 */
struct team *team_new(int size);

void team_free(struct team *team);

int team_size(const struct team *team);

/*
 * Do 0 <= i < count in parts of `grain`, or fewer at the end.  Members begin with equal shares, in
 * the order of their numbers; who is done takes over parts of others.  Returns when all are done.
 * A part must not share in turn, and one team serves one caller at a time.
 */
void team_share(struct team *team, int64_t count, int64_t grain, team_part *part, void *data);

#endif
