/* SPDX-License-Identifier: MIT
 * Circuits -> rows of heads, and of pairs of heads. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "run/special/fold.h"
#include "task/circuits/circuits.h"

/* ---- records ---- */

struct head_row {
    struct head_id id;
    double number[N_CIRCUITS_NUMBER];
    const char *class;          /* of successor; NULL: none */
    double successor[N_CIRCUITS_CLASS], mlp[N_CIRCUITS_CLASS];
    const char *from[N_COMPOSITION];    /* NULL: there is no earlier head */
};

#define F(f) offsetof(struct head_row, f)
#define NUMBER(title, about, shown, at) \
    { title, about, .heading = shown, .format = "%.3f", .kind = COLUMN_REAL, .where = IN_ALL, \
      .null = NULL_SHOWN, .field = F(number[at]) }
#define SHARE(title, about, member) \
    { title, about, .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, \
      .field = F(member), .most = 1 }
#define FROM(title, shown, at) \
    { title, "the earlier head with that score", .heading = shown, .kind = COLUMN_TEXT, \
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(from[at]) }
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    NUMBER("copy", "sum of the eigenvalues of W_OV / sum of their magnitudes", "copy",
           CIRCUITS_COPY),
    NUMBER("copy_full", "the same of W_E W_OV W_U", "full", CIRCUITS_COPY_FULL),
    NUMBER("copy_rank", "share of the sample whose own logit is one of the five highest",
           "rank", CIRCUITS_COPY_RANK),
    NUMBER("negative_copy", "the same of the five lowest", "negative", CIRCUITS_NEGATIVE_COPY),
    NUMBER("successor", "the successor_NAME that is the least likely by chance: share of the "
           "members of a class, of 6 or more, whose highest logit within it is that of the next",
           "successor", CIRCUITS_SUCCESSOR),
    { "successor_p", "the probability that any head has such a share of any class by chance",
      .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(number[CIRCUITS_SUCCESSOR_P]), .most = 1 },
    { "successor_class", "days, months, numbers or letters: the class of that share",
      .heading = "of", .kind = COLUMN_TEXT, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(class) },
    SHARE("successor_days", "of Monday to Sunday", successor[0]),
    SHARE("successor_months", "of January to December", successor[1]),
    SHARE("successor_numbers", "of 1 to 100", successor[2]),
    SHARE("successor_letters", "of A to Z", successor[3]),
    SHARE("successor_mlp_days", "the same of what the first mlp writes, without the embedding",
          mlp[0]),
    SHARE("successor_mlp_months", "of months", mlp[1]),
    SHARE("successor_mlp_numbers", "of numbers", mlp[2]),
    SHARE("successor_mlp_letters", "of letters", mlp[3]),
    NUMBER("q_comp", "the largest Q-composition with an earlier head", "Q", CIRCUITS_Q_COMP),
    FROM("q_from", "from", 0),
    NUMBER("k_comp", "the largest K-composition", "K", CIRCUITS_K_COMP),
    FROM("k_from", "from", 1),
    NUMBER("v_comp", "the largest V-composition", "V", CIRCUITS_V_COMP),
    FROM("v_from", "from", 2),
};
#undef NUMBER
#undef SHARE
#undef FROM
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct pair_row {
    struct head_id from, to;
    double comp[N_COMPOSITION];
};

static const char *show_to(struct arena *a, const void *row)
{
    const struct head_id *to = &((const struct pair_row *)row)->to;

    return arena_printf(a, "L%dH%d", to->layer, to->head);
}

#define F(f) offsetof(struct pair_row, f)
#define PLACE(title, about, member) \
    { title, about, .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(member) }
#define COMP(title, about, shown, at) \
    { title, about, .heading = shown, .format = "%.4f", .kind = COLUMN_REAL, .where = IN_ALL, \
      .null = NULL_SHOWN, .field = F(comp[at]), .most = 1 }
static const struct column pair_columns[] = {
    { "from", "the earlier head", .heading = "from", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .show = records_head_name },
    { "into", "the later head", .heading = "into", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .show = show_to },
    PLACE("from_layer", "layer of the earlier head", from.layer),
    PLACE("from_head", "its number in the layer", from.head),
    PLACE("layer", "layer of the later head, which reads", to.layer),
    PLACE("head", "its number in the layer", to.head),
    COMP("q_comp", "|W_OV W_QK| / (|W_OV| |W_QK|), Frobenius", "Q", 0),
    COMP("k_comp", "the same with W_QK^T", "K", 1),
    COMP("v_comp", "the same with the later W_OV", "V", 2),
};
#undef PLACE
#undef COMP
#undef F

static const struct record pair_record = {
    .help = "an earlier head and a later one", .size = sizeof(struct pair_row),
    RECORD_COLUMNS(pair_columns),
};

