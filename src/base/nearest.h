/* SPDX-License-Identifier: MIT
 * A name that does not exist -> the one that was probably meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

enum { NEAREST_FAR = 999 };

/*
 * Damerau-Levenshtein distance (bytes; a pair swapped counts once); NEAREST_FAR for two
 * names of which one has over 255 bytes, unless they are the same.
 */
int nearest_distance(const char *a, const char *b);

/*
 * The one of names (NULL ends) that begins with typed, if there is only one such, else the
 * nearest, if it is near enough to be meant; or NULL.
 */
const char *nearest_name(const char *typed, const char *const *names);

#endif
