/* SPDX-License-Identifier: MIT
 * Rows of attention -> metrics of heads, by sinks that call each metric's rule and store means and
 * states. */
#include "analysis/stats.h"

#include <math.h>

#include "base/elementary.h"

/* The sum of a metric over the rows of a head that have one. */
struct mean { double sum; int n; };

struct head_slot {
    struct head_stats stats;
    double *value;              /* [n metrics] */
    struct stats_list *list;    /* [n metrics] */
    struct mean *mean;          /* [n metrics] those of SCOPE_ROW */
};

struct stats {
    struct arena *arena;
    struct slots slots;
    const struct metric_set *set;
    struct head_slot *slot;     /* mean NULL: not wanted */
    int *keeper;                /* [n metrics] the first metric with the same state */
    void ***state;              /* [n metrics] one per head, layer or text; NULL: by row, or
                                   the keeper has it */
    int *by_row, n_by_row;      /* metrics that have a number for each row; the first
                                   n_row_blocks of them take blocks too */
    int *by_head, n_by_head;    /* those with a state that takes the rows of a head; as above */
    int n_row_blocks, n_head_blocks;
    double *ln;                 /* [keys of the longest text + 1] */
    const double **map;         /* [texts, n metrics] of METRIC_MAP */
    struct metric_row *room;    /* [texts, H] the row of a query in each head */
    int d_head;                 /* of the widest head */
    int n_kv_heads;
    struct tap tap;             /* take NULL: no metric looks */
};

static enum metric_scope scope_of(const struct stats *stats, int k)
{
    return metric_scope(&stats->set->metric[k]);
}

static bool keeps_state(const struct stats *stats, int k)
{
    return stats->state[k] != NULL;
}

/* Where the state of metric k that the head's rows go to stands. */
static void **state_at(const struct stats *stats, int k, size_t at)
{
    size_t H = (size_t)stats->slots.H, L = (size_t)stats->slots.L;
    void **state = stats->state[stats->keeper[k]];

    switch (scope_of(stats, k)) {
    case SCOPE_LAYER: return &state[at / H];
    case SCOPE_TEXT: return &state[at / (H * L)];
    default: return &state[at];
    }
}

/* ---- before the pass ---- */

static struct metric_shape stats_shape_of(const struct stats *stats, int text)
{
    const struct attended_text *attended_text = &stats->slots.texts.text[text];

    return (struct metric_shape){ attended_text->queries.n, attended_text->keys.n,
                                  stats->slots.L, stats->slots.H, &stats->set->opts, stats->d_head,
                                  stats->n_kv_heads };
}

static void start_state(struct stats *stats, int k, size_t at, const struct metric_shape *shape)
{
    const struct metric_state *kind = stats->set->metric[k].rule->state;
    void **state = state_at(stats, k, at);

    if (*state != NULL)
        return;
    *state = arena_alloc(stats->arena, kind->size(shape), 1);
    if (kind->start != NULL)
        kind->start(*state, shape, stats->arena);
}

static void start_metric(struct stats *stats, int k, size_t at, const struct metric_shape *shape)
{
    const struct metric_rule *rule = stats->set->metric[k].rule;

    stats->slot[at].value[k] = NAN;
    if (rule->list != NULL)
        stats->slot[at].list[k] = (struct stats_list){
            arena_alloc(stats->arena, (uint64_t)rule->length(shape), sizeof(double)), -1
        };
    if (keeps_state(stats, k))
        start_state(stats, k, at, shape);
}