struct model_row {
    const char *model, *family, *stack;
    bool folded, centred, positions;
    double chance;
    int sample, seed;
    struct list rows;
};

#define F(f) offsetof(struct model_row, f)
#define WHERE .where = IN_TABLE | IN_JSON
#define MODEL_ROW_COLUMNS \
    { "model", "name of the model", .kind = COLUMN_TEXT, WHERE, .field = F(model) }, \
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .field = F(family) }, \
    { "stack", "whose heads", .kind = COLUMN_TEXT, WHERE, .choices = family_stack_names, \
      .field = F(stack) }, \
    { "folded", "whether gains of norms are folded in; not where norms follow sums", \
      .kind = COLUMN_BOOL, WHERE, .field = F(folded) }, \
    { "centred", "whether the mean over the stream is taken away: of LayerNorm", \
      .kind = COLUMN_BOOL, WHERE, .field = F(centred) }, \
    { "positions_left_out", "whether the model's scores also hold positions, which these " \
      "circuits do not: rotary ones, or terms of distances", .kind = COLUMN_BOOL, WHERE, \
      .field = F(positions) }, \
    { "chance", "composition of unrelated weights: 1 / sqrt(width)", .kind = COLUMN_REAL, \
      WHERE, .field = F(chance) }
static const struct column model_columns[] = {
    MODEL_ROW_COLUMNS,
    { "sample", "tokens of which ranks are taken; null: the model predicts none, or not "
      "linearly", "tokens", .kind = COLUMN_INT, WHERE, .null = NULL_SHOWN, .field = F(sample) },
    { "seed", "of the sample", .kind = COLUMN_INT, WHERE, .field = F(seed) },
    HEADS_COLUMN(&head_record, F(rows)),
};
static const struct column pairs_columns[] = {
    MODEL_ROW_COLUMNS,
    { "pairs", "every earlier head with every later one that is selected",
      .kind = COLUMN_RECORD, .list = true, .where = IN_ALL, .of = &pair_record,
      .field = F(rows) },
};
#undef WHERE
#undef F

const struct record circuits_record = {
    .schema = "mha-viz/circuits/1", .help = "what heads do by their weights alone",
    .size = sizeof(struct model_row), RECORD_COLUMNS(model_columns),
};
const struct record circuits_pairs_record = {
    .schema = "mha-viz/circuits-pairs/1", .help = "which heads can read which earlier ones",
    .size = sizeof(struct model_row), RECORD_COLUMNS(pairs_columns),
};

/* ---- numbers ---- */

/* The earlier head with the largest score into number to; -1: there is none. */
static int best_from(const struct circuits *circuits, enum composition kind, int to)
{
    int64_t n = (int64_t)circuits->L * circuits->H;
    int best = -1;

    for (int i = 0; i < n; i++)
        if (!isnan(circuits->comp[kind][i * n + to]) &&
            (best < 0 || circuits->comp[kind][i * n + to] > circuits->comp[kind][best * n + to]))
            best = i;
    return best;
}

/* The class whose share is the least likely by chance, then the largest; -1: none is defined. */
static int best_class(const struct circuits_job *job, int at)
{
    int64_t first = (int64_t)at * job->tokens.n_classes;
    const double *p = job->found->successor_p + first, *share = job->found->successor + first;
    int best = -1;

    for (int k = 0; k < job->tokens.n_classes; k++)
        if (!isnan(p[k]) && (best < 0 || p[k] < p[best] ||
                             (p[k] == p[best] && share[k] > share[best])))
            best = k;
    return best;
}

double circuits_value(const struct circuits_job *job, int l, int h, enum circuits_number number)
{
    const struct circuits *c = job->found;
    const double *own[] = { c->copy, c->copy_full, c->copy_rank, c->negative_copy };
    int at = l * c->H + h, from;

    if (number < CIRCUITS_SUCCESSOR)
        return own[number][at];
    if (number <= CIRCUITS_SUCCESSOR_P) {
        const double *of = number == CIRCUITS_SUCCESSOR ? c->successor : c->successor_p;

        from = best_class(job, at);
        return from < 0 ? NAN : of[(int64_t)at * job->tokens.n_classes + from];
    }
    from = best_from(c, (enum composition)(number - CIRCUITS_Q_COMP), at);
    return from < 0 ? NAN : c->comp[number - CIRCUITS_Q_COMP][(int64_t)from * c->L * c->H + at];
}

/* ---- order ---- */

/* rows[n] of `size` bytes, the largest key first, or last. */
static void *circuits_in_order(const struct circuits_job *job, const char *rows, size_t size, int n,
                               const double *key)
{
    const int *order = sort_places(job->a, key, n, job->args->reverse);
    char *out = arena_alloc(job->a, (size_t)n, size);

    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * size, rows + (size_t)order[i] * size, size);
    return out;
}

/* ---- rows ---- */

