/* SPDX-License-Identifier: MIT
 * diff: what changed in each head, between two models, precisions or texts. */
#include <math.h>
#include <string.h>

#include "cmd/diff.h"
#include "cmd/figure.h"
#include "cmd/results.h"
#include "draw/heatmap.h"

enum shown { SHOWN_CHANGE, SHOWN_JS, SHOWN_LINKS };
static const char *const metrics[] = { "entropy", "js", "links_kept", NULL };
static const struct former former_metrics[] = {
    { "links", "links_kept" }, { "links_changed", "links_kept" }, { "flips", "links_kept" },
    { NULL, NULL }
};

struct diff_args {
    struct shared_args shared;
    struct opt_list models, attentions, dtypes;
    int metric, dpi;
    double tolerance;
};

static const struct opt_values dtype_values = { .words = precision_names };

#define F(f) offsetof(struct diff_args, f)
static const struct opt opts[] = {
    LIST('m', "model", "PATH|NAME", F(models), &model_values,
         "a model, as elsewhere; given twice: the two that are compared"),
    LIST(0, "attention", "FILE", F(attentions), &opt_files,
         ".npz or .npy of precomputed attention; given twice: the two that are compared"),
    LIST(0, "dtype", "NAME", F(dtypes), &dtype_values,
         "round the operands of each product to f32, bf16 or f16; given twice: the two that "
         "are compared"),
    REAL(0, "tolerance", "JS", F(tolerance), NULL, 0, 1,
         "exit with status 1 if the mean divergence of a head exceeds this, in nats"),
    END
};

static const struct opt picture_opts[] = {
    CHOICE_RENAMED(0, "metric", "NAME", F(metric), "entropy", metrics, former_metrics,
                   "what a picture shows per layer and head; entropy: its signed change"),
    INT(0, "dpi", "N", F(dpi), "100", 10, 1200, "PNG resolution in dots per inch"),
    END
};
static const struct opt_group picture_group = { "figure", picture_opts };
#undef F

static const struct opt_group *const groups[] = {
    &output_all.group, &picture_group, &layer_group, &rows_group, &seed_group, &qkv_group,
    &text_group, &select_group, &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz diff 'the cat saw the dog' 'the dog saw the cat'",
    "mha-viz diff --dtype f32 --dtype bf16 -o bf16.png 'the cat saw the dog'",
    NULL
};

struct job {
    const struct diff_args *args;
    const struct env *env;
    struct arena *a;
    struct session session[2];
    int n_sessions;
    struct diff_side side[2];
    bool texts;                 /* two texts, not one in two ways */
    struct results results;
    struct {
        double js;
        int layer, head;
    } worst;                    /* the head that differs most, of all texts */
};

/* ---- what is compared ---- */

/* The item of a list that side i takes: its own, or the one that both have. */
static const char *item_of(const struct opt_list *list, int i)
{
    return list->n == 0 ? NULL : list->item[i < list->n ? i : list->n - 1];
}

static int parse_dtype(const char *name, int *dtype, struct err *e)
{
    for (int i = 0; precision_names[i] != NULL; i++)
        if (name == NULL || strcmp(precision_names[i], name) == 0) {
            *dtype = i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "--dtype: '%s' is not one of f32, bf16, f16, int8, q8_0, "
                   "q5_0, q4_0", name);
}

static int check_sides(struct job *j, int n_operands, struct err *e)
{
    const struct diff_args *args = j->args;
    bool two_ways = args->models.n == 2 || args->attentions.n > 0 || args->dtypes.n == 2;

    j->texts = !two_ways;
    if (args->attentions.n > 0 &&
        (args->models.n + args->attentions.n > 2 || args->dtypes.n == 2))
        return err_set(e, ERR_USAGE, "--attention: expected two of them, or one and a model");
    if (!two_ways && (n_operands != 2 || args->shared.asked.file != NULL))
        return err_set(e, ERR_USAGE, "expected two models (-m A -m B), two precisions "
                       "(--dtype f32 --dtype bf16), two texts, or --attention to compare");
    return 0;
}

