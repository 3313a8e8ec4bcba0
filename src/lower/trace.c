/* trace.c - notes what the text decides by; see trace.h */
#include "lower/trace.h"

#include "base/arena.h"
#include "base/hash.h"
#include "lower/lower_priv.h"

#include <assert.h>
#include <string.h>

/* --- digests ------------------------------------------------------------------------------- */

/* Shared items make lists far longer than the text that made them. */
struct digest {
    uint64_t value;
    int room; /* data that may be looked at yet */
};

static void digest_bytes(struct digest *digest, const void *data, size_t size)
{
    digest->value = hash_bytes(digest->value, data, size);
}

/* Equal data give equal digests; long arrays are looked at up to a bound. */
static void digest_datum(struct digest *digest, const struct datum *datum)
{
    digest_bytes(digest, &datum->kind, sizeof datum->kind);
    switch (datum->kind) {
    case DATUM_NONE:
        return;
    case DATUM_INTEGER:
        digest_bytes(digest, &datum->integer, sizeof datum->integer);
        return;
    case DATUM_SCALAR:
        digest_bytes(digest, &datum->scalar, sizeof datum->scalar);
        return;
    case DATUM_LOGICAL:
        digest_bytes(digest, &datum->logical, sizeof datum->logical);
        return;
    case DATUM_STRING:
        digest_bytes(digest, datum->string, strlen(datum->string));
        return;
    case DATUM_TENSOR:
        digest_bytes(digest, &datum->tensor->id, sizeof datum->tensor->id);
        return;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        digest_bytes(digest, &datum->count, sizeof datum->count);
        for (int i = 0; i < datum->count && digest->room-- > 0; i++)
            digest_datum(digest, &datum->items[i]);
        return;
    }
}

/* --- the trace ------------------------------------------------------------------------------ */

void trace_choice(struct call_frame *frame, struct span span, const struct datum *operand,
                  int count)
{
    struct lower_trace *trace = frame->lowering->options->trace;
    struct digest digest = {.room = 1 << 16};

    assert(count > 0);
    if (!trace)
        return;
    for (int i = 0; i < count; i++)
        digest_datum(&digest, &operand[i]);
    trace->choice = arena_list(trace->arena, trace->choice, trace->count, sizeof *trace->choice);
    trace->choice[trace->count++] =
        (struct lower_choice){span, frame_site(frame), digest.value, digest.room >= 0};
}

const struct lower_choice *lower_trace_difference(const struct lower_trace *a,
                                                  const struct lower_trace *b)
{
    const struct lower_trace *longer = a->count > b->count ? a : b;

    for (int i = 0; i < a->count && i < b->count; i++)
        if (!a->choice[i].whole || a->choice[i].operands != b->choice[i].operands)
            return &a->choice[i];
    return a->count == b->count ? NULL : &longer->choice[longer->count - 1];
}
