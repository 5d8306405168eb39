/* SPDX-License-Identifier: MIT
 * The table of output heads other than language-model heads.
 * Source: transformers, the classes ..For.. of each modeling_*.py. */
#include "model/head.h"

#include <string.h>

#include "base/str.h"
#include "model/config.h"

#define CLASS(name) .class_name = (name)
#define TEXTS CLASS("ForSequenceClassification")
#define CHOICES CLASS("ForMultipleChoice"), .gives = HEAD_CHOICE

/* Of one class or family, then those that the tensors tell apart. */
const struct head_task head_tasks[] = {
    { CLASS("ElectraForSequenceClassification"), HEAD_FIRST, "classifier.dense",
      HEAD_ACT_GELU, .out = "classifier.out_proj" },
    { CLASS("ElectraForMultipleChoice"), HEAD_BY_CONFIG, "sequence_summary.summary",
      HEAD_ACT_SUMMARY, .out = "classifier", .gives = HEAD_CHOICE },
    { CLASS("BigBirdForSequenceClassification"), HEAD_FIRST, "classifier.dense",
      HEAD_ACT_MODEL, .out = "classifier.out_proj" },
    { CLASS("ConvBertForSequenceClassification"), HEAD_FIRST, "classifier.dense",
      HEAD_ACT_MODEL, .out = "classifier.out_proj" },
    { CLASS("DebertaForSequenceClassification"), HEAD_FIRST, "pooler.dense",
      HEAD_ACT_POOLER, .out = "classifier" },
    { CLASS("DebertaV2ForSequenceClassification"), HEAD_FIRST, "pooler.dense",
      HEAD_ACT_POOLER, .out = "classifier" },
    { CLASS("DebertaV2ForMultipleChoice"), HEAD_FIRST, "pooler.dense", HEAD_ACT_POOLER,
      .out = "classifier", .gives = HEAD_CHOICE },
    { CLASS("ModernBertForSequenceClassification"), HEAD_BY_CONFIG, "head.dense",
      HEAD_ACT_CLASSIFIER, "head.norm", "classifier" },
    { CLASS("ModernBertForMultipleChoice"), HEAD_BY_CONFIG, "head.dense",
      HEAD_ACT_CLASSIFIER, "head.norm", "classifier", HEAD_CHOICE },
    { CLASS("ModernBertForTokenClassification"), HEAD_ALL, "head.dense",
      HEAD_ACT_CLASSIFIER, "head.norm", "classifier" },
    { CLASS("ModernBertForQuestionAnswering"), HEAD_ALL, "head.dense",
      HEAD_ACT_CLASSIFIER, "head.norm", "classifier", HEAD_SPAN },
    { CLASS("XLNetForSequenceClassification"), HEAD_BY_CONFIG, "sequence_summary.summary",
      HEAD_ACT_SUMMARY, .out = "logits_proj" },
    { CLASS("XLNetForMultipleChoice"), HEAD_BY_CONFIG, "sequence_summary.summary",
      HEAD_ACT_SUMMARY, .out = "logits_proj", .gives = HEAD_CHOICE },
    { CLASS("XLNetForQuestionAnsweringSimple"), .out = "qa_outputs", .gives = HEAD_SPAN },
    { CLASS("T5ForTokenClassification"), .out = "classifier", .of_encoder = true },
    { CLASS("WhisperForAudioClassification"), HEAD_MEAN, "projector", HEAD_ACT_NONE,
      .out = "classifier", .of_encoder = true },
    { CLASS("Wav2Vec2ForSequenceClassification"), HEAD_MEAN, "projector", HEAD_ACT_NONE,
      .out = "classifier" },
    { CLASS("HubertForSequenceClassification"), HEAD_MEAN, "projector", HEAD_ACT_NONE,
      .out = "classifier" },
    { CLASS("ForAudioFrameClassification"), .out = "classifier" },

    { CLASS("BeitForImageClassification"), HEAD_OTHERS_MEAN, .norm = "pooler.layernorm",
      .out = "classifier" },
    { CLASS("Dinov2ForImageClassification"), HEAD_FIRST_MEAN, .out = "classifier" },
    { CLASS("CLIPForImageClassification"), HEAD_OTHERS_MEAN, .out = "classifier" },
    { CLASS("SiglipForImageClassification"), HEAD_MEAN, .out = "classifier" },

    { TEXTS, HEAD_LAST_EOS, "classification_head.dense", HEAD_ACT_TANH,
      .out = "classification_head.out_proj" },
    { TEXTS, HEAD_FIRST, "classifier.dense", HEAD_ACT_TANH, .out = "classifier.out_proj" },
    { TEXTS, HEAD_FIRST, "pre_classifier", HEAD_ACT_RELU, .out = "classifier" },
    { TEXTS, HEAD_FIRST, "pooler.dense|pooler", HEAD_ACT_TANH, .out = "classifier" },
    { CLASS("MobileBertForSequenceClassification"), HEAD_FIRST, .out = "classifier" },
    { TEXTS, HEAD_LAST, .out = "score" },
    { CLASS("ForTokenClassification"), .out = "classifier|score" },
    { CLASS("ForQuestionAnswering"), .out = "qa_outputs", .gives = HEAD_SPAN },
    { CHOICES, .rows = HEAD_FIRST, .dense = "pre_classifier", .act = HEAD_ACT_RELU,
      .out = "classifier" },
    { CHOICES, .rows = HEAD_FIRST, .dense = "pooler.dense|pooler", .act = HEAD_ACT_TANH,
      .out = "classifier" },
    { CLASS("ForNextSentencePrediction"), HEAD_FIRST, "pooler.dense", HEAD_ACT_TANH,
      .out = "cls.seq_relationship", .gives = HEAD_NEXT },
    { CLASS("ForImageClassification"), HEAD_FIRST, .out = "classifier" },
    { .class_name = NULL }
};