static int open_side(struct job *j, int i, int n_operands, char **operands,
                     struct err *e)
{
    struct diff_side *side = &j->side[i];
    const struct diff_args *args = j->args;
    bool precomputed = i + args->attentions.n >= 2;

    side->args = args->shared.asked;
    if (precomputed) {
        side->args.attention = item_of(&args->attentions, i);
        n_operands = args->attentions.n == 2 ? n_operands : 0;      /* the model's text */
    } else {
        side->args.model = item_of(&args->models, i);
        if (parse_dtype(item_of(&args->dtypes, i), &side->args.dtype, e) != 0)
            return -1;
    }
    if (i < 1 || args->models.n == 2 || precomputed) {
        if (session_open(&j->session[i], &side->args, false, j->env, e) != 0)
            return -1;
        j->n_sessions++;
    }
    side->s = &j->session[j->n_sessions - 1];
    side->s->asked = &side->args;
    if (session_select(side->s, j->texts ? 1 : n_operands, false, &side->want, e) != 0)
        return -1;
    if (side->s->rules != NULL && !side->args.jsonl)    /* each would say its own */
        return err_set(e, ERR_USAGE, "--stack: '%s' requires a text for the decoder: "
                       "TEXT_B, --decoder-ids or -f FILE with --pairs or --jsonl",
                       side->args.stack);
    side->s->rules = NULL;
    side->change = side->s->change;
    side->want.change = &side->change;
    side->in = input_open(side->s, j->texts ? 1 : n_operands,
                          j->texts ? operands + i : operands, e);
    return side->in != NULL ? 0 : -1;
}

/* A file of precomputed rows may lack layers that the other side has. */
static int check_layers(const struct job *j, struct err *e)
{
    const struct diff_side *x = &j->side[0], *y = &j->side[1];

    for (int layer = 0; layer < x->s->n_layers; layer++)
        if (wanted_layer(&x->want, layer) != wanted_layer(&y->want, layer))
            return err_set(
                e, ERR_INPUT, "layer %d is only in %s (-l selects layers)", layer,
                wanted_layer(&x->want, layer) ? x->s->model->name : y->s->model->name);
    return 0;
}

static int check_models(const struct job *j, struct err *e)
{
    const struct config *a = &j->side[0].s->shown->config;
    const struct config *b = &j->side[1].s->shown->config;

    if (j->side[0].s->stack != j->side[1].s->stack)
        return err_set(e, ERR_INPUT, "%s shows its %s, %s its %s: expected the same stack",
                       j->side[0].s->model->name, family_stack_names[j->side[0].s->stack],
                       j->side[1].s->model->name, family_stack_names[j->side[1].s->stack]);
    if (a->n_layers == b->n_layers && a->n_heads == b->n_heads)
        return check_layers(j, e);
    return err_set(e, ERR_INPUT, "%s has %d layers of %d heads, %s has %d of %d: expected "
                   "the same", j->side[0].s->model->name, a->n_layers, a->n_heads,
                   j->side[1].s->model->name, b->n_layers, b->n_heads);
}

/* ---- the two passes ---- */

static int forward(struct job *j, int i, struct sink sink, struct err *e)
{
    struct diff_side *side = &j->side[i];
    struct texts texts;

    texts_pack(&texts, j->a, &side->item, 1);
    return session_forward(side->s, &texts, &side->want, &sink, 1, j->a, e);
}

static struct axis_pair pair_of(struct arena *a, const struct tokens *first,
                                const struct tokens *second, int *n)
{
    int *first_of = arena_alloc(a, (size_t)second->n, sizeof *first_of);

    *n = compare_pair(a, first->piece, first->n, second->piece, second->n, first_of);
    return (struct axis_pair){ first->n, second->n, first_of };
}

static int run_pair(struct job *j, struct diff_pair *p, struct err *e)
{
    const struct diff_side *x = &j->side[0], *y = &j->side[1];
    const struct config *config = &x->s->shown->config;
    struct compare *compare;
    int n_keys;
    struct axis_pair queries = pair_of(j->a, session_queries(x->s, &x->item),
                                       session_queries(y->s, &y->item), &p->n_paired);
    struct axis_pair keys = pair_of(j->a, session_keys(x->s, &x->item),
                                    session_keys(y->s, &y->item), &n_keys);

    compare = compare_new(j->a, config->n_layers, config->n_heads, queries, keys);
    p->compare = compare;
    if (forward(j, 0, compare_first(compare), e) != 0)
        return -1;
    return forward(j, 1, compare_second(compare), e);
}

