/*
 * shared.h - tensors that the graphs of one model have in common, made once
 *
 * A tensor goes by a key that says what it was made of and how: a recipe, its attributes, and the
 * tensors that it read.  Keys are compared in full.  A tensor that is read is in a key by its items
 * if they are few, else by the place of its items if that is a shared tensor; of others nothing is
 * shared.
 *
 * A user, which is one graph with its plan or the model for its initializers, holds what it has
 * found or put there until it leaves.  What no user holds is freed.  All this happens under the
 * lock of the model.
 */
#ifndef NNEFC_TENSOR_SHARED_H
#define NNEFC_TENSOR_SHARED_H

#include "base/text.h"
#include "tensor/tensor.h"

struct context;
struct pool;
struct shared;
struct shared_user;

struct shared_counts {
    int64_t made, found; /* tensors */
    int64_t bytes;       /* of those that were made, but for views */
};

/* Memory is accounted for in the context, which outlives it. */
struct shared *shared_new(struct context *context);

/* NULL is allowed; all users have left. */
void shared_free(struct shared *shared);
struct shared_counts shared_count(const struct shared *shared);

struct shared_user *shared_join(struct shared *shared);

/* Takes back what the user holds; NULL is allowed. */
void shared_leave(struct shared_user *user);

/* Has the user put tensors there, and not only found them?  NULL makes all of its tensors. */
bool shared_has_made(const struct shared_user *user);

/* Memory for tensors that are going to be shared. */
struct pool *shared_pool(const struct shared_user *user);

/* A key in the making.  Without a user, NULL, or with a tensor that no key can have, it is none. */
struct shared_key {
    struct shared_user *user;
    struct text bytes;
};

/* Ends with shared_key_free(). */
struct shared_key shared_key(struct shared_user *user, const char *recipe);
void shared_key_free(struct shared_key *key);

void shared_key_add(struct shared_key *key, const void *bytes, size_t size);
void shared_key_number(struct shared_key *key, int64_t number);
void shared_key_tensor(struct shared_key *key, const struct tensor *tensor);

/* The tensor of that key, which the user holds from then on; NULL: nobody has made it, or the key
 * is none. */
struct tensor *shared_find(const struct shared_key *key);

/* Let the user hold a tensor that another one holds; false if it is not shared. */
bool shared_hold(struct shared_user *user, const struct tensor *tensor);

/* Move *tensor, which nobody has made before, to those that are shared.  NULL, with *tensor left to
 * the caller: the key is none. */
struct tensor *shared_put(const struct shared_key *key, const struct tensor *tensor);

#endif
