/* SPDX-License-Identifier: MIT
 * The points of curves -> rows, one per point. */
#include <math.h>

#include "task/curve/curve.h"

struct point_row {
    const char *line, *name;    /* name: of the place; NULL: it is a number */
    double place, value, low, high;
};

#define F(f) offsetof(struct point_row, f)
static const struct column point_columns[] = {
    { "line", "what the line is of: a head, a layer, a mean, a model", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .field = F(line) },
    { "place", "where along the axis: a layer, a position, a distance, a generated token from 1, "
      "or the number of a model from 0", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .field = F(place) },
    { "place_name", "the model that stands there", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(name) },
    { "value", "the metric, the mean over the texts", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .field = F(value) },
    { "low", "lower end of its 95 % interval; null: of fewer than 5 texts", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(low) },
    { "high", "upper end", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(high) },
};
#undef F

static const struct record point_record = {
    .help = "a number of a line", .size = sizeof(struct point_row),
    RECORD_COLUMNS(point_columns),
};

struct curve_row {
    const char *model, *metric, *unit, *over;
    int64_t n_texts;
    int n_replicates;           /* of the bootstrap; 0: intervals are Student's */
    struct records_shown shown;
    struct list points;
};

#define F(f) offsetof(struct curve_row, f)
static const struct column curve_columns[] = {
    { "model", "name of the first model", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(model) },
    { "metric", "name of the metric", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(metric) },
    { "unit", "its unit; empty: none", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(unit) },
    { "over", "what the places are", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(over) },
    { "n_texts", "texts of each model that numbers are means over", "texts", .kind = COLUMN_LONG,
      .where = IN_JSON, .field = F(n_texts) },
    { "bootstrap", "replicates that intervals are of; 0: Student's distribution",
      .kind = COLUMN_INT, .where = IN_JSON, .field = F(n_replicates) },
    SHOWN_OPTION_COLUMNS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "points", "one object per number of a line; those of single heads, which a picture has as "
      "dots, come last", .kind = COLUMN_RECORD, .list = true, .where = IN_TSV | IN_JSON,
      .of = &point_record, .field = F(points) },
};
#undef F

const struct record curve_record = {
    .schema = "mha-viz/curve/1", .help = "the numbers of lines", .size = sizeof(struct curve_row),
    RECORD_COLUMNS(curve_columns),
};

/* Heads beside the mean of their layer. */
static int curve_add_heads(const struct curve_job *job, struct arena *a, struct point_row *row)
{
    int n = 0;

    for (int i = 0; job->heads != NULL && i < job->n_heads; i++) {
        struct summary_estimate found = summary_of(job->heads, i);
        double low = NAN, high = NAN;

        if (isnan(found.mean))
            continue;
        curve_interval(job, &found, &low, &high);
        row[n++] = (struct point_row){ curve_head_name(job, a, job->head[i]), NULL,
                                       job->head[i].layer, found.mean, low, high };
    }
    return n;
}

static struct list points_of(const struct curve_job *jobs, const struct curve *curve,
                             struct arena *a)
{
    size_t most = (size_t)curve->n_lines * (size_t)curve->n + (size_t)jobs->n_heads + 1;
    struct point_row *row = arena_alloc(a, most, sizeof *row);
    int n = 0;

    for (int i = 0; i < curve->n_lines; i++)
        for (int k = 0; k < curve->n; k++) {
            const struct curve_line *line = &curve->line[i];

            if (!isnan(line->y[k]))
                row[n++] = (struct point_row){
                    line->name, curve->x_label != NULL ? curve->x_label[k] : NULL, curve->x[k],
                    line->y[k], line->low[k], line->high[k] };
        }
    n += curve_add_heads(jobs, a, row + n);
    return (struct list){ row, n };
}

static const struct record *curve_record_of(const struct curve_job *job, const struct curve *curve)
{
    static const char *const of_places[] = { "place_name", NULL };
    const struct record *r = records_without_shown(&job->job.s, &curve_record);

    return curve->x_label != NULL ? r :
           record_without(job->job.s.a, r, IN_TSV | IN_JSON, of_places);
}

int curve_write(struct curve_job *jobs, const struct curve *curve, struct err *e)
{
    const struct session *s = &jobs->job.s;
    const struct metric *metric = &metric_table[jobs->metric];
    struct results *results = &jobs->job.results;
    struct curve_row row = {
        s->name, metric->name, metric->unit, curve_overs[jobs->args->over], jobs->n_texts,
        jobs->args->bootstrap, records_shown_asked(s), points_of(jobs, curve, s->a),
    };

    results->run = s->provenance;
    if (results_open(results, curve_record_of(jobs, curve), NULL, e) != 0)
        return -1;
    report_begin(&results->report);
    report_row(&results->report, &row);
    results_finish(results);
    return output_close(&results->output, 0, e);
}