static void stats_start(void *self, size_t at, int text)
{
    struct stats *stats = self;
    struct head_slot *slot = &stats->slot[at];
    size_t count = (size_t)stats->set->n;
    const struct metric_shape shape = stats_shape_of(stats, text);

    slot->list = arena_alloc(stats->arena, count, sizeof *slot->list);
    slot->value = arena_alloc(stats->arena, count, sizeof *slot->value);
    slot->mean = arena_alloc(stats->arena, count, sizeof *slot->mean);
    slot->stats = (struct head_stats){
        .stack = stats->slots.stack,
        .layer = (int)(at / (size_t)stats->slots.H) % stats->slots.L,
        .head = (int)(at % (size_t)stats->slots.H),
        .value = slot->value, .list = slot->list,
    };
    for (int k = 0; k < stats->set->n; k++)
        start_metric(stats, k, at, &shape);
}

/* The first metric of the set with the state of metric k, that is defined where k is. */
static int keeper_of(const struct metric_set *set, int k)
{
    int i = 0;

    while (set->metric[i].rule->state != set->metric[k].rule->state ||
           set->metric[i].one_axis != set->metric[k].one_axis)
        i++;
    return i;
}

static void start_states(struct stats *stats, size_t count)
{
    stats->keeper = arena_alloc(stats->arena, (size_t)stats->set->n, sizeof *stats->keeper);
    stats->state = arena_alloc(stats->arena, (size_t)stats->set->n, sizeof *stats->state);
    for (int k = 0; k < stats->set->n; k++) {
        stats->keeper[k] = keeper_of(stats->set, k);
        if (stats->keeper[k] == k && scope_of(stats, k) != SCOPE_ROW)
            stats->state[k] = arena_alloc(stats->arena, count, sizeof *stats->state[k]);
    }
}

static bool is_defined(const struct stats *stats, int k)
{
    return !(stats->set->metric[k].one_axis && stats->slots.texts.two_axes);
}

/* Adds those metrics to the ones that get the rows of a head that take blocks, or those that
 * do not. */
static void sort_out_some(struct stats *stats, bool blocks)
{
    for (int k = 0; k < stats->set->n; k++) {
        const struct metric_rule *rule = stats->set->metric[k].rule;

        if (!is_defined(stats, k))
            continue;
        if (rule->row != NULL && (rule->block != NULL) == blocks)
            stats->by_row[stats->n_by_row++] = k;
        if (rule->row == NULL && keeps_state(stats, k) && scope_of(stats, k) == SCOPE_HEAD &&
            (rule->state->take_block != NULL) == blocks)
            stats->by_head[stats->n_by_head++] = k;
    }
}

static void sort_out(struct stats *stats)
{
    stats->by_row = arena_alloc(stats->arena, (size_t)stats->set->n, sizeof *stats->by_row);
    stats->by_head = arena_alloc(stats->arena, (size_t)stats->set->n, sizeof *stats->by_head);
    sort_out_some(stats, true);
    stats->n_row_blocks = stats->n_by_row;
    stats->n_head_blocks = stats->n_by_head;
    sort_out_some(stats, false);
}

static void set_logarithms(struct stats *stats)
{
    int most = 0;

    for (int i = 0; i < stats->slots.texts.n_texts; i++)
        if (stats->slots.texts.text[i].keys.n > most)
            most = stats->slots.texts.text[i].keys.n;
    stats->ln = arena_alloc_raw(stats->arena, (uint64_t)most + 1, sizeof *stats->ln);
    for (int n = 0; n <= most; n++)
        stats->ln[n] = elementary_log(n);
}

/* ---- queries and keys ---- */

static int stats_look(void *self, const struct qkv_view *view, struct err *e)
{
    struct stats *s = self;

    (void)e;
    for (int head = 0; head < s->slots.H && (int)view->stack == s->slots.stack; head++) {
        size_t at = slots_at(&s->slots, view->text, view->layer, head);

        for (int k = 0; k < s->set->n && s->slot[at].mean != NULL; k++)
            if (keeps_state(s, k) && s->set->metric[k].rule->state->look != NULL)
                s->set->metric[k].rule->state->look(*state_at(s, k, at), view, head);
        progress_tick(s->set->progress);
    }
    return 0;
}

