/* special_key.c - what a graph of an open model goes by, as bytes that are compared */
#include "api/special_key.h"

#include "api/open.h"
#include "base/text.h"
#include "ir/graph.h"

bool input_is_open(const struct nnefc_model *model, int index)
{
    const struct port *port = &model->open.interface->inputs[index];

    return deciding_has(&model->open.deciding, port->name) || !shape_known(port->value->shape);
}

bool input_decides(const struct nnefc_run *run, int index)
{
    const struct nnefc_model *model = run->model;
    const struct tensor *fed = run_input(run->run, index);

    return deciding_has(&model->open.deciding, model->open.interface->inputs[index].name) &&
           onnx_may_decide(fed->dtype, &fed->shape);
}

static void add_number(struct text *key, int64_t number)
{
    text_add_bytes(key, (const char *)&number, sizeof number);
}

struct settings settings_of(const struct nnefc_run *run)
{
    return (struct settings){
        {(int64_t)(uintptr_t)run->backend, run->threads, run->exact, run->nkept}};
}

static void add_settings(struct text *key, const struct nnefc_run *run)
{
    const struct settings settings = settings_of(run);

    text_add_bytes(key, (const char *)&settings, sizeof settings);
    for (int i = 0; i < run->nkept; i++)
        add_number(key, (int64_t)(uintptr_t)run->kept[i]);
}

void key_of_inputs(struct text *key, const struct nnefc_run *run)
{
    const struct nnefc_model *model = run->model;

    key->size = 0;
    add_settings(key, run);
    add_number(key, 0); /* no part */
    for (int i = 0; i < model->open.interface->ninput; i++) {
        if (!input_is_open(model, i))
            continue;
        const struct tensor *fed = run_input(run->run, i);
        add_number(key, input_decides(run, i));
        add_number(key, fed->shape.rank);
        for (int k = 0; k < fed->shape.rank; k++)
            add_number(key, fed->shape.extent[k]);
        if (input_decides(run, i))
            text_add_bytes(key, fed->data, tensor_bytes(fed));
    }
}

bool slot_decides(const struct part_info *info, const struct onnx_slot *slot)
{
    return info->single || (deciding_has(info->deciding, slot->name) &&
                            onnx_may_decide(slot->known->dtype, &slot->shape));
}

/* One tensor of a slot. */
static void add_slot(struct text *key, const struct onnx_slot *slot, bool items)
{
    const struct shape *shape = &slot->shape;
    int64_t numbers[3 + MAX_RANK] = {slot->type, items, shape->rank};

    for (int k = 0; k < shape->rank; k++)
        numbers[3 + k] = shape->extent[k];
    text_add_bytes(key, (const char *)numbers, (3 + (size_t)shape->rank) * sizeof *numbers);
    if (items)
        text_add_bytes(key, slot->known->data, tensor_bytes(slot->known));
}

void key_of_slots(struct text *key, const struct nnefc_run *run, const struct part_info *info,
                  const struct onnx_slot *slots, int count)
{
    key->size = 0;
    add_settings(key, run);
    add_number(key, (int64_t)(uintptr_t)info);
    for (int i = 0; i < count; i++) {
        const struct onnx_slot *slot = &slots[i];
        if (!slot->list) {
            add_slot(key, slot, slot_decides(info, slot));
            continue;
        }
        add_number(key, -1 - slot->count); /* types are not negative */
        for (int k = 0; k < slot->count; k++)
            add_slot(key, &slot->list[k], slot_decides(info, &slot->list[k]));
    }
}
