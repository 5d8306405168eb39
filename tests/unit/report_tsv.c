/* SPDX-License-Identifier: MIT
 * A record stays one line with its number of tabs. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static void test_record(void **state)
{
    static const char nasty[] = "a\tb\nc\\d\re\0f\x1b\xff\xe6\x88\x91";
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    tsv_field(f, true, nasty, sizeof nasty - 1);
    tsv_field(f, false, "", 0);
    tsv_end(f);
    tsv_field(f, true, "3", 1);
    tsv_end(f);
    fclose(f);
    assert_string_equal(text, "a\\tb\\nc\\\\d\\re\\x00f\\x1b\\xff\xe6\x88\x91"
                              "\t\n3\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