/* ---- the title ---- */

static const char *side_name(const struct job *j, struct arena *a, int i)
{
    const struct diff_side *side = &j->side[i];
    const char *dtype = precision_names[side->args.dtype];

    if (j->texts)
        return arena_printf(a, "“%.*s”", (int)side->item.text_size, side->item.text);
    if (j->args->dtypes.n == 2)
        return arena_printf(a, "%s in %s", side->s->model->name, dtype);
    return side->s->model->name;
}

/* "A -> B", and how many tokens are compared where that is not all. */
static char *title(const struct job *j, const struct diff_pair *p)
{
    int count = session_queries(j->side[1].s, &j->side[1].item)->n;
    char *text = arena_printf(j->a, "%s → %s", side_name(j, j->a, 0),
                              side_name(j, j->a, 1));

    if (p->n_paired == count &&
        count == session_queries(j->side[0].s, &j->side[0].item)->n)
        return text;
    return arena_printf(j->a, "%s (%d tokens in common)", text, p->n_paired);
}

/* ---- the picture: layers below each other, heads side by side ---- */

static float shown_of(const struct diff_pair *p, int metric, int l, int h)
{
    struct diff_head row = diff_head(p, l, h);

    return (float)(metric == SHOWN_JS ? row.d.js :
                   metric == SHOWN_LINKS ? row.d.links_kept : row.entropy_change);
}

static struct label_list numbered(struct arena *a, char letter, int n)
{
    const char **text = arena_alloc(a, (size_t)n, sizeof *text);

    for (int i = 0; i < n; i++)
        text[i] = arena_printf(a, "%c%d", letter, i);
    return (struct label_list){ n, text, NULL };
}

static int draw(const struct job *j, const struct diff_pair *p, struct err *e)
{
    static const char *const shows[] = {
        "change of entropy (nats)", "divergence (nats)", "strongest links kept",
    };
    const struct diff_args *args = j->args;
    const struct config *config = &j->side[0].s->shown->config;
    int L = config->n_layers, H = config->n_heads, cell_px, pool;
    bool is_signed = args->metric == SHOWN_CHANGE;
    float *value = arena_alloc(j->a, (size_t)L, (size_t)H * sizeof *value), largest = 0;
    struct panel panel = { shows[args->metric], L, H, value };
    struct heatmaps maps;
    struct part part;

    for (int i = 0; i < L * H; i++)
        value[i] = NAN;
    for (int layer = 0, head = -1;
         session_next_head(j->side[0].s, &j->side[0].want, &layer, &head); ) {
        value[layer * H + head] = shown_of(p, args->metric, layer, head);
        largest = fmaxf(largest, fabsf(value[layer * H + head])); /* NaN: passed over */
    }
    heatmap_plan(L, H, 1, 1, 0, args->dpi, &cell_px, &pool);
    if (pool > 1)
        return err_set(e, ERR_USAGE, "%d x %d heads do not fit in a picture", L, H);
    maps = (struct heatmaps){
        .n_panels = 1, .panels = &panel, .columns = 1,
        .rows = numbered(j->a, 'L', L), .cols = numbered(j->a, 'H', H), .pool = 1,
        .cmap = cmap_find(is_signed ? "bluered" : "viridis"),
        .vmin = is_signed ? -largest : 0,
        .vmax = args->metric == SHOWN_LINKS ? 1 : largest > 0 ? largest : 1e-6f,
        .cell_px = cell_px,
    };
    part = heatmap_part(&maps);
    return sheet_write(&(struct sheet){
        .caption = title(j, p), .dpi = args->dpi, .n_parts = 1, .parts = &part,
    }, figure_format(&j->results.output),
       output_name(&j->results.output, j->a, j->side[0].item.index), j->env->warn, e);
}

