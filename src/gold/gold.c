/* SPDX-License-Identifier: MIT
 * Counts of arcs that heads and offsets find -> accuracies. */
#include "gold/gold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gold_way_names[] = { "to_head", "from_head", "later", NULL };

struct relation {
    const char *name;
    int64_t n, offset[N_GOLD_OFFSET];   /* of all arcs */
    int64_t n_scored[2], scored_offset[2][N_GOLD_OFFSET];      /* by half */
    int64_t (*hit)[2][N_GOLD_WAY];      /* [heads] */
};

struct tag {
    const char *name;
    int64_t n;                  /* words */
    struct fixed *mass;         /* [heads] */
};

struct gold {
    struct arena *a;
    int n_heads, n, room;
    bool causal;
    struct relation *relation;  /* [n] */
    int n_tags, tag_room;
    struct tag *tag;            /* [n_tags] */
    int64_t *beyond;            /* [heads] not 0: a mass was no number for sums */
};

struct gold *gold_new(struct arena *a, int n_heads, bool causal)
{
    struct gold *gold = arena_alloc(a, 1, sizeof *gold);

    *gold = (struct gold){ .a = a, .n_heads = n_heads, .causal = causal };
    gold->beyond = arena_alloc(a, (uint64_t)n_heads, sizeof *gold->beyond);
    gold_relation(gold, "all");
    return gold;
}

int gold_relation(struct gold *gold, const char *name)
{
    for (int i = 0; i < gold->n; i++)
        if (strcmp(gold->relation[i].name, name) == 0)
            return i;
    if (gold->n == gold->room) {
        int room = gold->room > 0 ? 2 * gold->room : 32;
        struct relation *relation = arena_alloc(gold->a, (uint64_t)room, sizeof *relation);

        if (gold->n > 0)
            memcpy(relation, gold->relation, (size_t)gold->n * sizeof *relation);
        gold->relation = relation;
        gold->room = room;
    }
    gold->relation[gold->n] = (struct relation){
        .name = name,
        .hit = arena_alloc(gold->a, (uint64_t)gold->n_heads, sizeof *gold->relation->hit),
    };
    return gold->n++;
}

int gold_tag(struct gold *gold, const char *name)
{
    for (int i = 0; i < gold->n_tags; i++)
        if (strcmp(gold->tag[i].name, name) == 0)
            return i;
    if (gold->n_tags == gold->tag_room) {
        int room = gold->tag_room > 0 ? 2 * gold->tag_room : 32;
        struct tag *tag = arena_alloc(gold->a, (uint64_t)room, sizeof *tag);

        if (gold->n_tags > 0)
            memcpy(tag, gold->tag, (size_t)gold->n_tags * sizeof *tag);
        gold->tag = tag;
        gold->tag_room = room;
    }
    gold->tag[gold->n_tags] = (struct tag){
        .name = name, .mass = arena_alloc(gold->a, (uint64_t)gold->n_heads, sizeof(struct fixed)),
    };
    return gold->n_tags++;
}

/* ---- counts ---- */

static bool offset_finds(const struct gold_tree *tree, int i, int offset)
{
    int at = i + 1 + offset;

    at = at < 0 ? 0 : at > tree->n ? tree->n : at;
    return at == tree->head[i] + 1;
}

static bool is_scored(const struct gold_tree *tree, int i)
{
    return tree->head[i] >= 0 && tree->scored[i] && tree->scored[tree->head[i]];
}

static void add_arc(struct relation *relation, const struct gold_tree *tree, int i)
{
    relation->n++;
    relation->n_scored[tree->odd] += is_scored(tree, i);
    for (int k = 0; k < N_GOLD_OFFSET; k++)
        if (offset_finds(tree, i, GOLD_FIRST_OFFSET + k)) {
            relation->offset[k]++;
            relation->scored_offset[tree->odd][k] += is_scored(tree, i);
        }
}

void gold_add_tree(struct gold *gold, const struct gold_tree *tree)
{
    for (int i = 0; i < tree->n; i++) {
        add_arc(&gold->relation[tree->relation[i]], tree, i);
        if (tree->head[i] >= 0)
            add_arc(&gold->relation[0], tree, i);
        gold->tag[tree->tag[i]].n += tree->scored[i];
    }
}

void gold_add_mass(struct gold *gold, const struct gold_tree *tree, int head, const double *mass)
{
    for (int i = 0; i < tree->n; i++)
        if (fabs(mass[i]) < 0x1p30)
            fixed_add(&gold->tag[tree->tag[i]].mass[head], fixed_of(mass[i]));
        else
            gold->beyond[head] = 1;
}

static void relation_words(struct words *words, struct relation *relation, int n_heads)
{
    words_count(words, &relation->n);
    for (int k = 0; k < N_GOLD_OFFSET; k++)
        words_count(words, &relation->offset[k]);
    for (int half = 0; half < 2; half++) {
        words_count(words, &relation->n_scored[half]);
        for (int k = 0; k < N_GOLD_OFFSET; k++)
            words_count(words, &relation->scored_offset[half][k]);
    }
    for (int i = 0; i < n_heads; i++)
        for (int k = 0; k < 2 * N_GOLD_WAY; k++)
            words_count(words, &relation->hit[i][k / N_GOLD_WAY][k % N_GOLD_WAY]);
}

