/* SPDX-License-Identifier: MIT
 * Which metrics a list of names asks for. */
#include "check.h"

#include <string.h>

#include "analysis/choice.h"

static int count(const bool *set)
{
    int n = 0;

    for (int i = 0; i < N_METRIC; i++)
        n += set[i];
    return n;
}

static int in_group(enum metric_group group)
{
    int n = 0;

    for (int i = 0; i < N_METRIC; i++)
        n += metric_table[i].group == group;
    return n;
}

static void groups_and_names(void **state)
{
    struct metric_choice basic = metric_choice_basic(), some = { 0 }, all = { 0 },
                         scale = { 0 }, profile = { 0 };
    struct err e;

    (void)state;
    assert_int_equal(count(basic.wanted), in_group(METRIC_BASIC));
    assert_int_equal(count(basic.named), 0);
    assert_int_equal(metric_choice_add(&some, "self,entropy,self", &e), 0);
    assert_int_equal(count(some.wanted), 2);
    assert_true(some.wanted[METRIC_self] && some.named[METRIC_entropy]);
    assert_int_equal(metric_choice_add(&some, "basic", &e), 0);
    assert_int_equal(count(some.wanted), count(basic.wanted));
    assert_int_equal(count(some.named), 2);
    assert_int_equal(metric_choice_add(&all, "all", &e), 0);
    assert_int_equal(count(all.wanted), in_group(METRIC_BASIC) + in_group(METRIC_ALL));
    assert_int_equal(metric_choice_add(&scale, "scale", &e), 0);
    assert_int_equal(count(scale.wanted), in_group(METRIC_SCALE));
    assert_int_equal(count(scale.named), in_group(METRIC_SCALE));
    assert_int_equal(metric_choice_add(&profile, "profile", &e), 0);
    assert_int_equal(count(profile.wanted), in_group(METRIC_PROFILE));
    assert_true(profile.named[METRIC_profile] && profile.named[METRIC_profile_peak]);
    assert_false(profile.named[METRIC_profile_lift]);
}

static void kinds_without_a_place(void **state)
{
    struct metric_choice c = { 0 }, named = { 0 };
    struct err e;

    (void)state;
    assert_int_equal(metric_choice_add(&c, "all,kovaleva", &e), 0);
    assert_true(c.wanted[METRIC_received]);
    assert_int_equal(metric_choice_drop(&c, METRIC_LIST, "no room", &e), 0);
    assert_false(c.wanted[METRIC_received]);
    assert_int_equal(metric_choice_drop(&c, METRIC_WORD, "no room", &e), -1);
    assert_string_equal(e.msg, "'kovaleva' is a word: no room");
    assert_int_equal(metric_choice_add(&named, "received", &e), 0);
    assert_int_equal(metric_choice_drop(&named, METRIC_LIST, "no room", &e), -1);
    assert_string_equal(e.msg, "'received' is a list: no room");
}

static void names_that_do_not_exist(void **state)
{
    static const struct { const char *list, *says; } wrong[] = {
        { "entropie", "'entropie' is not a metric; did you mean 'entropy'?" },
        { "self,", "'' is not a metric" },
        { "", "'' is not a metric" },
        /* 63 are enough to say that it is none */
        { "0123456789012345678901234567890123456789012345678901234567890123",
          "'012345678901234567890123456789012345678901234567890123456789012' is not a metric" },
        { "quux", "'quux' is not a metric; `mha-viz help metrics` lists them" },
        { "basic,a_name_that_is_longer_than_sixty_three_bytes_and_so_than_each_of_those_there_are",
          "'a_name_that" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct metric_choice c = { 0 };
        struct err e;

        assert_int_equal(metric_choice_add(&c, wrong[i].list, &e), -1);
        assert_int_equal(e.kind, ERR_USAGE);
        if (strstr(e.msg, wrong[i].says) == NULL)
            fail_msg("'%s': %s", wrong[i].list, e.msg);
    }
}

static void values_in_their_places(void **state)
{
    struct metric_choice c = { 0 };
    const double value[] = { 1, 2 };
    double all[N_METRIC];
    struct arena arena;
    struct err e;
    int n;
    const struct metric *list;

    (void)state;
    arena_init(&arena, NULL, NULL);
    assert_int_equal(metric_choice_add(&c, "first,max_mean", &e), 0);
    list = metric_choice_list(&c, &arena, &n);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].name, "max_mean");
    assert_string_equal(list[1].name, "first");
    metric_choice_spread(&c, value, all);
    assert_true(all[METRIC_max_mean] == 1 && all[METRIC_first] == 2);
    assert_true(isnan(all[METRIC_entropy]));
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_names), cmocka_unit_test(kinds_without_a_place),
        cmocka_unit_test(names_that_do_not_exist),
        cmocka_unit_test(values_in_their_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
