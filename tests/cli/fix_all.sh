#!/bin/sh
# fix_all.sh - nnefc check --fix on every document of the tests: exactly the faults that propose
#              changes go away, exactly these changes are made, and nothing means anything else then
. "$(dirname "$0")/lib.sh"

check() { "$NNEFC" check "$@" --error-limit=0; }

# What is said without places, which may change.
faults() { sed -E 's/"(line|column|endLine|endColumn)":(null|[0-9]+),//g; s/"labels":.*//' "$1" | sort; }

# changed LOG <BEFORE - makes the changes that the log, in JSON, proposes, by head and tail
changed()
{
    cat >made
    grep -oE '"begin":[0-9]+,"end":[0-9]+,"replacement":"([^"\\]|\\.)*"' "$1" |
        sed -E 's/"begin":([0-9]+),"end":([0-9]+),"replacement":"(.*)"$/\1 \2 \3/' |
        sort -u | sort -k1,1nr >changes
    while IFS= read -r change; do
        begin=${change%% *} end=${change#* } new=${change#* * }
        end=${end%% *}
        {
            head -c "$begin" made
            printf '%b' "$(printf '%s' "$new" | sed 's/\\"/"/g')"
            tail -c +$((end + 1)) made
        } >made.new
        mv made.new made
    done <changes
    cat made
}

# same_but LINES FILE FILE - differ the files in no more lines?
same_but() { meets "$2 and $3 differ in $1 lines at most" [ "$(diff "$2" "$3" | grep -c '^>')" -le "$1" ]; }

# Check FILE, as the model or, if there is one, as the quantization file of $model.
look()
{
    file=$1
    shift
    if [ -n "$model" ]; then check "$model" --quant-file="$file" "$@"; else check "$file" "$@"; fi
}

# try DOCUMENT [MODEL]
try()
{
    model=${2:-}
    said="check $1 --fix"
    cp "$1" mended
    look mended --message-format=json 2>before >out
    fixes=$(grep -c '"fixes":\[{' before)
    [ "$fixes" -gt 0 ] || return
    documents=$((documents + 1))
    look mended --dump=ast >before.ast 2>err
    look mended --dump=graph >before.graph 2>err

    grep -v '"fixes":\[{' before >rest
    # A statement that is not flat is told of no other fault until it may be so.
    case $1 in
    */external-in-array.nnef) printf '%s\n' "$hidden" >>rest ;;
    esac
    look mended --message-format=json --fix 2>after >out
    sed -i '/"code":null,/d' after
    faults rest >expected
    faults after >found
    cp after err
    meets 'the faults that propose changes are gone, and no others come' cmp -s expected found
    changed before <"$1" >expected
    meets 'exactly the proposed changes are made' cmp -s expected mended
    look mended --dump=ast >after.ast 2>err
    look mended --dump=graph >after.graph 2>err
    same_but "$(wc -l <changes)" before.ast after.ast
    [ ! -s before.graph ] || same before.graph after.graph
    [ -s rest ] || meets 'it is valid' look mended -q 2>err

    cp mended once
    look mended -q --fix 2>err >out
    same once mended
    sed 's/$/\r/' "$1" >mended
    look mended -q --fix 2>err >out
    sed 's/$/\r/' once >expected
    meets 'other line ends stay what they are' cmp -s expected mended
}

# The files of diagnostics, of which some can be chosen.
files() { grep "${2:-.}" "$1" | grep -o '^[^[]*"file":"[^"]*"' | sed 's/.*"file":"//; s/"$//' | sort -u; }

hidden='{"code":"N0063","severity":"error","warning":null,"section":"3.3.2","file":"mended","message":"'\''external'\'' within an expression, expected to be assigned to a graph parameter","labels":'
documents=0
find "$top/tests" -name node_modules -prune -o -name '*.nnef' -print | sort >all
xargs "$NNEFC" check --error-limit=0 --message-format=json <all >out 2>log
files log '"fixes":\[{' >fixable
while read -r document; do
    try "$document"
