/* share.c - loops of kernels that threads share */
#include "op/share.h"

#include "base/team.h"
#include "op/compute.h"

/* Items that take about ten microseconds: as long as it takes to wake a thread. */
enum { PART_WORK = 16384 };

struct loop {
    share_each *each;
    const void *data;
};

static void do_part(void *data, int64_t begin, int64_t end, int member)
{
    const struct loop *loop = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        loop->each(loop->data, i);
}

void eval_share_part(const struct eval *eval, int64_t count, int64_t work, share_each *each,
                     const void *data)
{
    struct loop loop = {each, data};

    team_share(eval->team, count, PART_WORK / (work > 0 ? work : 1), do_part, &loop);
}

void eval_share(const struct eval *eval, int64_t count, share_each *each, const void *data)
{
    int64_t work = eval->team && count > 0 ? node_work(eval->node) / count : 0;

    eval_share_part(eval, count, work, each, data);
}