void gold_words(struct words *words, struct gold *gold)
{
    for (int i = 0; i < gold->n; i++)
        relation_words(words, &gold->relation[i], gold->n_heads);
    for (int i = 0; i < gold->n_tags; i++) {
        words_count(words, &gold->tag[i].n);
        for (int head = 0; head < gold->n_heads; head++)
            words_fixed(words, &gold->tag[i].mass[head]);
    }
    for (int head = 0; head < gold->n_heads; head++)
        words_count(words, &gold->beyond[head]);
}

void gold_add_head(struct gold *gold, const struct gold_tree *tree, int head, const int *looks_at,
                   const int *looked_at)
{
    for (int i = 0; i < tree->n; i++) {
        int to = tree->head[i];
        bool hit[N_GOLD_WAY];

        if (!is_scored(tree, i))
            continue;
        hit[GOLD_TO_HEAD] = looks_at[i] == to;
        hit[GOLD_FROM_HEAD] = looked_at[i] == to;
        hit[GOLD_LATER] = i > to ? looks_at[i] == to : looks_at[to] == i;
        for (int way = 0; way < N_GOLD_WAY; way++) {
            gold->relation[tree->relation[i]].hit[head][tree->odd][way] += hit[way];
            gold->relation[0].hit[head][tree->odd][way] += hit[way];
        }
    }
}

/* ---- accuracies ---- */

int gold_relations(const struct gold *gold)
{
    return gold->n;
}

const char *gold_relation_name(const struct gold *gold, int relation)
{
    return gold->relation[relation].name;
}

static double gold_share(int64_t hits, int64_t n)
{
    return n > 0 ? (double)hits / (double)n : (double)NAN;
}

/* The first of the best. */
static int best_offset(const int64_t hits[N_GOLD_OFFSET])
{
    int best = 0;

    for (int k = 1; k < N_GOLD_OFFSET; k++)
        if (hits[k] > hits[best])
            best = k;
    return best;
}

struct gold_arcs gold_arcs(const struct gold *gold, int relation)
{
    const struct relation *r = &gold->relation[relation];
    int best = best_offset(r->offset);

    return (struct gold_arcs){ r->name, r->n, r->n_scored[0] + r->n_scored[1],
                               GOLD_FIRST_OFFSET + best, gold_share(r->offset[best], r->n) };
}

double gold_accuracy(const struct gold *gold, int relation, int head, enum gold_way way)
{
    const struct relation *r = &gold->relation[relation];

    return gold_share(r->hit[head][0][way] + r->hit[head][1][way], r->n_scored[0] + r->n_scored[1]);
}

void gold_interval(int64_t k, int64_t n_all, double *low, double *high)
{
    const double z = 1.959963984540054;
    double n = (double)n_all, p = (double)k / n;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);

    *low = middle - half;
    *high = middle + half;
}

struct gold_held gold_held(const struct gold *gold, int relation, int head)
{
    const struct relation *r = &gold->relation[relation];
    const int64_t *even = r->hit[head][0], *odd = r->hit[head][1];
    int k = best_offset(r->scored_offset[0]);
    enum gold_way way = gold->causal ? GOLD_LATER :
                        even[GOLD_FROM_HEAD] > even[GOLD_TO_HEAD] ? GOLD_FROM_HEAD :
                                                                    GOLD_TO_HEAD;
    struct gold_held held = { way, gold_share(even[way], r->n_scored[0]), r->n_scored[1],
                              gold_share(odd[way], r->n_scored[1]), 0, 0, GOLD_FIRST_OFFSET + k,
                              gold_share(r->scored_offset[1][k], r->n_scored[1]) };

    held.low = held.high = NAN;
    if (held.n > 0)
        gold_interval(odd[way], held.n, &held.low, &held.high);
    return held;
}

int gold_choice(const struct gold *gold, int relation)
{
    double most = -1;
    int best = -1;

    for (int head = 0; head < gold->n_heads; head++) {
        double chosen = gold_held(gold, relation, head).chosen;

        if (chosen > most) {
            most = chosen;
            best = head;
        }
    }
    return best;
}

bool gold_holds(const struct gold_held *held, double points, double arcs)
{
    return (double)held->n >= arcs && held->accuracy >= held->baseline + points &&
           held->low > held->baseline;
}

/* ---- parts of speech ---- */

int gold_tags(const struct gold *gold)
{
    return gold->n_tags;
}

const char *gold_tag_name(const struct gold *gold, int tag)
{
    return gold->tag[tag].name;
}

double gold_tag_words(const struct gold *gold, int tag)
{
    int64_t all = 0;

    for (int i = 0; i < gold->n_tags; i++)
        all += gold->tag[i].n;
    return gold_share(gold->tag[tag].n, all);
}

double gold_tag_share(const struct gold *gold, int tag, int head)
{
    struct fixed all = { 0, 0 };

    for (int i = 0; i < gold->n_tags; i++)
        fixed_add(&all, gold->tag[i].mass[head]);
    return gold->beyond[head] == 0 && fixed_real(all) > 0 ?
               fixed_real(gold->tag[tag].mass[head]) / fixed_real(all) : (double)NAN;
}
