/* message_table.c - the messages of onnx.proto, made of messages.def */
#include "convert/proto/message_priv.h"

#define MEMBER(message, id, member, what)                                             \
    .name = #member, .offset = offsetof(struct onnx_##message, member), .number = id, \
    .kind = FIELD_##what

/* clang-format off */
#define MESSAGE(message, at) static const struct message_field message##_fields[] = {
#define FIELD(message, id, member, what) \
    {MEMBER(message, id, member, what)},
#define CHILD(message, id, member, what, of) \
    {MEMBER(message, id, member, what), .type = &message_##of},
#define CHOICE(message, id, member, what) \
    {MEMBER(message, id, member, what), .alternative = true},
#define CHOICE_OF(message, id, member, what, of) \
    {MEMBER(message, id, member, what), .type = &message_##of, .alternative = true},
#define ASIDE(member)
#define END(message) {.name = NULL}};
/* clang-format on */
#include "convert/proto/messages.def"

#define MESSAGE(type, at)                                              \
    const struct message message_##type = {sizeof(struct onnx_##type), \
                                           offsetof(struct onnx_##type, has), at, type##_fields};
#define FIELD(...)
#define CHILD(...)
#define CHOICE(...)
#define CHOICE_OF(...)
#define ASIDE(member)
#define END(message)
#include "convert/proto/messages.def"
