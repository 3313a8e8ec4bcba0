/* shared.c - see shared.h */
#include "tensor/shared.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "diag/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 256 /* bytes of items that are part of a key */, BUCKETS_FIRST = 64 };

struct entry {
    struct tensor tensor;
    int users;
    const struct shared_user *last; /* to take it */
    struct entry *next_place;       /* of the same bucket, by the place of the items */
    struct entry *next;             /* of the same bucket, by the key */
    uint64_t hash;                  /* of the key */
    size_t size;
    char key[];
};

struct bucket {
    struct entry *by_key, *by_place;
};

struct shared {
    struct context *context;
    struct pool *pool;
    struct bucket *bucket;
    size_t buckets, count; /* a power of two; entries */
    struct shared_counts counts;
    struct text spare; /* room for the next key */
};

struct shared_user {
    struct shared *shared;
    struct entry **held;
    int count;
    bool made; /* any of them */
};

struct shared *shared_new(struct context *context)
{
    struct shared *shared = heap_array(1, sizeof *shared);

    shared->context = context;
    shared->pool = pool_new();
    shared->buckets = BUCKETS_FIRST;
    shared->bucket = heap_array(shared->buckets, sizeof *shared->bucket);
    if (!shared->pool)
        arena_out_of_memory();
    return shared;
}

struct shared_counts shared_count(const struct shared *shared)
{
    return shared ? shared->counts : (struct shared_counts){0};
}

/* --- entries -------------------------------------------------------------------------------- */

static struct bucket *bucket_of(const struct shared *shared, uint64_t hash)
{
    return &shared->bucket[(hash >> 32) & (shared->buckets - 1)];
}

static uint64_t hash_of_place(const void *items)
{
    return hash_mix(0, (uint64_t)(uintptr_t)items);
}

static void link_entry(struct shared *shared, struct entry *entry)
{
    struct bucket *by_key = bucket_of(shared, entry->hash);
    struct bucket *by_place = bucket_of(shared, hash_of_place(tensor_place(&entry->tensor)));

    entry->next = by_key->by_key;
    by_key->by_key = entry;
    entry->next_place = by_place->by_place;
    by_place->by_place = entry;
}

static void unlink_entry(const struct shared *shared, const struct entry *entry)
{
    struct entry **at = &bucket_of(shared, entry->hash)->by_key;

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    at = &bucket_of(shared, hash_of_place(tensor_place(&entry->tensor)))->by_place;
    while (*at != entry)
        at = &(*at)->next_place;
    *at = entry->next_place;
}

/* Twice as many buckets. */
static void grow(struct shared *shared)
{
    struct bucket *old = shared->bucket;
    size_t count = shared->buckets;

    shared->bucket = heap_array(2 * count, sizeof *shared->bucket);
    shared->buckets = 2 * count;
    for (size_t i = 0; i < count; i++)
        for (struct entry *e = old[i].by_key, *next; e; e = next) {
            next = e->next;
            link_entry(shared, e);
        }
    free(old);
}

static void free_entry(struct shared *shared, struct entry *entry)
{
    assert(entry->users == 0);
    unlink_entry(shared, entry);
    shared->count--;
    context_account(shared->context, -tensor_memory(&entry->tensor));
    tensor_clear(&entry->tensor);
    free(entry);
}

/* --- users ---------------------------------------------------------------------------------- */

struct shared_user *shared_join(struct shared *shared)
{
    struct shared_user *user = heap_array(1, sizeof *user);

    user->shared = shared;
    return user;
}

static struct tensor *hold(struct shared_user *user, struct entry *entry)
{
    if (entry->last != user) {
        /* Another user may have taken it in between, which makes a second hold: no harm. */
        user->held = heap_list((void *)user->held, user->count, sizeof *user->held);
        user->held[user->count++] = entry;
        entry->users++;
        entry->last = user;
    }
    return &entry->tensor;
}

/* A tensor was made of others that this user or the model holds, so that these go last or
 * together. */
void shared_leave(struct shared_user *user)
{
    if (!user)
        return;
    for (int i = 0; i < user->count; i++) {
        struct entry *entry = user->held[i];
        if (entry->last == user)
            entry->last = NULL; /* another user may get this address */
        if (--entry->users == 0)
            free_entry(user->shared, entry);
    }
    free((void *)user->held);
    free(user);
}