static bool looks(const struct stats *stats)
{
    for (int k = 0; k < stats->set->n; k++)
        if (keeps_state(stats, k) && stats->set->metric[k].rule->state->look != NULL)
            return true;
    return false;
}

const struct tap *stats_tap(const struct stats *stats)
{
    return stats->tap.take != NULL ? &stats->tap : NULL;
}

static int stats_widest(const struct config *config)
{
    return config->d_head > config->d_value ? config->d_head : config->d_value;
}

static int widest_head(const struct model *model)
{
    int d = stats_widest(&model->config),
        d2 = model->decoder != NULL ? stats_widest(&model->decoder->config) : 0;

    return d2 > d ? d2 : d;
}

static const struct config *config_of(const struct model *model, int stack)
{
    return model->decoder != NULL && stack != STACK_ENCODER ? &model->decoder->config :
           &model->config;
}

struct stats *stats_new(struct arena *a, const struct model *model,
                        const struct attended *texts, const struct wanted *want,
                        const struct metric_set *set)
{
    struct stats *stats = arena_alloc(a, 1, sizeof *stats);
    size_t count;

    *stats = (struct stats){ .arena = a, .slots = slots_of(model, texts, want), .set = set };
    stats->d_head = widest_head(model);
    stats->n_kv_heads = config_of(model, stats->slots.stack)->n_kv_heads;
    count = slots_count(&stats->slots);
    stats->slot = arena_alloc(a, count, sizeof *stats->slot);
    start_states(stats, count);
    sort_out(stats);
    set_logarithms(stats);
    stats->map = arena_alloc(a, (uint64_t)texts->n_texts * (uint64_t)set->n,
                             sizeof *stats->map);
    stats->room = arena_alloc(a, (uint64_t)texts->n_texts * (uint64_t)stats->slots.H,
                              sizeof *stats->room);
    slots_each(&stats->slots, stats_start, stats);
    if (looks(stats) && model->precomputed == NULL)
        stats->tap = (struct tap){ .take = stats_look, .self = stats };
    return stats;
}

/* ---- the rows ---- */

static struct metric_row stats_row_of(const struct stats *stats, const struct rows *rows, int t)
{
    const struct attended_text *text = &stats->slots.texts.text[rows->text];
    size_t at = (size_t)t * rows->stride;

    return (struct metric_row){
        .layer = rows->layer, .head = rows->head, .query = rows->row0 + t,
        .key0 = rows->key0, .n_keys = rows->n_keys, .a = rows->weight + at,
        .hidden = rows->hidden != NULL ? rows->hidden + at : NULL,
        .n_visible = rows->n_visible[t], .entropy = rows->entropy[t], .out = rows->out,
        .null_mass = rows->null_mass != NULL ? rows->null_mass[t] : (double)NAN,
        .queries = &text->queries, .keys = &text->keys,
        .two_axes = stats->slots.texts.two_axes, .opts = &stats->set->opts,
    };
}

/* To those by row from `row` on, and those by head from `head` on. */
static void stats_take_row(const struct stats *stats, size_t at, const struct metric_row *r,
                           int row, int head)
{
    for (int i = row; i < stats->n_by_row; i++) {
        int k = stats->by_row[i];
        struct mean *mean = &stats->slot[at].mean[k];
        double value;

        if (stats->set->metric[k].rule->row(r, &value)) {
            mean->sum += value;
            mean->n++;
        }
    }
    for (int i = head; i < stats->n_by_head; i++) {
        int k = stats->by_head[i];

        stats->set->metric[k].rule->state->take(stats->state[k][at], r, 1);
    }
}

static void stats_take_rows(const struct stats *stats, size_t at, const struct rows *rows, int row,
                            int head)
{
    for (int t = 0; t < rows->n_rows; t++) {
        struct metric_row r = stats_row_of(stats, rows, t);
        struct scan scan;

        if (r.n_visible <= 0) {
            stats->slot[at].stats.n_skipped++;
            continue;
        }
        scan = row_scan(r.a, r.n_keys, r.key0, r.query);
        r.scan = &scan;
        stats_take_row(stats, at, &r, row, head);
    }
}

