/* SPDX-License-Identifier: MIT
 * --mask, --memory-mask, --mask-value, --dtype, --fast -> what is changed in a pass. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "run/check.h"
#include "run/weighting.h"
#include "session/select.h"
#include "session/shown/mask_file.h"
#include "session/source/layer.h"

/* ---- parts ---- */

/* "A-B" or "A" at *s, which moves after it. */
static bool range(const char **s, int *first, int *last)
{
    long long from, to;

    if (!list_range(s, &from, &to) || to > INT_MAX)
        return false;
    *first = (int)from;
    *last = (int)to;
    return true;
}

static int change_add_block(struct arena *a, struct mask *mask, const char *part, struct err *e)
{
    const char *text = part + strlen("block:");
    struct mask_block block, *all;

    if (!range(&text, &block.q0, &block.q1) || *text++ != ',' ||
        !range(&text, &block.k0, &block.k1) || *text != '\0')
        return err_set(e, ERR_USAGE, "%s: '%s' is not a block of queries and keys like "
                       "block:0-24,0-24", mask->name, part);
    all = arena_alloc(a, (size_t)mask->n_blocks + 1, sizeof *all);
    if (mask->n_blocks > 0)
        memcpy(all, mask->block, (size_t)mask->n_blocks * sizeof *all);
    all[mask->n_blocks++] = block;
    mask->block = all;
    return 0;
}

static int add_padding(struct mask *mask, const char *part, struct err *e)
{
    const char *text = part + strlen("padding:");
    long long count = list_number(&text);

    if (count < 0 || count > INT_MAX || *text != '\0')
        return err_set(e, ERR_USAGE, "%s: '%s' is not padding such as padding:3", mask->name,
                       part);
    mask->n_padding = count > mask->n_padding ? (int)count : mask->n_padding;
    return 0;
}

/* ---- files ---- */

static void append_array(struct arena *a, struct mask *mask, const struct mask_array *array)
{
    struct mask_array *all = arena_alloc(a, (size_t)mask->n_arrays + 1, sizeof *all);

    if (mask->n_arrays > 0)
        memcpy(all, mask->array, (size_t)mask->n_arrays * sizeof *all);
    all[mask->n_arrays++] = *array;
    mask->array = all;
}

/* keys: the array is of keys alone. */
static int change_add_file(const struct session *session, struct mask *mask, const char *path,
                           bool keys, struct err *e)
{
    struct mask_array array;

    if (mask_file_open(session, path, keys, &array, e) != 0)
        return -1;
    append_array(session->a, mask, &array);
    return 0;
}

/* ---- the whole ---- */

static const char keys_of[] = "keys:";

static int not_a_mask(const struct session *session, const char *option, const char *part,
                      struct err *e)
{
    bool self = strcmp(option, "--mask") == 0;
    bool none = self && (session->model->family->bare || session->asked->mask_may_be_none);

    if (self && strcmp(part, "none") == 0)
        return err_set(e, ERR_USAGE, "%s: 'none' is not a mask that goes with others", option);
    return err_set(e, ERR_USAGE, "%s: '%s' is not a mask: expected causal, padding:N, "
                   "block:Q-Q,K-K, keys:FILE.npy%s FILE.npy%s", option, part,
                   none ? "," : " or", none ? " or none" : "");
}

static int change_add_part(const struct session *session, struct mask *mask, const char *part,
                           struct err *e)
{
    if (strcmp(part, "causal") == 0) {
        mask->causal = true;
        return 0;
    }
    if (strncmp(part, "padding:", strlen("padding:")) == 0)
        return add_padding(mask, part, e);
    if (strncmp(part, "block:", strlen("block:")) == 0)
        return change_add_block(session->a, mask, part, e);
    if (strcmp(part, keys_of) == 0)
        return err_set(e, ERR_USAGE, "%s: '%s' names no file: expected keys:FILE.npy", mask->name,
                       part);
    if (strncmp(part, keys_of, strlen(keys_of)) == 0)
        return change_add_file(session, mask, part + strlen(keys_of), true, e);
    if (str_ends_with(part, ".npy"))
        return change_add_file(session, mask, part, false, e);
    return not_a_mask(session, mask->name, part, e);
}

