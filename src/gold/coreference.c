/* SPDX-License-Identifier: MIT
 * Links of mentions -> how many lead to an earlier mention of the same entity. */
#include "gold/coreference.h"

#include <math.h>
#include <string.h>

#include "gold/gold.h"

/* Mention k, before i, is of the same thing, by another word. */
static bool is_antecedent(const struct coreference_mention *mention, int k, int i)
{
    return mention[k].chain == mention[i].chain && mention[k].head != mention[i].head;
}

static bool has_antecedent(const struct coreference_mention *mention, int i)
{
    for (int k = 0; k < i; k++)
        if (is_antecedent(mention, k, i))
            return true;
    return false;
}

/* The word is the head of such a mention. */
static bool leads_to_one(const struct coreference_mention *mention, int i, int word)
{
    for (int k = 0; k < i; k++)
        if (mention[k].head == word && is_antecedent(mention, k, i))
            return true;
    return false;
}

/* The nearest mention before i, of another head word; same: with the same form.  -1: none. */
static int coreference_nearest(const struct coreference_mention *mention, int i, bool same)
{
    for (int k = i - 1; k >= 0; k--)
        if (mention[k].head != mention[i].head &&
            (!same || strcmp(mention[k].form, mention[i].form) == 0))
            return k;
    return -1;
}

void coreference_add_text(struct coreference_rules *rules,
                          const struct coreference_mention *mention, int n)
{
    for (int i = 0; i < n; i++) {
        int before = coreference_nearest(mention, i, false),
            same = coreference_nearest(mention, i, true);

        if (!has_antecedent(mention, i))
            continue;
        rules->n++;
        rules->nearest += before >= 0 && is_antecedent(mention, before, i);
        rules->head_match += same >= 0 && is_antecedent(mention, same, i);
    }
}

void coreference_add_head(struct coreference_hits *hits,
                          const struct coreference_mention *mention, int n,
                          const int *any_word, const int *mentions)
{
    for (int i = 0; i < n; i++)
        if (has_antecedent(mention, i)) {
            hits->any_word += leads_to_one(mention, i, any_word[mention[i].head]);
            hits->mentions += leads_to_one(mention, i, mentions[mention[i].head]);
        }
}

bool coreference_holds(const struct coreference_rules *rules, const struct coreference_hits *hits,
                       double least, double *share)
{
    int64_t best = rules->nearest > rules->head_match ? rules->nearest : rules->head_match;
    double low, high;

    *share = NAN;
    if (rules->n == 0)
        return false;
    *share = (double)hits->mentions / (double)rules->n;
    gold_interval(hits->mentions, rules->n, &low, &high);
    return (double)rules->n >= least && low > (double)best / (double)rules->n;
}
