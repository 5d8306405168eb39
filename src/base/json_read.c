/* SPDX-License-Identifier: MIT
 * JSON text -> a tree.  jansson's own reader is not used: where an allocation fails it loses
 * bytes of a token, and then finds a mistake in the text, or ends the process.  Here each
 * value is put into the tree before its members are read, so that the arena owns them all. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_scan.h"

static const uint64_t TREE_MAX_BYTES = (uint64_t)512 << 20;

/* What jansson and malloc take for each, rounded up; a string's text is added. */
enum {
    ARRAY_BYTES = 144, OBJECT_BYTES = 288, STRING_BYTES = 80,
    PAIR_BYTES = 96,            /* a colon */
    VALUE_BYTES = 48            /* a comma */
};

enum { MAX_DEPTH = 2048 };

struct reading {
    struct json_scan scan;
    struct arena *a;
    size_t flags;
    char *key, *text;           /* of the string at hand; each has room for the longest */
    json_t *root;               /* NULL: nothing was read yet */
    int depth;
};

/* ---- its size, by its punctuation ---- */

/* The quote that ends the string that begins at data[i], or the end. */
static size_t string_end(struct span text, size_t i)
{
    for (i++; i < text.size && text.data[i] != '"'; i++)
        i += text.data[i] == '\\';
    return i < text.size ? i : text.size;
}

/* Bytes that the tree takes; *longest: bytes of the longest string. */
static uint64_t tree_bytes(struct span text, size_t *longest)
{
    uint64_t sum = 0;

    *longest = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = text.data[i];

        if (byte == '"') {
            size_t end = string_end(text, i);

            sum += STRING_BYTES + (end - i);
            *longest = end - i > *longest ? end - i : *longest;
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

static int json_read_check_size(struct span text, size_t *longest, struct err *e)
{
    uint64_t tree = tree_bytes(text, longest);

    if (tree <= TREE_MAX_BYTES)
        return 0;
    return err_set(e, ERR_INPUT, "JSON that would take %llu MiB of memory, expected at "
                   "most %llu", (unsigned long long)tree >> 20,
                   (unsigned long long)TREE_MAX_BYTES >> 20);
}

/* ---- values without members ---- */

/* Into the array, under the key into the object, or as the root (into NULL). */
static json_t *json_read_put(struct reading *reading, json_t *into, json_t *value)
{
    if (into == NULL)
        return reading->root = json_hold(reading->a, value);
    return json_is_object(into) ? json_put(reading->a, into, reading->key, value) :
                                  json_add(reading->a, into, value);
}

static int read_key(struct reading *reading, const json_t *object, struct err *e)
{
    size_t size;

    if (json_scan_string(&reading->scan, reading->key, &size, e) != 0)
        return -1;
    if (memchr(reading->key, '\0', size) != NULL)
        return err_set(e, ERR_INPUT, "NUL in the key of an object");
    if ((reading->flags & JSON_REJECT_DUPLICATES) && json_object_get(object, reading->key) != NULL)
        return err_set(e, ERR_INPUT, "the key \"%.60s\" appears twice", reading->key);
    return json_scan_expect(&reading->scan, ':', e);
}

static int read_string(struct reading *reading, json_t *into, struct err *e)
{
    size_t size;

    if (json_scan_string(&reading->scan, reading->text, &size, e) != 0)
        return -1;
    if (!(reading->flags & JSON_ALLOW_NUL) && memchr(reading->text, '\0', size) != NULL)
        return err_set(e, ERR_INPUT, "NUL in a string");
    json_read_put(reading, into, json_stringn_nocheck(reading->text, size));
    return 0;
}

/* The whole number "-17" of text[n]; false: it takes more than 64 bits. */
static bool json_read_whole(const unsigned char *text, size_t n, json_int_t *out)
{
    int sign = text[0] == '-' ? -1 : 1;

    *out = 0;
    for (size_t i = sign < 0; i < n; i++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, sign * (text[i] - '0'), out))
            return false;
    return true;
}

static int json_read_number(struct reading *reading, json_t *into, struct err *e)
{
    struct json_scan *scan = &reading->scan;
    const unsigned char *first = scan->at;
    bool digit = first < scan->end && (*first == '-' || (*first >= '0' && *first <= '9'));
    bool real = false;
    json_int_t integer;
    double value;

    if (!digit)
        return json_scan_unexpected(scan, "a value", e);
    if (!json_scan_real(scan, &value)) {
        scan->at = first;
        return json_scan_unexpected(scan, "a number of JSON that a double holds", e);
    }
    for (const unsigned char *at = first; at < scan->at; at++)
        real = real || *at == '.' || *at == 'e' || *at == 'E';
    if (!real && !json_read_whole(first, (size_t)(scan->at - first), &integer)) {
        scan->at = first;
        return json_scan_unexpected(scan, "a whole number within 64 bits", e);
    }
    json_read_put(reading, into, real ? json_real(value) : json_integer(integer));
    return 0;
}

/* true, false or null; any other word is left where it is. */
static json_t *json_read_word(struct json_scan *scan)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t left = (size_t)(scan->end - scan->at);

    for (int i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);

        if (size > left || memcmp(scan->at, words[i], size) != 0)
            continue;
        scan->at += size;
        return i == 0 ? json_true() : i == 1 ? json_false() : json_null();
    }
    return NULL;
}

