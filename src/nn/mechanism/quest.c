/* SPDX-License-Identifier: MIT
 * Pages of keys, of which each row reads those with the highest bounds: no product of its
 * query with a key of the page is above the page's bound. */
#include "nn/keep.h"
#include "nn/mechanism/budget.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/chosen.h"
#include "nn/visible.h"

struct book {
    struct keep_pages pages;
    double *bound, *room;       /* [pages] */
    int *page, *at;             /* [pages] those that hold a key that the row sees */
};

static uint64_t quest_share_out(struct book **book, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    uint64_t count = (uint64_t)((a->at.S - 1) / a->params->page + 1), d = (uint64_t)a->at.d;
    struct book shared = { .pages = { .size = a->params->page, .d = a->at.d } };

    *book = carve_take(&carve, 1, sizeof **book);
    shared.pages.low = carve_take(&carve, count * d, sizeof(float));
    shared.pages.high = carve_take(&carve, count * d, sizeof(float));
    shared.bound = carve_take(&carve, count, sizeof *shared.bound);
    shared.room = carve_take(&carve, count, sizeof *shared.room);
    shared.page = carve_take(&carve, count, sizeof *shared.page);
    shared.at = carve_take(&carve, count, sizeof *shared.at);
    if (base != NULL)
        **book = shared;
    return carve.used;
}

static uint64_t quest_shared(const struct attention *a)
{
    struct book *book;

    return quest_share_out(&book, a, NULL);
}

static void quest_prepare(void *base, const struct attention *a)
{
    struct book *book;

    quest_share_out(&book, a, base);
}

/* Writes the keys of [first, end) that row i sees; returns how many. */
static int visible_keys_of(int *key, const struct attention *a, int i, int64_t first,
                           int64_t end)
{
    int count = 0;

    for (int64_t j = first; j < end; j++)
        if (!visible_is_hidden(&a->at, i, j))
            key[count++] = (int)j;
    return count;
}

/* The part of [first, end) that is in a page. */
static struct key_range within(const struct attention *a, int page, int first, int end)
{
    int64_t from = (int64_t)page * a->params->page, to = from + a->params->page;

    return (struct key_range){ from > first ? from : first, to < end ? to : end };
}

/* Bounds of the pages that row i sees a key of, over the keys that it sees: those of the
 * book where no key so far is hidden.  Returns how many. */
static int bounds(struct book *book, int *key, const struct attention *a, int i, int first,
                  int end)
{
    const float *q = a->q + i * a->q_stride;
    int count = 0, size = a->params->page;

    for (int page = first / size; page <= (end - 1) / size; page++) {
        struct key_range range = within(a, page, first, end);
        int n_known = (int)range.end - page * size;
        int n_seen = a->at.hidden == NULL && range.end - range.first == n_known ? n_known :
                     visible_keys_of(key, a, i, range.first, range.end);

        if (n_seen == 0)
            continue;
        book->bound[count] = n_seen == n_known ?
                              keep_bound(&book->pages, q, page) :
                              keep_bound_of(q, a->k, a->k_stride, a->at.d, key, n_seen);
        book->page[count++] = page;
    }
    return count;
}

static int quest_choose(int *key, void *base, const struct attention *a, int i, int first, int end)
{
    struct book *book = base;
    int budget = budget_keys(a), n_pages = budget / a->params->page;
    int count = 0, kept;

    keep_add(&book->pages, a->k, a->k_stride, end);
    if (visible_count(&a->at, i) <= budget)
        return visible_keys_of(key, a, i, first, end);
    kept = keep_highest(book->at, book->bound, bounds(book, key, a, i, first, end),
                        n_pages > 0 ? n_pages : 1, book->room);
    for (int p = 0; p < kept; p++) {
        struct key_range range = within(a, book->page[book->at[p]], first, end);

        count += visible_keys_of(key + count, a, i, range.first, range.end);
    }
    return count;
}

static const struct chosen_steps steps = { quest_shared, quest_prepare, quest_choose, NULL };

const struct mechanism mechanism_quest = {
    .name = "quest",
    .formula = "softmax_j s_ij over the b / p pages with the highest sum_c max(q_c m_c, q_c M_c)",
    .cost = "N^2 d / p + N b d", .growth = "N^2 / p", .sparse = true,
    .source = "Tang et al. 2024, algorithm 1",
    .chosen = &steps, .room = chosen_room, .run = chosen_run,
    .reference_room = chosen_reference_room, .reference = chosen_reference,
};
