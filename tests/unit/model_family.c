/* SPDX-License-Identifier: MIT
 * Tensor names of families, of which some are those of another family. */
#include "check.h"

#include <string.h>

#include "model/family_slots.h"

static const struct family other = {
    .stack = { .name = { [W_TOK] = "tok", [W_POS] = "pos", [W_TYPE] = "" } },
};
static const struct family alike = {
    .like = &other, .stack = { .name = { [W_POS] = "", [W_Q] = "q", [W_TOK] = "words" } },
};

static void names(void **state)
{
    (void)state;
    assert_string_equal(family_names(&other, W_POS), "pos");
    assert_string_equal(family_names(&other, W_TYPE), "");       /* not like another: a name */
    assert_null(family_names(&other, W_Q));
    assert_string_equal(family_names(&alike, W_TOK), "words");
    assert_string_equal(family_names(&alike, W_TYPE), "");
    assert_string_equal(family_names(&alike, W_Q), "q");
    assert_null(family_names(&alike, W_POS));
    assert_null(family_names(&alike, W_K));
    assert_true(family_has(&alike, W_Q));
    assert_false(family_has(&alike, W_POS));
}

/* All names are in at most two files, and exceptions differ from what they replace. */
static void check_stack(const struct family *f)
{
    if (f->like == NULL)
        return;
    if (f->like->like != NULL)
        fail_msg("%s is like %s, which is like another", f->name, f->like->name);
    for (int s = 0; s < N_SLOT; s++) {
        const char *own = f->stack.name[s], *others = f->like->stack.name[s];

        if (own != NULL && strcmp(own, others != NULL ? others : "") == 0)
            fail_msg("%s repeats the %s of %s", f->name, family_slots[s].role, f->like->name);
    }
}

static void tables(void **state)
{
    (void)state;
    for (int i = 0; family_table[i] != NULL; i++) {
        check_stack(family_table[i]);
        if (family_table[i]->decoder != NULL)
            check_stack(family_table[i]->decoder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
