/* SPDX-License-Identifier: MIT
 * Packed texts -> rows of what is shown of them, to sinks. */
#include "session/shown/average.h"
#include "session/pass.h"
#include "session/shown/shown.h"

int session_forward(const struct session *session, const struct texts *texts,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e)
{
    if (session->average != NULL)
        return average_forward(session, texts, want, sinks, n_sinks, a, e);
    n_sinks = shown_sinks(session, texts, a, &sinks, n_sinks);
    return session_pass(session, texts, want, sinks, n_sinks, a, e);
}