#undef CHOICES
#undef TEXTS
#undef CLASS

bool head_is_unknown(const char *class_name)
{
    static const char *const of_tokens[] = {
        "ForMaskedLM", "ForCausalLM", "ForConditionalGeneration", "ForPreTraining", "ForCTC",
    };

    if (class_name == NULL || strstr(class_name, "For") == NULL)
        return false;
    for (size_t i = 0; i < sizeof of_tokens / sizeof *of_tokens; i++)
        if (str_ends_with(class_name, of_tokens[i]))
            return false;
    return true;
}

/* name is LAYER.weight, or PREFIX.LAYER.weight. */
static bool is_weight_of(const char *name, const char *layer, size_t n)
{
    size_t end = strlen(".weight"), size = strlen(name);

    return size >= n + end && strcmp(name + size - end, ".weight") == 0 &&
           strncmp(name + size - end - n, layer, n) == 0 &&
           (size == n + end || name[size - end - n - 1] == '.');
}

bool head_is_tensor(const char *name)
{
    static const char gguf[] = "cls.output";

    for (const struct head_task *task = head_tasks; task->class_name != NULL; task++)
        for (const char *layer = task->out; *layer != '\0';) {
            size_t n = strcspn(layer, "|");

            if (is_weight_of(name, layer, n))
                return true;
            layer += n + (layer[n] == '|');
        }
    return is_weight_of(name, gguf, strlen(gguf)) || strcmp(name, "cls.weight") == 0;
}

enum head_scope head_scope(const struct config *config)
{
    enum head_scope rows = config->head.task->rows;

    return rows == HEAD_BY_CONFIG ? config->head.pooled : rows;
}

int head_outputs(const struct config *config)
{
    enum head_gives gives = config->head.task->gives;

    return gives == HEAD_LABELS ? config->head.n_labels : gives == HEAD_CHOICE ? 1 : 2;
}

const char *head_label(const struct config *config, int i, struct arena *a)
{
    static const char *const span[] = { "start", "end" }, *const next[] = { "next", "other" };

    switch (config->head.task->gives) {
    case HEAD_SPAN:
        return span[i];
    case HEAD_NEXT:
        return next[i];
    case HEAD_LABELS:
        if (config->head.label != NULL && config->head.label[i] != NULL)
            return config->head.label[i];
        return arena_printf(a, "LABEL_%d", i);
    case HEAD_CHOICE:
        break;
    }
    return NULL;
}

void head_act(const struct config *config, float *y, int64_t n)
{
    static const enum act fixed[] = {
        [HEAD_ACT_TANH] = ACT_TANH, [HEAD_ACT_RELU] = ACT_RELU, [HEAD_ACT_GELU] = ACT_GELU,
    };
    enum head_act which = config->head.task->act;
    enum act act = which == HEAD_ACT_MODEL ? config->act :
                   which == HEAD_ACT_POOLER ? config->head.pooler_act :
                   which == HEAD_ACT_CLASSIFIER ? config->head.classifier_act :
                   which == HEAD_ACT_SUMMARY ? config->head.summary_act : fixed[which];

    if (which != HEAD_ACT_NONE && act != N_ACT)
        act_apply(act, y, n);
}
