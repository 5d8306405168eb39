/* SPDX-License-Identifier: MIT
 * All texts, once more from the beginning. */
#include "cmd/ablate/ablate.h"

int ablate_each(struct ablate_job *j,
                int (*fn)(void *self, struct arena *a, const struct item *item, struct err *e),
                void *self, struct err *e)
{
    struct session *s = &j->job.s;
    const struct env *env = s->env;
    struct env quiet = *env;
    const struct asked *asked = s->asked;
    struct asked whole = *asked;
    struct budget *budget = s->budget;
    struct input *before = s->input, *in;
    int status = -1;

    quiet.warn = quiet.note = NULL;
    whole.shard = NULL;
    s->asked = &whole;
    s->env = &quiet;
    s->budget = NULL;
    in = input_open(s, j->job.n_operands, j->job.operands, e);
    if (in != NULL)
        status = input_each(in, fn, self, e);
    input_close(s, before);
    s->asked = asked;
    s->env = env;
    s->budget = budget;
    return status;
}
