/* remark.c - sentences about what passes leave as it is */
#include "pass/remark.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"

const char *pass_because(struct pass *pass, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    const char *reason = arena_strndup(pass->graph->context->arena, text.data, text.size);
    text_free(&text);
    return reason;
}

void pass_unfused(struct pass *pass, const struct node *left, const struct node *with,
                  const char *why)
{
    pass_left(pass, left, "not fused with '%s' of '%s': %s", with->op->name,
              VALUE_TEXT(&with->out[0]), why);
}
