/* SPDX-License-Identifier: MIT
 * Small tasks that are shown by five examples, and a sixth whose answer is asked for; with the
 * answers of the examples as they are, or shuffled, so that they show nothing. */
#ifndef SESSION_SHOTS_H
#define SESSION_SHOTS_H

#include "session/item.h"
#include "session/session.h"

enum { N_SHOTS = 5, N_SHOT_TASKS = 3 };

/* The letter after this one, the capital letter, the digit as a word. */
extern const char *const shots_names[N_SHOT_TASKS];

struct shots {
    struct item item;           /* up to the answer */
    int answer;                 /* the token that would follow */
};

/*
 * Trial number i of a task, of arena a; what is asked and shown is drawn by seed, the same for
 * both values of shuffled.  For a model that haystack_refusal accepts.  Returns 1, 0 where the
 * model takes too few tokens, or the answer changes the tokens before it; -1: it cannot be
 * tokenised.
 */
int shots_text(const struct session *s, struct arena *a, int seed, int task, int i,
               bool shuffled, struct shots *out, struct err *e);

#endif
