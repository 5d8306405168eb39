/* SPDX-License-Identifier: MIT
 * Packed texts -> rows of what is shown of them, to sinks. */
#include "session/average.h"
#include "session/pass.h"
#include "session/shown.h"

int session_forward(const struct session *s, const struct texts *t, const struct wanted *want,
                    const struct sink *sinks, int n_sinks, struct arena *a, struct err *e)
{
    if (s->average != NULL)
        return average_forward(s, t, want, sinks, n_sinks, a, e);
    n_sinks = shown_sinks(s, t, a, &sinks, n_sinks);
    return session_pass(s, t, want, sinks, n_sinks, a, e);
}
