/* SPDX-License-Identifier: MIT
 * The size of a tree, by the punctuation of its text. */
#include "base/json.h"

#include <stdint.h>

static const uint64_t TREE_MAX_BYTES = (uint64_t)512 << 20;

/* What jansson and malloc take for each, rounded up; a string's text comes on top. */
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
        unsigned char c = text.data[i];

        if (c == '"') {
            size_t end = string_end(text, i);

            sum += STRING_BYTES + (end - i);
            i = end;
            continue;
        }
        sum += c == ',' ? VALUE_BYTES : c == ':' ? PAIR_BYTES : c == '[' ? ARRAY_BYTES :
               c == '{' ? OBJECT_BYTES : 0;
    }
    return sum;
}

int json_check_size(struct span bytes, struct err *e)
{
    uint64_t tree = tree_bytes(bytes);

    if (tree <= TREE_MAX_BYTES)
        return 0;
    return err_set(e, ERR_INPUT, "JSON that would take %llu MiB of memory, expected at "
                   "most %llu", (unsigned long long)tree >> 20,
                   (unsigned long long)TREE_MAX_BYTES >> 20);
}
