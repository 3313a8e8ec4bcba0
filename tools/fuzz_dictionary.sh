#!/bin/sh
# fuzz_dictionary.sh - prints libFuzzer's dictionary for texts: the tokens of the grammar, and every word and string of the standard operations
cd "$(dirname "$0")/.." || exit 1
{
    grep -ohE '^"[^"]+"' grammar/nnef.l
    sed 's/#.*//' stdlib/*.nnef | grep -ohE "[A-Za-z_][A-Za-z0-9_]*" | sed 's/.*/"&"/'
    printf '"%s"\n' 'KHR_enable_fragment_definitions' 'KHR_enable_operator_expressions' 'version 1.0;\x0a' \
        '<scalar>' '<integer>' '<logical>' '[]' ' = ' '):\x0a' 'shape = [' 'label = '
} | sort -u
