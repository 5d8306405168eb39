/* SPDX-License-Identifier: MIT
 * Few-shot texts, for probes of in-context learning: five examples of a small task, and a sixth
 * without its answer; the answers of the examples are right or, as a control, shuffled. */
#ifndef SESSION_SHOTS_H
#define SESSION_SHOTS_H

#include "session/item.h"
#include "session/session.h"

enum { N_SHOTS = 5, N_SHOT_TASKS = 3 };

/* The tasks: the next letter, the capital letter, the digit as a word. */
extern const char *const shots_names[N_SHOT_TASKS];

struct shots {
    struct item item;           /* the text without the last answer */
    int answer;                 /* id of the token that answers it */
};

/*
 * Trial number i of a task, in arena a; its examples and question are drawn by seed, the same for
 * both values of shuffled.  Requires a model for which haystack_refusal returns NULL.  Returns 1;
 * 0 if the text is too long for the model, or appending the answer changes the tokens before it;
 * -1 if it cannot be tokenised.
 */
int shots_text(const struct session *session, struct arena *a, int seed, int task, int i,
               bool shuffled, struct shots *out, struct err *e);

#endif
