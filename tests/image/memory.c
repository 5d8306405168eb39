/* SPDX-License-Identifier: MIT
 * Each allocation of draw/ itself fails in turn: an error, or the same picture. */
#include "image/figure.h"

/* Linked with --wrap: calls of this program, not those of libraries. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int until;               /* the until-th call fails; 0: none */

static bool fails(void)
{
    return until > 0 && --until == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

/* Draws until no call is left to fail; returns how many errors there were. */
static int fail_each(const struct sheet *sheet, enum draw_format format)
{
    char *good, *data;
    size_t n_good, n;
    struct err e;
    bool reached = true;
    int errors = 0;

    assert_int_equal(sheet_bytes(sheet, format, &good, &n_good, NULL, &e), 0);
    for (int at = 1; reached; at++) {
        int status;

        until = at;
        status = sheet_bytes(sheet, format, &data, &n, NULL, &e);
        reached = until == 0;
        until = 0;
        if (status != 0) {
            assert_int_equal(e.kind, ERR_SYSTEM);
            assert_null(data);
            errors++;
            continue;
        }
        assert_int_equal(n, n_good);
        assert_memory_equal(data, good, n);
        free(data);
    }
    free(good);
    return errors;
}

static void what_has_no_memory_is_no_picture(void **state)
{
    /* A PNG's row; the PNG of the cells of each panel besides. */
    static const int least[] = { [DRAW_PNG] = 2, [DRAW_SVG] = 5, [DRAW_PDF] = 1 };
    struct sample s;

    (void)state;
    sample_init(&s, 2, 5, 5, true);
    sample_labels(&s, 5, "word");
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        struct part part;
        struct sheet sheet = sample_sheet(&s, &part);

        assert_true(fail_each(&sheet, (enum draw_format)i) >= least[i]);
    }
    sample_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_memory_is_no_picture),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image memory", tests, NULL, NULL);
}
