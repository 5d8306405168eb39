/* SPDX-License-Identifier: MIT
 *
 * SentencePiece's model file: a protobuf message of pieces and settings.
 *
 *     1: piece, repeated   1: text   2: score (float)   3: type
 *     2: training          3: model type   24: blanks after words   35: byte
 *                          fallback
 *     3: normaliser        2: character map   3: blank in front   4: blanks
 *                          removed   5: blanks written as "▁" */
#ifndef TEXT_SPM_H
#define TEXT_SPM_H

#include "text/tok_priv.h"

enum spm_type {
    SPM_NORMAL = 1, SPM_UNKNOWN, SPM_CONTROL, SPM_USER, SPM_UNUSED, SPM_BYTE
};

struct spm_piece {
    struct text s;              /* NUL after it */
    float score;
    enum spm_type type;
};

enum spm_model { SPM_UNIGRAM = 1, SPM_BPE, SPM_WORD, SPM_CHAR };

struct spm {
    struct spm_piece *v;
    size_t n;
    enum spm_model model;
    bool byte_fallback;
    bool suffix;                /* blanks belong to the word before them */
    int unk;                    /* index of the unknown piece */
    struct span map;            /* of the file; size 0: none */
    bool prefix, trim, escape;
};

/*
 * Everything except the map is allocated in the arena.  Errors (ERR_INPUT): a varint of
 * more than 64 bits, a length past the end, a group, texts that are not UTF-8, none or
 * several unknown pieces, a score that is not finite, a model of another type.
 */
int spm_read(struct arena *a, struct span file, struct spm *out, struct err *e);

#endif