static const struct mask *change_parse(const struct session *session, const char *option,
                                       const char *spec, struct err *e)
{
    double value = session->asked->mask_value;
    struct mask *mask = arena_alloc(session->a, 1, sizeof *mask);
    char *parts = arena_strndup(session->a, spec, strlen(spec)), *part;

    *mask = (struct mask){ .name = option,
                           .hidden_score = isnan(value) ? -INFINITY : (float)value };
    if (str_ends_with(spec, ".npy") && file_exists(spec))        /* a "+" in a name */
        return change_add_file(session, mask, spec, false, e) == 0 ? mask : NULL;
    do {
        part = strsep(&parts, "+");
        if (change_add_part(session, mask, part, e) != 0)
            return NULL;
    } while (parts != NULL);
    return mask;
}

/* What --mask none says: a bare layer was opened without its own mask (layer.h). */
static int no_mask(const struct session *session, struct err *e)
{
    if (session->model->family->bare || session->asked->mask_may_be_none)
        return 0;
    return err_set(e, ERR_USAGE, "--mask none: %s is not a bare layer, and its own mask is "
                   "part of what it computes; without --mask, nothing else is hidden",
                   session->model->name);
}

static int set_masks(struct session *session, struct change *change, struct err *e)
{
    const struct asked *asked = session->asked;

    const char *self = layer_asked_unmasked(asked) ? NULL : asked->mask;

    if (asked->mask != self && no_mask(session, e) != 0)
        return -1;
    if (self == NULL && asked->memory_mask == NULL) {
        if (isnan(asked->mask_value))
            return 0;
        return err_set(e, ERR_USAGE, "--mask-value requires a mask that hides keys, not --mask "
                       "none");
    }
    if (asked->memory_mask != NULL && session->stack != STACK_CROSS && session->stack != N_STACK)
        return err_set(e, ERR_USAGE, "--memory-mask requires cross-attention: an "
                       "encoder-decoder and a text for its decoder");
    if (self != NULL) {
        change->mask = change_parse(session, "--mask", self, e);
        if (change->mask == NULL)
            return -1;
    }
    if (asked->memory_mask != NULL) {
        change->memory_mask = change_parse(session, "--memory-mask", asked->memory_mask, e);
        if (change->memory_mask == NULL)
            return -1;
    }
    return 0;
}

/* --weight: what values are worth can be said where there are values. */
static int set_weighting(const struct session *session, struct wanted *want, struct err *e)
{
    const char *name = weighting_names[session->asked->weight];
    enum precision precision = (enum precision)session->asked->dtype;

    want->weighting = (enum weighting)session->asked->weight;
    if (want->weighting == WEIGHTING_PLAIN)
        return 0;
    if (session->model->precomputed != NULL)
        return err_set(e, ERR_USAGE, "--weight %s: %s holds rows of attention and no values: "
                       "expected a model, or --qkv", name, session->model->name);
    if (want->weighting == WEIGHTING_NORM && session->shown->place.gate != NULL)
        return err_set(e, ERR_USAGE, "--weight %s: what heads of %s write of a value depends on "
                       "the row that reads it, whose gates their outputs are multiplied by",
                       name, session->model->name);
    if (want->weighting == WEIGHTING_NORM && precision_is_of_linears(precision))
        return err_set(e, ERR_USAGE, "--weight %s, --dtype %s: only one of them can be given: "
                       "the output projection is rounded as a whole, not head by head", name,
                       precision_names[precision]);
    return 0;
}

int session_change(struct session *session, struct wanted *want, struct err *e)
{
    session->change = (struct change){ .precision = (enum precision)session->asked->dtype,
                                       .fast = (enum fast)session->asked->fast };
    want->change = &session->change;
    if (check_precision(session->model, session->change.precision, e) != 0 ||
        check_fast(session->model, &session->change, e) != 0)
        return -1;
    return set_weighting(session, want, e) != 0 ? -1 : set_masks(session, &session->change, e);
}
