/* SPDX-License-Identifier: MIT
 * The entropy of each head of a sentence, through libmhaviz:
 *
 *     cc -o embed embed.c $(pkg-config --cflags --libs mhaviz)
 *     ./embed 'the cat saw the dog'
 */
#include <stdio.h>

#include <mhaviz.h>

static int print_entropy(struct mhaviz_model *model, const struct mhaviz_text *text,
                         struct mhaviz_error *error)
{
    struct mhaviz_stats *stats = NULL;
    const struct mhaviz_head *head;
    const double *entropy;
    int n;

    if (mhaviz_stats_open(model, text, NULL, &stats, error) != MHAVIZ_OK)
        return -1;
    if (mhaviz_stats_heads(stats, &head, &n, error) == MHAVIZ_OK &&
        mhaviz_stats_metric(stats, "entropy", &entropy, &n, error) == MHAVIZ_OK)
        for (int i = 0; i < n; i++)
            printf("L%dH%d\t%.3f\n", head[i].layer, head[i].head, entropy[i]);
    mhaviz_stats_close(&stats);
    return error->status == MHAVIZ_OK ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *sentence = argc > 1 ? argv[1] : "the cat saw the dog and the cat ran";
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error error;
    int failed = 1;

    if (mhaviz_model_open(&model, argc > 2 ? argv[2] : NULL, 0, &error) == MHAVIZ_OK &&
        mhaviz_text_open(model, sentence, NULL, &text, &error) == MHAVIZ_OK)
        failed = print_entropy(model, text, &error) != 0;
    if (failed)
        fprintf(stderr, "embed: %s\n", error.message);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    return failed;
}
