/* SPDX-License-Identifier: MIT
 * Pre-tokenisers: where they cut, and what each piece stands for. */
#include "text_help.h"

static const char *split(void **state, const char *json, const char *text)
{
    return help_step(*state, &presplit_table, json, text);
}

static void test_bert(void **state)
{
    const char *json = "{'type':'BertPreTokenizer'}";

    assert_string_equal(split(state, json, "Hey,  you!?"),
                        "Hey[0,3]|,[3,4]|you[6,9]|![9,10]|?[10,11]");
    assert_string_equal(split(state, json, "a\u3000b。$"),
                        "a[0,1]|b[4,5]|。[5,8]|$[8,9]");
    assert_string_equal(split(state, json, " \n "), "");
}

static void test_whitespace(void **state)
{
    assert_string_equal(split(state, "{'type':'Whitespace'}", "Hi_1 é!? x"),
                        "Hi_1[0,4]|é[5,7]|!?[7,9]|x[10,11]");
    assert_string_equal(split(state, "{'type':'WhitespaceSplit'}", "a, b\tc"),
                        "a,[0,2]|b[3,4]|c[5,6]");
}

/* Of nothing there are no parts. */
static void test_nothing(void **state)
{
    static const char *const behaviours[] = {
        "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"
    };
    struct help *h = *state;

    for (int i = 0; i < 5; i++)
        assert_string_equal(split(state, arena_printf(&h->arena, "{'type':'Split','pattern':"
            "{'String':'-'},'behavior':'%s'}", behaviours[i]), ""), "");
    assert_string_equal(split(state, "{'type':'ByteLevel'}", ""), "");
    assert_string_equal(split(state, "{'type':'Punctuation'}", ""), "");
}

static void test_digits(void **state)
{
    assert_string_equal(split(state, "{'type':'Digits','individual_digits':true}",
                              "a12b½"), "a[0,1]|1[1,2]|2[2,3]|b[3,4]|½[4,6]");
    assert_string_equal(split(state, "{'type':'Digits','individual_digits':false}",
                              "a12b"), "a[0,1]|12[1,3]|b[3,4]");
}

#define SPLIT(pattern, behaviour, invert) \
    "{'type':'Split','pattern':{" pattern "},'behavior':'" behaviour "','invert':" \
    invert "}"

static void test_behaviours(void **state)
{
    const char *text = "the-final--down-";

    assert_string_equal(split(state, SPLIT("'String':'-'", "Removed", "false"), text),
                        "the[0,3]|final[4,9]|down[11,15]");
    assert_string_equal(split(state, SPLIT("'String':'-'", "Isolated", "false"), text),
                        "the[0,3]|-[3,4]|final[4,9]|-[9,10]|-[10,11]|down[11,15]|"
                        "-[15,16]");
    assert_string_equal(split(state, SPLIT("'String':'-'", "MergedWithPrevious",
                                           "false"), text),
                        "the-[0,4]|final-[4,10]|-[10,11]|down-[11,16]");
    assert_string_equal(split(state, SPLIT("'String':'-'", "MergedWithNext", "false"),
                              text),
                        "the[0,3]|-final[3,9]|-[9,10]|-down[10,15]|-[15,16]");
    assert_string_equal(split(state, SPLIT("'String':'-'", "Contiguous", "false"), text),
                        "the[0,3]|-[3,4]|final[4,9]|--[9,11]|down[11,15]|-[15,16]");
    assert_string_equal(split(state, SPLIT("'Regex':'\\\\w+'", "Removed", "true"), text),
                        "the[0,3]|final[4,9]|down[11,15]");
}

/* Patterns that match nothing at all, or everywhere. */
static void test_empty_matches(void **state)
{
    assert_string_equal(split(state, SPLIT("'Regex':''", "Isolated", "false"), "aé"),
                        "a[0,1]|é[1,3]");
    assert_string_equal(split(state, SPLIT("'String':''", "Isolated", "false"), "aé"),
                        "a[0,1]|é[1,3]");
    assert_string_equal(split(state, SPLIT("'Regex':'x*'", "Isolated", "false"), "axxb"),
                        "a[0,1]|xx[1,3]|b[3,4]");
    assert_string_equal(split(state, SPLIT("'Regex':'(?!)'", "Isolated", "false"), "ab"),
                        "ab[0,2]");
    assert_string_equal(split(state, SPLIT("'Regex':'x'", "Removed", "true"), "ab"), "");
}