done <fixable
for quant in "$top"/tests/quant/*.quant; do
    case $quant in
    *provisional*) try "$quant" "$top/tests/quant/provisional.nnef" ;;
    *) try "$quant" "$top/tests/quant/model.nnef" ;;
    esac
done
said='check every document'
meets "there are many with proposed changes: $documents" [ "$documents" -ge 35 ]

# --- as others make the changes ---------------------------------------------------------------------

# By regions of SARIF, which has none for a byte order mark.
mkdir ours theirs
number=1000
grep -v 'byte-order-mark' fixable | while read -r document; do
    cp "$document" ours/$number.nnef
    cp "$document" "theirs/$number é.nnef"
    number=$((number + 1))
done
for folder in ours theirs; do
    {
        printf 'version 1.0;\ngraph g(x) -> (y)\n{\n    x = external(shape = [1]); '
        printf 'y = pad(x, border = "\303\251\360\237\231\202", padding = [(1.0,1), (1,\n1.0)]) }\n'
    } >$folder/characters.nnef
done
if command -v node >/dev/null; then
    (cd theirs && check ./*.nnef --message-format=sarif >../out 2>../log.sarif)
    (cd theirs && node "$top/tests/sarif/apply.js" ../log.sarif >../err 2>&1)
    said='check --fix, and --message-format=sarif'
    meets 'the changes of the log can be made' [ ! -s err ]
    differ ours/characters.nnef theirs/characters.nnef
    (cd ours && check ./*.nnef --fix >../out 2>../err)
    for file in ours/*.nnef; do
        name=${file#ours/}
        same "$file" "theirs/${name%.nnef}$([ "$name" = characters.nnef ] || echo ' é').nnef"
    done
else
    echo 'skipped: without node nobody else makes the changes'
    skipped=$((skipped + 1))
    [ -z "${NEED_NODE:-}" ] || exit 1
fi

# --- what was right and is made wrong ---------------------------------------------------------------

# spoil EXPRESSION LEAST - what sed makes of valid documents is mended to what they were, in LEAST
# of them at least; nothing is asked of those in which it makes other faults, or none.
spoil()
{
    least=$(($2 / sample))
    said="check --fix of documents spoiled by $1"
    cp valid/*.nnef spoiled
    sed -E -i "$1" spoiled/*.nnef
    (cd spoiled && check ./*.nnef --fix --message-format=short >../out 2>../err)
    sed -n 's/^nnefc: \(.*\): [1-9][0-9]* faults\{0,1\} mended, 0 left$/\1/p' err >restored
    (cd valid && xargs "$NNEFC" check --dump=graph <../restored >../expected 2>../out)
    (cd spoiled && xargs "$NNEFC" check --dump=graph <../restored >../found 2>../err)
    meets "at least $least documents are mended ($(wc -l <restored))" [ "$(wc -l <restored)" -ge $least ]
    meets 'they mean what they did' cmp expected found
}

mkdir valid spoiled
files log >faulty
# One document of so many.
sample=1
! sanitized || sample=5
number=1000
grep -Fxv -f faulty all | awk -v sample=$sample 'NR % sample == 0' | while read -r document; do
    cp "$document" valid/$number.nnef
    number=$((number + 1))
done
spoil 's/^(    .*);( *(#.*)?)$/\1\2/' 300
spoil '/^extension /d' 120
spoil 's/([^0-9 ] *[0-9]+)\.0\b/\1/g; s/version 1;/version 1.0;/' 60
spoil 's/\b(external|relu|conv|neg|add|mul|softmax|reshape)\(/x\1(/' 80
spoil 's/\b(axes|size|padding|stride) =/\1s =/' 80
spoil 's/\b(axes|shape|size|padding) = \[([0-9]+, *[0-9]+)\]/\1 = (\2)/' 120
spoil 's/\b(axes|shape|size) = \[([0-9]+)\]/\1 = [\2.0]/' 250
finish
