/* SPDX-License-Identifier: MIT
 * Trees that an arena owns; their size before they are built, by the punctuation of
 * the text. */
#include "base/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t TREE_MAX_BYTES = (uint64_t)512 << 20;

/* What jansson and malloc take for each, rounded up; a string's text is added. */
enum {
    ARRAY_BYTES = 144, OBJECT_BYTES = 288, STRING_BYTES = 80,
    PAIR_BYTES = 96,            /* a colon */
    VALUE_BYTES = 48            /* a comma */
};

/* The quote that ends the string that begins at data[i], or the end. */
static size_t string_end(struct span text, size_t i)
{
    for (i++; i < text.size && text.data[i] != '"'; i++)
        i += text.data[i] == '\\';
    return i;
}

static uint64_t tree_bytes(struct span text)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = text.data[i];

        if (byte == '"') {
            size_t end = string_end(text, i);

            sum += STRING_BYTES + (end - i);
            i = end;
            continue;
        }
        sum += byte == ',' ? VALUE_BYTES :
               byte == ':' ? PAIR_BYTES :
               byte == '[' ? ARRAY_BYTES :
               byte == '{' ? OBJECT_BYTES :
                             0;
    }
    return sum;
}

/*
 * jansson's scanner loses bytes of a token when memory runs out, and then finds a mistake
 * in the text: so there is memory for all of the tree before it begins.
 */
static void probe(struct arena *a, size_t size_bytes)
{
    void *volatile room = malloc(size_bytes);   /* volatile: not to be optimised away */

    if (room == NULL)
        arena_fail(a, size_bytes);
    free(room);
}

static int check_size(struct arena *a, struct span bytes, struct err *e)
{
    uint64_t tree = tree_bytes(bytes);

    if (tree <= TREE_MAX_BYTES) {
        probe(a, (size_t)tree + 2 * bytes.size + 65536);
        return 0;
    }
    return err_set(e, ERR_INPUT, "JSON that would take %llu MiB of memory, expected at "
                   "most %llu", (unsigned long long)tree >> 20,
                   (unsigned long long)TREE_MAX_BYTES >> 20);
}

/* ---- trees ---- */

static void release(void *what)
{
    json_decref(what);
}

json_t *json_hold(struct arena *a, json_t *made)
{
    if (made == NULL)
        arena_fail(a, 0);
    arena_own(a, release, made);
    return made;
}

void json_drop(struct arena *a, const json_t *root)
{
    if (root != NULL)
        arena_release(a, root);
}

json_t *json_read(struct arena *a, struct span bytes, size_t flags, struct err *e)
{
    json_error_t why = { .text = "" };
    json_t *root;

    if (check_size(a, bytes, e) != 0)
        return NULL;
    root = json_loadb(bytes.size > 0 ? (const char *)bytes.data : "", bytes.size, flags,
                      &why);
    if (root != NULL)
        return json_hold(a, root);
    /* Where an allocation fails jansson mostly leaves without a text. */
    if (why.text[0] == '\0' || json_error_code(&why) == json_error_out_of_memory)
        arena_fail(a, bytes.size);
    if (memchr(bytes.data, '\n', bytes.size) == NULL)
        err_set(e, ERR_INPUT, "not JSON: column %d: %s", why.column, why.text);
    else
        err_set(e, ERR_INPUT, "not JSON: line %d, column %d: %s", why.line, why.column,
                why.text);
    return NULL;
}

/* ---- building ---- */

json_t *json_put(struct arena *a, json_t *object, const char *key, json_t *value)
{
    if (value == NULL || json_object_set_new(object, key, value) != 0)
        arena_fail(a, 0);
    return value;
}

json_t *json_add(struct arena *a, json_t *array, json_t *value)
{
    if (value == NULL || json_array_append_new(array, value) != 0)
        arena_fail(a, 0);
    return value;
}
