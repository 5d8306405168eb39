/* SPDX-License-Identifier: MIT
 * What mechanisms.c measures, and mechanisms_record.c and mechanisms_picture.c show. */
#ifndef CMD_MECHANISMS_H
#define CMD_MECHANISMS_H

#include "analysis/mechanisms.h"
#include "cmd/figure.h"
#include "cmd/records.h"
#include "cmd/results.h"

/* One text's figures. */
struct mechanisms_text {
    const struct session *s;
    const struct item *item;
    const struct mechanisms *c;
    const bool *layer;              /* [L] */
    bool propagated, named;         /* change is there; the text has its number above */
    int kept_head;                  /* -1: none */
    double change[N_MECHANISM];     /* of the last hidden state, relative */
    const char *refused[N_MECHANISM];   /* why change is not there */
};

/* One table per layer. */
void mechanisms_table(const struct mechanisms_text *t, struct arena *a, FILE *f);

/* In TSV and JSON: the record of a report, and one text of it. */
extern const struct record mechanisms_record;
const struct record *mechanisms_report(struct arena *a, bool propagated);
void mechanisms_row(const struct mechanisms_text *t, struct arena *a, struct report *r);

/* The rows of one head in one layer, one heatmap per mechanism. */
int mechanisms_picture(const struct mechanisms_text *t, struct arena *a, int layer,
                       const struct figure_args *figure, int columns,
                       enum draw_format format, const char *path, struct err *e);

/*
 * Weights of `additive` for heads of width d: W [a, d], U [a, d], v [a] of a .safetensors
 * file, one after another; *width: a.  NULL and ERR_INPUT: one is missing, has another
 * shape (both are named) or type, or holds what is not finite.
 */
const float *mechanisms_additive_read(struct arena *a, const char *path, int d, int *width,
                                      struct err *e);

#endif