/* True where metrics can take all rows at once. */
static bool is_block(const struct stats *stats, const struct rows *rows)
{
    if (stats->slots.texts.text[rows->text].queries.columns > 0 || rows->out != NULL ||
        stats->set->opts.entropy_eps != 0)
        return false;
    for (int t = 0; t < rows->n_rows; t++)
        if (rows->n_visible[t] <= 0)
            return false;
    return rows->n_rows > 0;
}

static void take_block(const struct stats *stats, size_t at, const struct rows *rows)
{
    float largest[ATTEND_ROWS];
    struct metric_found found;
    struct metric_block b = {
        .row = stats_row_of(stats, rows, 0), .n_rows = rows->n_rows, .stride = rows->stride,
        .n_visible = rows->n_visible, .entropy = rows->entropy, .null_mass = rows->null_mass,
        .ln = stats->ln, .largest = largest,
        .sums = row_scan_rows(largest, rows->weight, rows->stride, rows->n_rows, rows->n_keys,
                              rows->key0, rows->row0),
        .found = &found,
    };

    found.has_shape = found.has_top = found.has_near = found.has_entropies = false;
    found.room.is_made = false;

    for (int i = 0; i < stats->n_row_blocks; i++) {
        int k = stats->by_row[i];
        struct mean *mean = &stats->slot[at].mean[k];
        double sum;

        mean->n += stats->set->metric[k].rule->block(&b, &sum);
        mean->sum += sum;
    }
    for (int i = 0; i < stats->n_head_blocks; i++) {
        int k = stats->by_head[i];

        stats->set->metric[k].rule->state->take_block(stats->state[k][at], &b);
    }
    if (stats->n_row_blocks < stats->n_by_row || stats->n_head_blocks < stats->n_by_head)
        stats_take_rows(stats, at, rows, stats->n_row_blocks, stats->n_head_blocks);
}

static void take_head(void *self, const struct rows *rows, int n)
{
    struct stats *stats = self;
    size_t at = slots_at(&stats->slots, rows->text, rows->layer, rows->head);

    (void)n;
    if (is_block(stats, rows))
        take_block(stats, at, rows);
    else
        stats_take_rows(stats, at, rows, 0, 0);
}

/* rows[n]: the same rows of n heads of a layer. */
static void take_layer(void *self, const struct rows *rows, int n)
{
    struct stats *stats = self;
    struct metric_row *row = stats->room + (size_t)rows->text * (size_t)stats->slots.H;
    size_t at = slots_at(&stats->slots, rows->text, rows->layer, rows->head);

    for (int t = 0; t < rows->n_rows; t++) {
        int n_seeing = 0;

        for (int i = 0; i < n; i++)
            if (rows[i].n_visible[t] > 0)
                row[n_seeing++] = stats_row_of(stats, &rows[i], t);
        for (int k = 0; k < stats->set->n && n_seeing > 0; k++)
            if (keeps_state(stats, k) && scope_of(stats, k) >= SCOPE_LAYER &&
                is_defined(stats, k))
                stats->set->metric[k].rule->state->take(*state_at(stats, k, at), row,
                                                        n_seeing);
    }
}

/* ---- after a layer ---- */

static void set_row_value(struct stats *stats, size_t at, int k)
{
    const struct mean *mean = &stats->slot[at].mean[k];

    if (mean->n > 0)
        stats->slot[at].value[k] = mean->sum / mean->n;
}