static struct head_row circuits_head_row(const struct circuits_job *job, struct head_id id)
{
    const struct circuits *c = job->found;
    int at = id.layer * c->H + id.head, class = best_class(job, at);
    struct head_row row = { .id = id,
                            .class = class < 0 ? NULL : job->tokens.class[class].name };

    for (int i = 0; i < N_CIRCUITS_NUMBER; i++)
        row.number[i] = circuits_value(job, id.layer, id.head, (enum circuits_number)i);
    for (int i = 0; i < N_CIRCUITS_CLASS; i++) {
        row.successor[i] = c->successor[at * N_CIRCUITS_CLASS + i];
        row.mlp[i] = c->successor_mlp[at * N_CIRCUITS_CLASS + i];
    }
    for (int k = 0; k < N_COMPOSITION; k++) {
        int from = best_from(c, (enum composition)k, at);

        if (from >= 0)
            row.from[k] = arena_printf(job->a, "L%dH%d", from / c->H, from % c->H);
    }
    return row;
}

static struct list circuits_head_rows(const struct circuits_job *job)
{
    int n;
    const struct head_id *id = records_heads(&job->s, &job->want, job->a, &n);
    struct head_row *row = arena_alloc(job->a, (size_t)n, sizeof *row);
    double *key = arena_alloc(job->a, (size_t)n, sizeof *key);

    for (int i = 0; i < n; i++) {
        row[i] = circuits_head_row(job, id[i]);
        key[i] = job->args->sort > 0 ? row[i].number[job->args->sort - 1] : 0;
    }
    return (struct list){ circuits_in_order(job, (const char *)row, sizeof *row, n, key), n };
}

static struct list pair_rows(const struct circuits_job *job)
{
    const struct circuits *c = job->found;
    int count, n = 0;
    const struct head_id *id = records_heads(&job->s, &job->want, job->a, &count);
    uint64_t most = (uint64_t)count * (uint64_t)c->L * (uint64_t)c->H;
    struct pair_row *row = arena_alloc(job->a, most, sizeof *row);
    double *key = arena_alloc(job->a, most, sizeof *key);

    for (int i = 0; i < count; i++)
        for (int from = 0; from < id[i].layer * c->H; from++) {
            int64_t at = (int64_t)from * c->L * c->H + id[i].layer * c->H + id[i].head;

            row[n] = (struct pair_row){
                { id[i].stack, from / c->H, from % c->H }, id[i],
                { c->comp[0][at], c->comp[1][at], c->comp[2][at] } };
            key[n++] = job->args->sort > 0 ?
                           c->comp[job->args->sort - 1 - CIRCUITS_Q_COMP][at] : 0;
        }
    return (struct list){ circuits_in_order(job, (const char *)row, sizeof *row, n, key), n };
}

/* ---- the report ---- */

/* Whether scores hold more than queries and keys by themselves. */
static bool has_positions(const struct model *model)
{
    return model->rope[0].inv_freq != NULL || model->family->bias != BIAS_NONE ||
           model->alibi != NULL ||
           model_attending(model)->slot[W_DISTANCE].weight != NULL;
}

static struct model_row model_row(const struct circuits_job *job)
{
    const struct session *s = &job->s;
    bool tokens = circuits_has_tokens(s->shown);

    return (struct model_row){
        .model = s->model->name, .family = s->model->family->name,
        .stack = family_stack_names[s->stack], .folded = fold_is_on(s->shown),
        .centred = fold_is_centred(s->shown), .positions = has_positions(s->shown),
        .chance = 1 / sqrt(s->shown->config.d_model), .sample = tokens ? job->tokens.n : -1,
        .seed = job->asked.seed,
        .rows = job->args->edges ? pair_rows(job) : circuits_head_rows(job),
    };
}

static void print_lead(const struct circuits_job *job, const struct model_row *row, FILE *file)
{
    fprintf(file, "%s: weights of the %s%s%s%s\ncomposition by chance: %.4f",
            report_clean(job->a, row->model, strlen(row->model)), row->stack,
            row->folded ? ", norms folded" : ", without their norms, which follow the sums",
            row->centred ? ", centred" : "",
            row->positions ? "; positions left out of W_QK" : "", row->chance);
    if (!job->args->edges && row->sample > 0)
        fprintf(file, "; ranks of %d token%s, seed %d", row->sample, str_plural(row->sample),
                row->seed);
    putc('\n', file);
}

void circuits_report(const struct circuits_job *job, FILE *file)
{
    bool pairs = job->args->edges;
    struct report report = { pairs ? &circuits_pairs_record : &circuits_record,
                             (enum report_format)job->output.format, file, false,
                             job->s.provenance };
    struct model_row row = model_row(job);

    if (report.format == REPORT_TABLE)
        print_lead(job, &row, file);
    report_row_or_table(&report, &row, "", pairs ? &pair_record : &head_record, row.rows, job->a);
}