/* ---- the command ---- */

static void keep_worst(struct job *j, int layer, int head, double js)
{
    if (!(js > j->worst.js))
        return;
    j->worst.js = js;
    j->worst.layer = layer;
    j->worst.head = head;
}

static int one_pair(struct job *j, struct err *e)
{
    struct diff_pair pair = { .side = j->side };

    if (run_pair(j, &pair, e) != 0)
        return -1;
    for (int l = 0, h = -1; session_next_head(j->side[0].s, &j->side[0].want, &l, &h); )
        keep_worst(j, l, h, compare_head(pair.compare, l, h).js);
    if (output_is_picture(&j->results.output))
        return draw(j, &pair, e);
    if (results_begin(&j->results, j->a, &j->side[0].item, e) != 0)
        return -1;
    if (j->results.report.format == REPORT_TABLE)
        diff_table(&pair, title(j, &pair), j->results.named && j->side[0].item.index > 0,
                   j->a, j->results.report.file);
    else
        diff_row(&pair, j->a, &j->results.report);
    return results_end(&j->results, e);
}

/* The next text that both sides can use; as input_next. */
static int next_pair(struct job *j, struct err *e)
{
    struct diff_side *x = &j->side[0], *y = &j->side[1];
    int status = input_next(x->in, j->a, &x->item, e);

    if (status == 1)
        status = input_next(y->in, j->a, &y->item, e);
    while (status == 1 && x->item.index != y->item.index) {
        struct diff_side *other = x->item.index < y->item.index ? x : y;

        status = input_next(other->in, j->a, &other->item, e);
    }
    return status;
}

static int all_pairs(struct job *j, struct err *e)
{
    struct input *in = j->side[0].in;
    struct arena_mark mark = arena_mark(j->a);
    int status;

    input_begin(in);
    while ((status = next_pair(j, e)) == 1) {
        input_work(in);
        if (one_pair(j, e) != 0) {
            if (e->kind != ERR_INPUT || !input_is_file(in))
                return -1;
            input_reject(in, &j->side[0].item, e);
        }
        input_worked(in, 1);
        arena_reset(j->a, mark);
    }
    input_end(in);
    return status;
}

static int report(struct job *j, struct err *e)
{
    int status;

    if (output_is_picture(&j->results.output)) {
        if (input_is_file(j->side[0].in) && !j->results.output.folder)
            return err_set(e, ERR_USAGE, "several texts require a folder for their "
                           "pictures: -o DIR/");
        status = all_pairs(j, e);
        return input_result(j->side[0].in, input_result(j->side[1].in, status, e), e);
    }
    if (results_open(&j->results, &diff_record, j->side[0].in, e) != 0)
        return -1;
    status = all_pairs(j, e);
    status = results_close(&j->results, j->side[0].in, status, e);
    return input_result(j->side[1].in, status, e);
}

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    if (output_plan(&j->results.output, &j->args->shared.common.output, &output_all, NULL,
                    j->a, e) != 0)
        return -1;
    if (check_sides(j, n_operands, e) != 0 ||
        open_side(j, 0, n_operands, operands, e) != 0 ||
        open_side(j, 1, n_operands, operands, e) != 0 || check_models(j, e) != 0 ||
        report(j, e) != 0)
        return -1;
    if (j->worst.js > j->args->tolerance)
        return err_set(e, ERR_NEGATIVE, "L%dH%d differs by %.3g nats, more than %g",
                       j->worst.layer, j->worst.head, j->worst.js, j->args->tolerance);
    return 0;
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct env rereads = *env;      /* each side reads the texts */
    struct job job = { .args = args, .env = &rereads, .a = env->arena };
    int status;

    rereads.again = true;
    status = run_job(&job, n_operands, operands, e);

    for (int i = 0; i < job.n_sessions; i++)
        session_close(&job.session[i]);
    return status;
}

const struct cmd cmd_diff = {
    .name = "diff", .summary = "compare the heads of two models, precisions or texts",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct diff_args), .examples = examples,
    .max_operands = 2, .run = run,
    .records = (const struct record *const[]){ &diff_record, NULL },
};
