/* diag_move.c - reports that were made aside, in another thread, join those of the model */
#include "diag/diag_move.h"

#include "diag/diag_priv.h"

#include <string.h>

void diag_follow(struct diag *diag, const struct diag *other)
{
    diag->sources = other->sources;
    diag->limit = other->limit;
    diag->pedantic = other->pedantic;
    memcpy(diag->rules, other->rules, sizeof diag->rules);
}

static void move_sentence(struct diag *to, const struct diag_report *head)
{
    if (head->warning != WARNING_NONE && head->file)
        diag_file_warning(to, head->file, head->warning, "%s", head->text);
    else if (head->warning != WARNING_NONE)
        diag_warning(to, head->at, head->warning, "%s", head->text);
    else if (head->file)
        diag_file_error(to, head->file, head->code, "%s", head->text);
    else
        diag_error(to, head->at, head->code, "%s", head->text);
}

static void move_report(struct diag *to, const struct diag_entry *report)
{
    move_sentence(to, &report->head);
    for (const struct note *note = report->notes.first; note; note = note->next)
        if (note->label)
            diag_label(to, note->at, "%s", note->text);
        else
            diag_note(to, note->at, "%s", note->text);
    for (int i = 0; i < report->fix_count; i++)
        diag_fix(to, report->fixes[i].at, report->fixes[i].replacement);
    if (report->help)
        diag_help(to, "%s", report->help);
}

void diag_move(struct diag *to, struct diag *from)
{
    if (from->count == 0 && from->hidden == 0)
        return;
    for (int i = 0; i < from->count; i++)
        move_report(to, &from->report[i]);
    diag_clear(from);
}
