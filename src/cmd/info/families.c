/* SPDX-License-Identifier: MIT
 * The supported families -> the rows of info --families. */
#include "base/str.h"
#include "cmd/info/info.h"
#include "model/gguf.h"
#include "model/quirks.h"

struct family_row {
    const char *family, *stack, *norms, *positions, *reads;
    bool causal;
    struct list has, gguf;
};

enum { MOST_HAS = 16, MOST_GGUF = 8 };

static const char *const stacks[] = { "encoder", "decoder", "both", "towers", NULL };
static const char *const norms[] = {
    [PLACE_PRE] = "pre", [PLACE_POST] = "post", [PLACE_PARALLEL] = "parallel",
    [PLACE_REVERSIBLE] = "reversible", NULL
};
static const char *const reads[] = {
    [FRONT_TOKENS] = "tokens", [FRONT_PATCH] = "pixels", [FRONT_MEL_CONV] = "sound",
    [FRONT_WAVE] = "sound", "either", NULL
};
static const char *const positions[] = {
    [POS_NONE] = "none", [POS_TABLE] = "table", [POS_TABLE_FROM_IDS] = "table",
    [POS_TABLE_AFTER_PAD] = "table",
    [POS_SINUSOID] = "sinusoid", [POS_SINUSOID_CLOSED] = "sinusoid",
    [POS_SINUSOID_CLOSED_FROM_IDS] = "sinusoid", [POS_AXIAL] = "axial", [POS_ROPE] = "rope",
};

static const char *info_families_joined(struct arena *a, struct list list, const char *between)
{
    const char *const *word = list.at, *text = "";

    for (int i = 0; i < list.n; i++)
        text = arena_printf(a, "%s%s%s", text, i > 0 ? between : "", word[i]);
    return list.n > 0 ? text : "-";
}

static const char *show_has(struct arena *a, const void *row)
{
    return info_families_joined(a, ((const struct family_row *)row)->has, ", ");
}

static const char *show_gguf(struct arena *a, const void *row)
{
    return info_families_joined(a, ((const struct family_row *)row)->gguf, ", ");
}

static const char *show_causal(struct arena *a, const void *row)
{
    (void)a;
    return ((const struct family_row *)row)->causal ? "causal" : "-";
}

#define F(f) offsetof(struct family_row, f)
static const struct column columns[] = {
    { "family", "model_type of config.json", .kind = COLUMN_TEXT, .where = IN_ALL,
      .field = F(family) },
    { "stack", "which stacks it has; both: of an encoder-decoder; towers: models by themselves",
      .kind = COLUMN_TEXT, .where = IN_ALL, .choices = stacks, .field = F(stack) },
    { "norms", "where the norms of a layer are, unless the configuration says otherwise",
      .kind = COLUMN_TEXT, .where = IN_ALL, .choices = norms, .field = F(norms) },
    { "positions", "how positions come in, the same", .kind = COLUMN_TEXT, .where = IN_ALL,
      .field = F(positions) },
    { "causal", "a row of the decoder, or of the model, sees no later token", .heading = "mask",
      .kind = COLUMN_BOOL, .where = IN_ALL, .show = show_causal, .field = F(causal) },
    { "reads", "what a text is to it; either: tokens or pixels", .kind = COLUMN_TEXT,
      .where = IN_ALL, .choices = reads, .field = F(reads) },
    { "gguf", "architectures of GGUF files of the family", .kind = COLUMN_TEXT, .list = true,
      .where = IN_ALL, .show = show_gguf, .field = F(gguf) },
    { "has", "what its attention and mlp can have besides", .kind = COLUMN_TEXT, .list = true,
      .where = IN_ALL, .show = show_has, .field = F(has) },
};
#undef F

const struct record info_family_record = {
    .schema = "mha-viz/info-family/1", .help = "a family of models",
    .size = sizeof(struct family_row), RECORD_COLUMNS(columns),
};

