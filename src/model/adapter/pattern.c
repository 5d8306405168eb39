/* SPDX-License-Identifier: MIT
 * A regular expression (often a plain name) and the name of a module -> whether they match. */
#include "model/adapter/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

/* Compiling takes the steps of PER_PATTERN bytes more than it has. */
enum { MOST_BYTES = 4096, MOST_STEPS = 100000, HEAP_KIB = 4096, PER_PATTERN = 200 };

bool pattern_is_end(const char *text, const char *name)
{
    size_t n = strlen(text), n_name = strlen(name);

    return n_name >= n && strcmp(name + n_name - n, text) == 0 &&
           (n_name == n || name[n_name - n - 1] == '.');
}

/* It has no character that stands for others but the dot. */
static bool adapter_pattern_is_plain(const char *pattern)
{
    return strspn(pattern, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789_.") == strlen(pattern);
}

static bool plain_matches(const char *pattern, const char *name)
{
    for (; *pattern != '\0'; pattern++, name++)
        if (*pattern != *name && *pattern != '.')
            return false;
    return true;
}

/* A plain pattern at the end of the name, behind a dot; or at its beginning. */
static bool plain_at_end(const char *pattern, const char *name)
{
    size_t n = strlen(pattern), n_name = strlen(name);

    return n <= n_name && plain_matches(pattern, name + n_name - n) &&
           (n == n_name || name[n_name - n - 1] == '.');
}

static int count_step(pcre2_callout_block *block, void *steps)
{
    (void)block;
    return --*(int *)steps > 0 ? 0 : PCRE2_ERROR_CALLOUT;
}

/* Matches within bounds; what PCRE2 says otherwise. */
static int search(const pcre2_code *code, const char *name, int *steps)
{
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int status = PCRE2_ERROR_NOMEMORY;

    if (context != NULL && data != NULL) {
        pcre2_set_match_limit(context, MOST_STEPS);
        pcre2_set_callout(context, count_step, steps);
        pcre2_set_heap_limit(context, HEAP_KIB);
        status = pcre2_match(code, (PCRE2_SPTR)name, strlen(name), 0, 0, data, context);
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return status;
}

static int adapter_pattern_say(int status, const char *pattern, struct err *e)
{
    unsigned char why[128] = "";

    if (status == PCRE2_ERROR_CALLOUT)
        return err_set(e, ERR_INPUT, "\"%.60s\": takes over %d million steps, with those before "
                       "it", pattern, PATTERN_STEPS / 1000000);
    if (status == PCRE2_ERROR_NOMEMORY)
        return err_set(e, ERR_SYSTEM, "out of memory");
    pcre2_get_error_message(status, why, sizeof why);
    return err_set(e, ERR_INPUT, "\"%.60s\": %s", pattern, (const char *)why);
}

/* before and after go around the pattern. */
static int matches(const char *before, const char *pattern, const char *after,
                   const char *name, int *steps, bool *out, struct err *e)
{
    char whole[MOST_BYTES + 32];
    pcre2_code *code;
    size_t where;
    int status;

    if (strlen(pattern) > MOST_BYTES)
        return err_set(e, ERR_INPUT, "\"%.60s\xe2\x80\xa6: %zu bytes, expected at most %d", pattern,
                       strlen(pattern), MOST_BYTES);
    *steps -= PER_PATTERN + (int)strlen(pattern);
    if (*steps <= 0)
        return adapter_pattern_say(PCRE2_ERROR_CALLOUT, pattern, e);
    snprintf(whole, sizeof whole, "%s%s%s", before, pattern, after);
    code = pcre2_compile((PCRE2_SPTR)whole, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_AUTO_CALLOUT,
                         &status, &where,
                         NULL);
    if (code == NULL)
        return adapter_pattern_say(
            status == PCRE2_ERROR_HEAP_FAILED ? PCRE2_ERROR_NOMEMORY : status, pattern, e);
    status = search(code, name, steps);
    pcre2_code_free(code);
    *out = status >= 0;
    return status >= 0 || status == PCRE2_ERROR_NOMATCH ? 0 :
           adapter_pattern_say(status, pattern, e);
}

int pattern_matches_end(const char *pattern, const char *name, int *steps, bool *out,
                        struct err *e)
{
    if (!adapter_pattern_is_plain(pattern))
        return matches("^(?:.*\\.)?(?:", pattern, ")$", name, steps, out, e);
    if (--*steps <= 0)
        return adapter_pattern_say(PCRE2_ERROR_CALLOUT, pattern, e);
    *out = plain_at_end(pattern, name);
    return 0;
}

int pattern_matches_all(const char *pattern, const char *name, int *steps, bool *out,
                        struct err *e)
{
    return matches("^(?:", pattern, ")$", name, steps, out, e);
}
