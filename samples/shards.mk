# SPDX-License-Identifier: MIT
# The head statistics of a corpus, shard by shard, with make:
#
#     make -j 4 -f samples/shards.mk CORPUS=corpus.txt N=16 OUT=heads.tsv
#
# COMMAND is stats, types or ablate.
# A shard that was interrupted is made again; those that are complete are not.
VIZ     = mha-viz
CORPUS  = samples/english.txt
N       = 4
COMMAND = stats
OUT     = heads.tsv
OPTIONS =
SHARDS := $(shell seq 0 $$(( $(N) - 1 )))
PARTS  := $(SHARDS:%=$(OUT).%-$(N).part)

$(OUT): $(PARTS)
	$(VIZ) merge --tsv -o $@ $^

$(OUT).%-$(N).part: $(CORPUS)
	$(VIZ) $(COMMAND) -q -t 1 --shard $*/$(N) $(OPTIONS) -f $(CORPUS) -o $@
