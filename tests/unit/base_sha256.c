/* SPDX-License-Identifier: MIT
 * SHA-256 against the examples of FIPS 180-4 and NIST; base64 against RFC 4648. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"

static void check(const char *hex, const void *data, size_t n)
{
    unsigned char digest[SHA256_SIZE];
    char got[2 * SHA256_SIZE + 1];

    sha256_of(digest, data, n);
    for (int i = 0; i < SHA256_SIZE; i++)
        snprintf(got + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(got, hex);
}

static void digests(void **state)
{
    char *many = malloc(1000000);

    (void)state;
    check("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "", 0);
    check("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc", 3);
    check("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
          "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    assert_non_null(many);
    memset(many, 'a', 1000000);
    check("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", many, 1000000);
    free(many);
}

/* Of n bytes: what base64_write writes. */
static char *written(const void *data, size_t n)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    base64_write(f, data, n);
    fclose(f);
    return text;
}

static void letters(void **state)
{
    static const char *const want[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=",
                                        "Zm9vYmFy" };
    static const unsigned char high[] = { 0xfb, 0xff, 0xfe };
    char *got = written(high, sizeof high);

    (void)state;
    assert_string_equal(got, "+//+");
    free(got);
    for (size_t n = 0; n <= 6; n++) {
        got = written("foobar", n);
        assert_string_equal(got, want[n]);
        free(got);
    }
}

/* More than one line of the buffer: parts of a multiple of 3 bytes are a whole. */
static void long_ones_are_whole(void **state)
{
    unsigned char bytes[9000];
    char *all, *first, *rest;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i >> 3);
    all = written(bytes, sizeof bytes);
    first = written(bytes, 3072);
    rest = written(bytes + 3072, sizeof bytes - 3072);
    assert_int_equal(strlen(all), 12000);
    assert_memory_equal(all, first, 4096);
    assert_string_equal(all + 4096, rest);
    free(all);
    free(first);
    free(rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),
        cmocka_unit_test(letters),
        cmocka_unit_test(long_ones_are_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