static void set_state_value(struct stats *stats, size_t at, int k)
{
    struct head_slot *slot = &stats->slot[at];
    const struct metric_rule *rule = stats->set->metric[k].rule;
    const void *state = *state_at(stats, k, at);
    struct stats_list *list = &slot->list[k];
    double value;

    if (rule->map != NULL)
        return;
    if (rule->list != NULL)
        list->n = rule->list(state, slot->stats.layer, slot->stats.head, list->v);
    else if (rule->value(state, slot->stats.layer, slot->stats.head, &value))
        slot->value[k] = value;
}

static void finish_state(struct stats *stats, size_t at, int k)
{
    const struct metric_state *state = stats->set->metric[k].rule->state;
    struct arena_mark mark = arena_mark(stats->arena);

    if (!keeps_state(stats, k) || state->finish == NULL)
        return;
    state->finish(*state_at(stats, k, at), stats->arena, stats->set->progress);
    progress_tick(stats->set->progress);
    arena_reset(stats->arena, mark);
}

/* A layer's heads, for a metric that sees no more than a head. */
static void finish_heads(struct stats *stats, int text, int layer, int k)
{
    for (int head = 0; head < stats->slots.H; head++) {
        size_t at = slots_at(&stats->slots, text, layer, head);

        if (stats->slot[at].mean == NULL)
            continue;
        if (scope_of(stats, k) == SCOPE_ROW) {
            set_row_value(stats, at, k);
        } else {
            finish_state(stats, at, k);
            set_state_value(stats, at, k);
        }
    }
}

/* The heads of some layers, which have one state. */
static void finish_layers(struct stats *stats, int text, int first, int last, int k)
{
    bool finished = false;

    for (int l = first; l <= last; l++)
        for (int head = 0; head < stats->slots.H; head++) {
            size_t at = slots_at(&stats->slots, text, l, head);

            if (stats->slot[at].mean == NULL)
                continue;
            if (!finished)
                finish_state(stats, at, k);
            finished = true;
            set_state_value(stats, at, k);
            if (stats->set->metric[k].rule->map != NULL)
                stats->map[text * stats->set->n + k] =
                    stats->set->metric[k].rule->map(*state_at(stats, k, at));
        }
}

static void done_heads(void *self, int text, int layer)
{
    struct stats *s = self;

    for (int k = 0; k < s->set->n; k++)
        if (scope_of(s, k) < SCOPE_LAYER && is_defined(s, k))
            finish_heads(s, text, layer, k);
}

static bool is_last(const struct slots *slots, int layer)
{
    for (int l = layer + 1; l < slots->L; l++)
        if (wanted_layer(slots->want, l))
            return false;
    return true;
}

/* Those of SCOPE_TEXT after the last layer. */
static void done_layer(void *self, int text, int layer)
{
    struct stats *s = self;

    for (int k = 0; k < s->set->n; k++)
        if (!is_defined(s, k))
            continue;
        else if (scope_of(s, k) == SCOPE_LAYER)
            finish_layers(s, text, layer, layer, k);
        else if (scope_of(s, k) == SCOPE_TEXT && is_last(&s->slots, layer))
            finish_layers(s, text, 0, layer, k);
}

int stats_sinks(struct stats *stats, struct sink sinks[STATS_SINKS])
{
    sinks[0] = (struct sink){ .scope = SINK_HEAD, .take = take_head, .done = done_heads,
                              .self = stats, .divided = true };
    for (int k = 0; k < stats->set->n; k++)
        if (scope_of(stats, k) >= SCOPE_LAYER) {
            sinks[1] = (struct sink){ .scope = SINK_LAYER, .take = take_layer, .done = done_layer,
                                      .self = stats, .divided = true };
            return 2;
        }
    return 1;
}

const struct head_stats *stats_head(const struct stats *stats, int text, int layer,
                                    int head)
{
    const struct head_slot *slot = &stats->slot[slots_at(&stats->slots, text, layer, head)];

    return slot->mean != NULL ? &slot->stats : NULL;
}

const double *stats_map(const struct stats *stats, int text, int metric)
{
    return stats->map[text * stats->set->n + metric];
}