/* ---- values with members ---- */

static int read_value(struct reading *reading, json_t *into, struct err *e);

static int read_members(struct reading *reading, json_t *into, char closing, struct err *e)
{
    if (json_scan_take(&reading->scan, closing))
        return 0;
    do {
        if ((closing == '}' && read_key(reading, into, e) != 0) ||
            read_value(reading, into, e) != 0)
            return -1;
    } while (json_scan_take(&reading->scan, ','));
    if (json_scan_take(&reading->scan, closing))
        return 0;
    return json_scan_unexpected(&reading->scan, closing == '}' ? "',' or '}'" : "',' or ']'", e);
}

static int read_container(struct reading *reading, json_t *into, struct err *e)
{
    bool object = *reading->scan.at == '{';
    json_t *made;
    int status;

    if (reading->depth == MAX_DEPTH)
        return err_set(e, ERR_INPUT, "nested more than %d deep", MAX_DEPTH);
    reading->scan.at++;
    reading->depth++;
    made = json_read_put(reading, into, object ? json_object() : json_array());
    status = read_members(reading, made, object ? '}' : ']', e);
    reading->depth--;
    return status;
}

static int read_value(struct reading *reading, json_t *into, struct err *e)
{
    char next = json_scan_peek(&reading->scan);
    json_t *constant;

    if (next == '{' || next == '[')
        return read_container(reading, into, e);
    if (into == NULL)
        return json_scan_unexpected(&reading->scan, "'{' or '['", e);
    if (next == '"')
        return read_string(reading, into, e);
    constant = json_read_word(&reading->scan);
    if (constant == NULL)
        return json_read_number(reading, into, e);
    json_read_put(reading, into, constant);
    return 0;
}

/* ---- the whole ---- */

/* "not JSON: line 2, column 7: found ',', expected a string"; always returns NULL. */
static json_t *not_json(const struct reading *reading, struct err *e)
{
    static const char place[] = "at byte ";
    const struct json_scan *scan = &reading->scan;
    struct err why = *e;
    const char *what = strncmp(why.msg, place, strlen(place)) == 0 ?
                           strstr(why.msg, ": ") + 2 : why.msg;
    int64_t line = 1, column = 1;

    for (const unsigned char *at = scan->begin; at < scan->at; at++) {
        line += *at == '\n';
        column = *at == '\n' ? 1 : column + ((*at & 0xc0) != 0x80);
    }
    json_drop(reading->a, reading->root);
    if (memchr(scan->begin, '\n', (size_t)(scan->end - scan->begin)) == NULL)
        err_set(e, ERR_INPUT, "not JSON: column %lld: %s", (long long)column, what);
    else
        err_set(e, ERR_INPUT, "not JSON: line %lld, column %lld: %s", (long long)line,
                (long long)column, what);
    return NULL;
}

static char *new_room(struct arena *a, size_t size)
{
    char *room = malloc(size);

    if (room == NULL)
        arena_fail(a, size);
    arena_own(a, free, room);
    return room;
}

json_t *json_read(struct arena *a, struct span bytes, size_t flags, struct err *e)
{
    const unsigned char *data = bytes.size > 0 ? bytes.data : (const unsigned char *)"";
    struct reading reading = { .scan = { data, data, data + bytes.size }, .a = a,
                               .flags = flags };
    size_t longest;
    int status;

    if (json_read_check_size(bytes, &longest, e) != 0)
        return NULL;
    reading.key = new_room(a, 2 * longest + 2);
    reading.text = reading.key + longest + 1;
    status = read_value(&reading, NULL, e);
    if (status == 0 && !json_scan_at_end(&reading.scan))
        status = json_scan_unexpected(&reading.scan, "the end", e);
    arena_release(a, reading.key);
    return status == 0 ? reading.root : not_json(&reading, e);
}

void json_put_text(struct arena *a, json_t *object, const char *key, const char *text)
{
    const struct span bytes = { (const unsigned char *)text, strlen(text) };
    struct err unused;
    json_t *value = json_read(a, bytes, 0, &unused);

    json_put(a, object, key, json_incref(value));
    json_drop(a, value);
}