bool shared_has_made(const struct shared_user *user)
{
    return !user || user->made;
}

struct pool *shared_pool(const struct shared_user *user)
{
    return user->shared->pool;
}

/* Of a model that ran out of memory, users may not have left. */
void shared_free(struct shared *shared)
{
    if (!shared)
        return;
    for (size_t i = 0; i < shared->buckets; i++)
        for (struct entry *e = shared->bucket[i].by_key, *next; e; e = next) {
            next = e->next;
            e->users = 0;
            free_entry(shared, e);
        }
    pool_free(shared->pool);
    text_free(&shared->spare);
    free(shared->bucket);
    free(shared);
}

/* --- keys ----------------------------------------------------------------------------------- */

struct shared_key shared_key(struct shared_user *user, const char *recipe)
{
    struct shared_key key = {.user = user};

    if (user) {
        key.bytes = user->shared->spare;
        user->shared->spare = (struct text){0};
        key.bytes.size = 0;
    }
    shared_key_add(&key, recipe, strlen(recipe) + 1);
    return key;
}

void shared_key_free(struct shared_key *key)
{
    struct text *spare = key->user ? &key->user->shared->spare : NULL;

    if (!spare || spare->data) {
        text_free(&key->bytes);
        return;
    }
    *spare = key->bytes;
    key->bytes = (struct text){0};
}

void shared_key_add(struct shared_key *key, const void *bytes, size_t size)
{
    if (key->user)
        text_add_bytes(&key->bytes, bytes, size);
}

void shared_key_number(struct shared_key *key, int64_t number)
{
    shared_key_add(key, &number, sizeof number);
}

static bool is_shared(const struct shared *shared, const void *items)
{
    const struct entry *entry = bucket_of(shared, hash_of_place(items))->by_place;

    while (entry && tensor_place(&entry->tensor) != items)
        entry = entry->next_place;
    return entry;
}

void shared_key_tensor(struct shared_key *key, const struct tensor *tensor)
{
    size_t size = tensor_bytes(tensor);

    if (!key->user)
        return;
    shared_key_number(key, tensor->dtype);
    if (tensor->bytes)
        shared_key_number(key, tensor->bytes_are_signed + 2 * tensor->are_nibbles);
    shared_key_number(key, tensor->shape.rank);
    shared_key_add(key, tensor->shape.extent,
                   (size_t)tensor->shape.rank * sizeof *tensor->shape.extent);
    if (size <= FEW && !tensor->bytes)
        shared_key_add(key, tensor->data, size);
    else if (is_shared(key->user->shared, tensor_place(tensor)))
        shared_key_number(key, (int64_t)(uintptr_t)tensor_place(tensor));
    else
        key->user = NULL;
}

struct tensor *shared_find(const struct shared_key *key)
{
    if (!key->user)
        return NULL;
    struct shared *shared = key->user->shared;
    uint64_t hash = hash_bytes(0, key->bytes.data, key->bytes.size);
    struct entry *entry = bucket_of(shared, hash)->by_key;

    while (entry && !(entry->hash == hash && entry->size == key->bytes.size &&
                      memcmp(entry->key, key->bytes.data, key->bytes.size) == 0))
        entry = entry->next;
    if (!entry)
        return NULL;
    shared->counts.found++;
    return hold(key->user, entry);
}

bool shared_hold(struct shared_user *user, const struct tensor *tensor)
{
    struct entry *entry = bucket_of(user->shared, hash_of_place(tensor_place(tensor)))->by_place;

    while (entry && &entry->tensor != tensor)
        entry = entry->next_place;
    return entry && hold(user, entry);
}

struct tensor *shared_put(const struct shared_key *key, const struct tensor *tensor)
{
    if (!key->user)
        return NULL;
    struct shared *shared = key->user->shared;
    struct entry *entry = heap_array(1, sizeof *entry + key->bytes.size);

    entry->size = key->bytes.size;
    memcpy(entry->key, key->bytes.data, key->bytes.size);
    entry->hash = hash_bytes(0, key->bytes.data, key->bytes.size);
    entry->tensor = *tensor;
    if (shared->count == shared->buckets)
        grow(shared);
    link_entry(shared, entry);
    shared->count++;
    shared->counts.made++;
    key->user->made = true;
    shared->counts.bytes += tensor_memory(tensor);
    context_account(shared->context, tensor_memory(tensor));
    return hold(key->user, entry);
}
