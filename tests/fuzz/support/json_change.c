/* SPDX-License-Identifier: MIT
 * One value of a tree is picked; then something is done to it. */
#include "support/json_change.h"

#include <string.h>

/* A place that holds a value: a key of an object, or an element of an array. */
struct spot {
    json_t *in;
    const char *key;            /* NULL: of an array */
    size_t index;
};

/* Each spot that is seen takes the former's place with a chance of 1 in those seen. */
struct pick {
    struct dice *dice;
    size_t seen;
    struct spot spot;
};

static void visit(struct pick *p, json_t *in, int depth);

static void see(struct pick *p, json_t *in, const char *key, size_t index, json_t *value,
                int depth)
{
    if (dice_roll(p->dice, ++p->seen) == 0)
        p->spot = (struct spot){ in, key, index };
    if (depth < 16)
        visit(p, value, depth + 1);
}

static void visit(struct pick *p, json_t *in, int depth)
{
    const char *key;
    json_t *value;
    size_t i;

    json_object_foreach(in, key, value)
        see(p, in, key, 0, value, depth);
    json_array_foreach(in, i, value)
        see(p, in, NULL, i, value, depth);
}

static json_t *any_value(struct dice *d)
{
    switch (dice_roll(d, 8)) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_false();
    case 3: return json_string("gelu");
    case 4: return json_real((double)dice_roll(d, 100) / 16);
    case 5: return json_pack("[i, i]", (int)dice_roll(d, 5), (int)dice_roll(d, 5));
    case 6: return json_object();
    default: return json_integer(dice_number(d, 2));
    }
}

static json_t *other_text(const char *text, struct dice *d)
{
    uint8_t bytes[256] = { 0 };
    size_t size = strnlen(text, sizeof bytes / 2), n;
    json_t *s;

    memcpy(bytes, text, size);
    n = LLVMFuzzerMutate(bytes, size, sizeof bytes - 1);
    s = json_stringn((const char *)bytes, n);
    return s != NULL ? s : any_value(d);        /* it may not be UTF-8 */
}

static json_t *changed(const json_t *value, struct dice *d)
{
    if (dice_roll(d, 8) == 0)
        return any_value(d);
    if (json_is_integer(value))
        return json_integer(dice_number(d, json_integer_value(value)));
    if (json_is_real(value))
        return json_real(json_real_value(value) * (double)(int)(dice_roll(d, 9)) / 2 - 1);
    if (json_is_boolean(value))
        return json_boolean(!json_is_true(value));
    if (json_is_string(value))
        return other_text(json_string_value(value), d);
    return any_value(d);
}

static void put(const struct spot *at, json_t *value)
{
    if (at->key != NULL)
        json_object_set_new(at->in, at->key, value);
    else
        json_array_set_new(at->in, at->index, value);
}

/* An element again; a key's value under another name of the object. */
static void repeat(const struct spot *at, json_t *value, struct dice *d)
{
    size_t to = dice_roll(d, json_object_size(at->in) + 1);
    void *iter;

    if (at->key == NULL) {
        json_array_append_new(at->in, json_deep_copy(value));
        return;
    }
    for (iter = json_object_iter(at->in); to > 1; to--)
        iter = json_object_iter_next(at->in, iter);
    json_object_iter_set_new(at->in, iter, json_deep_copy(value));
}

void json_change(json_t *object, struct dice *d)
{
    struct pick p = { .dice = d };
    json_t *value;

    visit(&p, object, 0);
    if (p.seen == 0)
        return;
    value = p.spot.key != NULL ? json_object_get(p.spot.in, p.spot.key) :
                                 json_array_get(p.spot.in, p.spot.index);
    switch (dice_roll(d, 8)) {
    case 0:
        if (p.spot.key != NULL)
            json_object_del(p.spot.in, p.spot.key);
        else
            json_array_remove(p.spot.in, p.spot.index);
        return;
    case 1: repeat(&p.spot, value, d); return;
    default: put(&p.spot, changed(value, d));
    }
}
