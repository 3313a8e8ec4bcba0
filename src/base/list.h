/*
 * list.h - singly linked lists whose items carry their own `next`
 *
 * LIST_OF(type) declares `struct type_list {first, last, count}`.  type_append() takes and returns
 * the list by value, in constant time.  It skips NULL, which stands for an item that was reported
 * and dropped.
 */
#ifndef NNEFC_BASE_LIST_H
#define NNEFC_BASE_LIST_H

#define LIST_OF(type)              \
    struct type##_list {           \
        struct type *first, *last; \
        int count;                 \
    }

#define DECLARE_APPEND(type) \
    struct type##_list type##_append(struct type##_list list, struct type *item)

#define DEFINE_APPEND(type)         \
    DECLARE_APPEND(type)            \
    {                               \
        if (!item)                  \
            return list;            \
        if (list.last)              \
            list.last->next = item; \
        else                        \
            list.first = item;      \
        list.last = item;           \
        list.count++;               \
        return list;                \
    }

#endif