static void test_punctuation(void **state)
{
    assert_string_equal(split(state, "{'type':'Punctuation'}", "a,,b"),
                        "a[0,1]|,[1,2]|,[2,3]|b[3,4]");
    assert_string_equal(split(state, "{'type':'Punctuation','behavior':'Contiguous'}",
                              "a,,b"), "a[0,1]|,,[1,3]|b[3,4]");
}

#define BYTES(prefix, regex) \
    "{'type':'ByteLevel','add_prefix_space':" prefix ",'use_regex':" regex "}"

static void test_byte_level(void **state)
{
    assert_string_equal(split(state, BYTES("false", "true"), "don't  go\n"),
                        "don[0,3]|'t[3,5]|Ġ[5,6]|Ġgo[6,9]|Ċ[9,10]");
    assert_string_equal(split(state, BYTES("true", "true"), "é"), "ĠÃ©[0,2]");
    assert_string_equal(split(state, BYTES("true", "true"), " é"), "ĠÃ©[0,3]");
    assert_string_equal(split(state, BYTES("false", "false"), "a b"), "aĠb[0,3]");
    /* U+0085 and U+180E: white space to the one, not to the other. */
    assert_string_equal(split(state, BYTES("false", "true"), "a\xc2\x85\u180e"),
                        "a[0,1]|Âħ[1,3]|áłİ[3,6]");
}

static void test_byte_alphabet(void **state)
{
    bool seen[0x200] = { false };

    (void)state;
    for (int b = 0; b < 256; b++) {
        int cp = byte_level_char((unsigned char)b);

        assert_true(cp > 0x20 && cp < 0x200 && !seen[cp]);
        assert_int_equal(byte_level_byte(cp), b);
        seen[cp] = true;
    }
    assert_int_equal(byte_level_byte(' '), -1);
    assert_int_equal(byte_level_byte(0x144), -1);
    assert_int_equal(byte_level_byte(0x4e00), -1);
}

/* Kana count as Han, a blank goes with any; blanks at the start go. */
static void test_scripts(void **state)
{
    static const char scripts[] = "{'type':'UnicodeScripts'}";

    assert_string_equal(split(state, scripts, "Apples are りんご 林檎"),
                        "Apples are [0,11]|りんご 林檎[11,27]");
    assert_string_equal(split(state, scripts, "どこ。Yes1 グー"),
                        "どこ[0,6]|。[6,9]|Yes[9,12]|1 [12,14]|グー[14,20]");
    assert_string_equal(split(state, scripts, "  abc б"), "abc [2,6]|б[6,8]");
    assert_string_equal(split(state, scripts, "  "), "");
    assert_string_equal(split(state, scripts, "a\U0010ffff𝔘é"), "a\U0010ffff[0,5]|𝔘[5,9]|é[9,11]");
}

static void test_fixed_length(void **state)
{
    assert_string_equal(split(state, "{'type':'FixedLength'}", "Hello 我 wor"),
                        "Hello[0,5]| 我 wo[5,12]|r[12,13]");
    assert_string_equal(split(state, "{'type':'FixedLength','length':2}", "éab"),
                        "éa[0,3]|b[3,4]");
    assert_string_equal(split(state, "{'type':'FixedLength','length':2}", "abcd"),
                        "ab[0,2]|cd[2,4]");
}

static void test_sequence(void **state)
{
    assert_string_equal(split(state, "{'type':'Sequence','pretokenizers':["
                              "{'type':'WhitespaceSplit'},{'type':'Digits',"
                              "'individual_digits':true}]}", "ab1 2c"),
                        "ab[0,2]|1[2,3]|2[4,5]|c[5,6]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bert), TEST(test_whitespace), TEST(test_nothing), TEST(test_digits),
        TEST(test_behaviours), TEST(test_empty_matches), TEST(test_punctuation),
        TEST(test_byte_level), TEST(test_byte_alphabet), TEST(test_scripts),
        TEST(test_fixed_length), TEST(test_sequence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