/* "table buckets" */
static const char *positions_of(struct arena *a, const struct family *family)
{
    enum bias added = family->decoder != NULL && family->bias == BIAS_NONE ? family->decoder->bias :
                      family->bias;
    const char *own = family_has(family, W_POS_CONV) ? "convolution" : positions[family->positions];
    const char *bias;

    if (added == BIAS_ALIBI)
        return "alibi";
    bias = added == BIAS_BUCKETS || added == BIAS_BUCKETS_OF_ROW ? "buckets" :
           added != BIAS_NONE ? "relative" : NULL;
    if (bias == NULL)
        return own;
    return family->positions == POS_NONE ? bias : arena_printf(a, "%s %s", own, bias);
}

static struct list has_of(struct arena *a, const struct family *family)
{
    const struct { bool has; const char *what; } all[] = {
        { family->window_rule != WINDOW_NONE, "windows" },
        { family_has(family, W_Q_GLOBAL), "global tokens" },
        { family->defaults.sparse.block > 0, "blocks" },
        { family->defaults.chunked.near.len > 0, "chunks" },
        { family->mixer == MIXER_CONV, "layers of a gated convolution" },
        { family->mixer == MIXER_DELTA, "layers of the gated delta rule" },
        { quirks_of(family)->q_gated, "gated outputs" },
        { family_has(family, W_SINKS), "learnt sinks" },
        { family->qkv == QKV_LOW_RANK, "latent attention" },
        { family_has(family, W_Q_NORM) || quirks_of(family)->qk_norm_last, "norms of q and k" },
        { family->rope_rule != ROPE_EVERY, "layers without rope" },
        { family_has(family, W_ROUTER), "experts" },
        { family->defaults.groups.n > 0, "shared layers" },
        { family_has(family, W_IN), "bottlenecks" },
        { family_has(family, W_TAPS), "a convolution beside heads" },
        { family->defaults.streams.n > 0, "streams that mix" },
        { family->defaults.streams.n_shared > 0, "keys of earlier layers" },
    };
    const char **word = arena_alloc(a, MOST_HAS, sizeof *word);
    int n = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].has)
            word[n++] = all[i].what;
    return (struct list){ word, n };
}

static struct list gguf_of(struct arena *a, const struct family *family)
{
    const char **word = arena_alloc(a, MOST_GGUF, sizeof *word), *arch;
    int n = 0;

    for (int i = 0; n < MOST_GGUF && (arch = gguf_of_family(family, i)) != NULL; i++)
        word[n++] = arch;
    return (struct list){ word, n };
}

static struct family_row info_families_row_of(struct arena *a, const struct family *family)
{
    bool both = family->decoder != NULL, towers = family->tower[TOWER_TEXT] != NULL;
    const char *name = family->name;

    if (towers)                 /* what else is said is of the one that reads texts */
        family = family->tower[TOWER_TEXT];
    return (struct family_row){
        .family = name,
        .stack = towers ? "towers" : both ? "both" : family_stack_names[family->stack_id],
        .norms = norms[family->norm_place], .positions = positions_of(a, family),
        .reads = towers ? "either" : reads[family->front],
        .causal = both ? family->decoder->causal : family->causal || family->defaults.is_decoder,
        .has = has_of(a, family),
        .gguf = gguf_of(a, family),
    };
}

void info_families(struct arena *a, struct report *report)
{
    struct family_row *row;
    int n = 0;

    while (family_table[n] != NULL)
        n++;
    row = arena_alloc(a, (size_t)n, sizeof *row);
    for (int i = 0; i < n; i++)
        row[i] = info_families_row_of(a, family_table[i]);
    report->record = &info_family_record;
    if (report->format == REPORT_TABLE) {
        fprintf(report->file, "%d families\n", n);
        record_table(report->record, row, n, a, report->file);
        return;
    }
    for (int i = 0; i < n; i++)
        report_row(report, &row[i]);
}
