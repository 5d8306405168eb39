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
    delimited_tsv(f, true, nasty, sizeof nasty - 1);
    delimited_tsv(f, false, "", 0);
    delimited_end(f);
    delimited_tsv(f, true, "3", 1);
    delimited_end(f);
    fclose(f);
    assert_string_equal(text, "a\\tb\\nc\\\\d\\re\\x00f\\x1b\\xff\xe6\x88\x91"
                              "\t\n3\n");
    free(text);
}

static void test_commas(void **state)
{
    static const char nasty[] = "a,b\n\"c\"\\d\te\0f\xff\xe6\x88\x91";
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    delimited_csv(f, true, nasty, sizeof nasty - 1);
    delimited_csv(f, false, "", 0);
    delimited_csv(f, false, "plain\\ text", 11);
    delimited_csv(f, false, "\r", 1);
    delimited_end(f);
    fclose(f);
    assert_string_equal(text, "\"a,b\n\"\"c\"\"\\d\te\\x00f\\xff\xe6\x88\x91\",,"
                              "plain\\ text,\"\r\"\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_commas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
