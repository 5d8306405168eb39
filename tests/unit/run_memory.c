/* SPDX-License-Identifier: MIT
 * What run_memory() says of a pass, against the bytes of the heap that the pass takes. */
#include "check.h"

#include <malloc.h>
#include <stdatomic.h>

#include "run/run.h"
#include "unit/run_room.h"

enum { TOKENS = 3000 };

/* ---- the heap: the linker sends this program's calls here (--wrap) ---- */

static atomic_llong held, most;

void *__real_calloc(size_t n, size_t size);
void __real_free(void *p);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *p);

void *__wrap_calloc(size_t n, size_t size)
{
    void *p = __real_calloc(n, size);
    long long bytes = (long long)malloc_usable_size(p);
    long long now = atomic_fetch_add(&held, bytes) + bytes, before = most;

    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        continue;
    return p;
}

void __wrap_free(void *p)
{
    held -= (long long)malloc_usable_size(p);
    __real_free(p);
}

/* ---- passes ---- */

static void take(void *self, const struct rows *r, int n_heads)
{
    (void)self, (void)r, (void)n_heads;
}

/* The bytes that one text of TOKENS takes at its peak. */
static double taken(const struct model *m, const struct change *change, int n_threads)
{
    const struct sink sink = { SINK_HEAD, take, NULL, NULL };
    const bool first_layer[64] = { true };
    const struct wanted want = { .layer = first_layer, .change = change };
    const int n = TOKENS;
    struct arena text, call;
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(n_threads, &e);
    struct batch b;
    long long before;

    arena_init(&text, NULL, NULL);
    arena_init(&call, NULL, NULL);
    b = room_batch(&text, m, &n, 1, 1);
    before = held;
    most = before;
    if (run_forward(m, &b, &want, &sink, 1, par, &call, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    arena_finish(&call);
    arena_finish(&text);
    return (double)(most - before);
}

/*
 * The blocks of the arenas: each (the call's and one per thread) has one that is not
 * full and one that is spare, of 256 KiB.  A fifth: ends of large blocks, and small
 * tables (rotations, numbers of keys), which the estimate leaves out.
 */
static double tolerance(double estimate, int n_threads)
{
    return 0.2 * estimate + (n_threads + 1) * 2 * 256 * 1024.0;
}

static void estimates(void **state)
{
    static const char *const names[] = {
        "bloom", "deepseek_v2", "gemma3", "llama", "mixtral", "t5_encoder", "xlnet"
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct err e = { ERR_NONE, "" };
        char path[128];
        struct arena a;
        struct model *m;

        snprintf(path, sizeof path, "tests/ref/families/%s", names[i]);
        arena_init(&a, NULL, NULL);
        m = model_open(&a, path, &e);
        assert_non_null(m);
        m->max_tokens = TOKENS;         /* of these families, positions have no table */
        for (int k = 0; k < 4; k++) {
            const struct change change = { .precision = k < 2 ? PRECISION_F32 : PRECISION_INT8 };
            int threads = k % 2 == 0 ? 1 : 3;
            double said = run_memory(m, &change, TOKENS, threads);
            double got = taken(m, &change, threads);

            if (got > said + tolerance(said, threads))
                fail_msg("%s, %d threads, %s: %.0f bytes taken, %.0f estimated", names[i],
                         threads, precision_names[change.precision], got, said);
            /* Of several threads, one may have found nothing to do. */
            if (threads == 1 && got < said)
                fail_msg("%s: %.0f bytes taken, %.0f estimated", names[i], got, said);
        }
        model_close(m);
        arena_finish(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(estimates) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
