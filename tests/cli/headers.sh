#!/bin/sh
# headers.sh - each public header stands alone, in C and C++, without a warning of gcc and clang
. "$(dirname "$0")/lib.sh"

for header in "$top"/include/nnefc/*.h; do
    name=$(basename "$header" .h)
    printf '#include <nnefc/%s.h>\n' "$name" | tee "$name.c" >"$name.cc"
done
for compiler in gcc clang g++ clang++; do
    if ! command -v $compiler >out; then
        skipped=$((skipped + 1))
        echo "skipped: no $compiler"
        continue
    fi
    case $compiler in
    *++) suffix=cc standards='c++11 c++20' ;;
    *) suffix=c standards='c99 c11' ;;
    esac
    for standard in $standards; do
        $compiler -std="$standard" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I"$top/include" ./*."$suffix" >out 2>err
        meets "$compiler -std=$standard takes each header" [ $? -eq 0 ]
    done
done
finish
