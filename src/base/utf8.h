/* SPDX-License-Identifier: MIT
 * UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes one code point of s[n] into *cp.  Returns its length in bytes (1..4),
 * 0 at the end (n == 0), -1 where the bytes are not UTF-8.  NUL is a character
 * like any other.
 */
int utf8_decode(const char *s, size_t n, int *cp);

/* Writes cp to dst (4 bytes at most); returns the length.  cp must be valid. */
int utf8_encode(int cp, char *dst);

/* Offset of the first byte that is not UTF-8, or n where all are. */
size_t utf8_check(const char *s, size_t n);

/*
 * True for characters that control a terminal or are invisible: C0, DEL, C1, line and
 * paragraph separators, and marks of the direction of text (U+200E/F, U+202A..E,
 * U+2066..9, U+061C).
 */
bool utf8_is_control(int cp);

/* True for noncharacters: XML cannot represent them, and cairo's PDF fails. */
bool utf8_is_noncharacter(int cp);

/*
 * The next character of s[n] (n > 0) in printable form: itself, or \n, \r, \t, \xNN or \uNNNN
 * for controls and bytes that are not UTF-8.  Writes it to piece, with a NUL; returns how many
 * bytes of s it is for.
 */
int utf8_show(const char *s, size_t n, char piece[8]);

/* Width of a text without controls on a terminal: wide characters two columns, marks none. */
size_t utf8_width(const char *s);

/*
 * Bytes of the next grapheme of s[n] (n > 0, UTF-8), a letter with its marks; *width: its columns.
 */
size_t utf8_cluster(const char *s, size_t n, int *width);

#endif
