#!/bin/sh
# documents.sh - documents are so: their commands run and print what is shown, their figures are those of the program
#
# Commands are blocks of the shell, lines of other blocks that begin with a program, and code within sentences. They run
# in a copy of the tree, document by document, in their order. What does not run is in the list below.
. "$(dirname "$0")/lib.sh"

# Patterns of commands that are not run, and why. Targets of make are looked up in the Makefile instead.
cat >not_run <<'END'
sh demo.sh*	installs packages, needs root
sh test.sh*	installs packages, needs root
sh tools/setup.sh *	installs packages, needs root
dpkg --add-architecture*	needs root
apt-get install*	needs root and the network
tools/sysroot.sh *	needs the network
make	builds
make *	builds, for minutes
BUILD=* make *	builds, for minutes
cc *	needs an installed library: .ci/run compiles such clients
build/fuzz/*	needs clang and a finding
bench/agree.py *	needs networks that make bench has made, and one from the network
perf record *	needs perf and the right to use it
tools/train_digits.py*	needs python3-sklearn, and a minute
nnef_test *	a test program: make test runs it so
END

# --- commands -----------------------------------------------------------------------------------

cat >extract.awk <<'AWK'
# Writes each command of a document to units/NUMBER and what it is said to print to units/NUMBER.out; the first line
# has the place. A sentence may break within code.
function unit(kind, text) {
    name = sprintf("units/%04d", ++count)
    printf "# %s %s:%d\n%s\n", kind, document, FNR, text >name
    close(name)
}
function sentence(text, span) {
    while (match(text, /`[^`]+`/)) {
        span = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        if (span ~ program && span !~ /\($/) unit("span", span)
    }
}
BEGIN {
    program = "^(BUILD=[a-z]+ )?((nnefc|build/nnefc|sh|cc|dpkg|apt-get|perf|nnef_test|(tools|bench)/[a-z_.]+) |make($| ))"
    line_program = "^((nnefc|sh|make|cc) |(build|bench|tools)/[a-z_./]+( |$))"
}
/^```/ && fence == "" { sentence(text); text = ""; fence = substr($0, 4) "."; block = ""; name = ""; next }
/^```/ { if (fence == "sh.") unit("block", block); fence = ""; next }
fence == "sh." { block = block (block == "" ? "" : "\n") $0; next }
fence == "." && /^\$ / { unit("shown", substr($0, 3)); next }
fence == "." && name { print >(name ".out"); next }
fence != "" { next }
/^    / && substr($0, 5) ~ line_program { unit("line", substr($0, 5)); next }
/^    / { next }
/^$/ { sentence(text); text = ""; next }
{ text = text " " $0 }
END { sentence(text) }
AWK

mkdir bin tree
cat >bin/nnefc <<END
#!/bin/sh
# Runs are measured for 3 seconds otherwise.
[ "\$1" != bench ] || set -- "\$@" --time=0.05
exec "$NNEFC" "\$@"
END
chmod +x bin/nnefc
PATH=$work/bin:$PATH

# What documents speak of: the model with an error, one with another activation, a model of PNNX, a folder.
prepare()
{
    rm -rf tree
    mkdir -p tree/build
    cp -R "$top/examples" tree
    find tree/examples/nnef/resnet tree/examples/nnef/provisional -name '*.dat' -exec rm {} +
    ln -s "$work/bin/nnefc" tree/build/nnefc
    cp -R "$digits" tree/model
    cat >tree/net.nnef <<'END'
version 1.0;

graph net( x ) -> ( c )
{
    x = external<scalar>( shape = [1,3,8,8] );
    f = variable<scalar>( shape = [16,4,3,3], label = 'filter' );
    c = conv( x, f, padding = [(1,1), (1,1)] );
}
END
    sed 's/relu2 = relu(conv2)/relu2 = leaky_relu(conv2, alpha = 0.1)/' "$digits/graph.nnef" >tree/leaky.nnef
    printf '%s\n' 7767517 '4 3' 'pnnx.Input pnnx_input_0 0 1 x #x=(2,3)f32' 'pnnx.Attribute w 0 1 w @data=(3)f32 #w=(3)f32' \
        'pnnx.Expression scale 2 1 x w y expr=mul(@0,@1)' 'pnnx.Output out 1 0 y' >tree/net.pnnx.param
    pnnx_weights >tree/net.pnnx.bin
    printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [2,3]); y = copy(x); }\n' >copy.nnef
    "$NNEFC" run copy.nnef --random -o tree/x.npy
}

# alike OUT SHOWN - the same words, and numbers that differ by the rounding of other kernels at most
alike()
{
    awk '
    function number(word) { return word ~ /^-?[0-9.]+(e-?[0-9]+)?[,;]?$/ }
    NR == FNR { line[NR] = $0; lines = NR; next }
    {
        if (line[FNR] == $0) next
        n = split(line[FNR], is)
        if (n != NF) exit bad = 1
        for (i = 1; i <= n; i++) {
            distance = is[i] - $i
            if (distance < 0) distance = -distance
            if (is[i] != $i && !(number(is[i]) && number($i) && distance <= 1e-3 * ($i < 0 ? -$i : +$i))) exit bad = 1
        }
    }
    END { exit bad || lines != FNR }' "$1" "$2"
}

# option_exists COMMAND OPTION - of any command, if it is empty
option_exists()
{
    for command in ${1:-$(cat verbs)}; do
        "$NNEFC" help "$command" | grep -Eq -- "(^|[ ,])$2([ =[,]|\$)" && return
    done
    false
}

not_run()
{
    while IFS="$tab" read -r pattern reason; do
        # shellcheck disable=SC2254 # a pattern
        case $1 in
        $pattern)
            [ -n "$reason" ] && echo "$pattern" >>used
            return
            ;;
        esac
    done <not_run
    false
}

# try FILE - runs the command in it, or looks up what it names
try()
{
    read -r _ kind place <"$1"
    command=$(sed 1d "$1")
    said="$command   ($place)"
    first=$(echo "$command" | head -1)
    : >err
    if not_run "$first"; then
        case $first in
        *make\ [a-z]*)
            target=${first##*make } target=${target%% *}
            case $target in *=*) return ;; esac
            meets "make has the target $target" grep -Eq "^$target:.*##" "$top/Makefile"
            ;;
        esac
        return
    fi
    # Words of a sentence stand for what a reader has.
    [ "$kind" != span ] ||
        command=$(echo "$command" | sed -e 's/|[^ ]*//g; s/MODEL/examples\/nnef\/digits/g; s/COMMAND/run/; s/CODE/N0142/')
    if [ "$kind" = span ] && ! echo "$command" | grep -Eq '^nnefc [a-z-]+ +[^-]|^nnefc [a-z-]+ .* [^-]'; then
        # shellcheck disable=SC2086 # words
        set -- $command
        shift
        verb=
        case $1 in
        -*) ;;
        *)
            verb=$1
            shift
            meets "there is a command $verb" grep -qx -- "$verb" verbs
            ;;
        esac
        for option; do
            meets "there is an option $option" option_exists "$verb" "${option%%=*}"
        done
        return
    fi
    (cd tree && sh -c "$command" </dev/null) >out 2>err
    status=$?
    if [ ! -e "$1.out" ]; then
        meets "it succeeds (status $status)" [ $status -eq 0 ]
        prints=$(echo "$command" | sed -n 's/.*# says: //p')
        [ -z "$prints" ] || meets "it says '$prints'" grep -Fq -- "$prints" out err
    else
        cat out err | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >both # without blank lines at the end
        meets 'it prints what is shown' alike both "$1.out" || diff both "$1.out"
    fi
}

tab=$(printf '\t')
"$NNEFC" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' >verbs
: >used
for document in "$top"/*.md "$top"/docs/*.md "$top"/examples/nnef/*.md "$top"/examples/nnef/*/*.md; do
    rm -rf units && mkdir units
    echo "${document#"$top"/}" >name
    awk -v document="$(cat name)" -f extract.awk "$document"
    # The examples of explanations are run by explain.sh.
    [ "$(cat name)" != docs/diagnostics.md ] || grep -l '^# block' units/* | xargs rm -f
    prepare
    for unit in units/????; do
        [ ! -e "$unit" ] || try "$unit"
    done
done
cut -f1 not_run >patterns
sort -u used >used.sorted && sort -u patterns >patterns.sorted
said='the list of what is not run'
meets 'every pattern of the list is needed' cmp -s used.sorted patterns.sorted || diff used.sorted patterns.sorted

# --- the client of the README --------------------------------------------------------------------

{
    printf '#include <nnefc/nnefc.h>\n#include <nnefc/backend.h>\n#include <stdio.h>\nint main(void)\n{\n'
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$top/README.md"
    printf 'return 0;\n}\n'
} >client.c
prepare
if compile_client client; then
    said='the client of README.md'
    (cd tree && ../client) >out 2>err
    out_has '^0\.99988[0-9]*$'
    out_has '^probabilities$'
    quiet_err
fi

# --- examples of the manual page, which are those of the help -----------------------------------------

# Each line in a folder with what it speaks of; "prints 'X'" behind it is looked for.
example()
{
    case $1 in
    init) find manual -name '*.dat' -exec rm {} + ;;
    esac
    said=$2
    (cd manual && sh -c "$2" </dev/null) >out 2>err
    status=$?
    case $3 in
    says\ why*) meets 'it fails' [ $status -eq 1 ] ;;
    *) meets "it succeeds (status $status)" [ $status -eq 0 ] ;;
    esac
    prints=$(echo "$3" | sed -n "s/^prints '\([^']*\)'.*/\1/p; s/^prints \[/[/p")
    [ -z "$prints" ] || meets "it prints '$prints'" grep -Fqx -- "$prints" out
}

model net 'x = external<scalar>(shape = [2, 1, 3]);' 'y = softmax( x, axes = [3] );'
mkdir prepared && cd prepared || exit 1
mkdir model
cp -R "$digits/conv1" "$digits/conv2" "$digits/conv3" "$digits/linear1" model && cp -R model/* .
sed 's/image/x/g' "$digits/graph.nnef" >model/graph.nnef
sed 's/relu2 = relu(conv2)/relu2 = leaky_relu(conv2, alpha = 0.1)/' model/graph.nnef >leaky.nnef
cp -R ../net wrong
cp -R model a && cp -R model b && cp -R model weights && rm weights/graph.nnef
"$NNEFC" diff a b --json >diff.json
cp model/graph.nnef model.nnef && cp "$three" image.png && cp -R "$digits/images" samples
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1,8,8]); y = copy(x); }\n' >../copy.nnef
"$NNEFC" run ../copy.nnef --random -o a.npy && cp a.npy x.npy && cp a.npy b.npy
"$NNEFC" run model -i x.npy -o expected/
cp -R model b.nnef
"$NNEFC" convert model model.onnx
cp ../tree/net.pnnx.param net.pnnx.param && cp ../tree/net.pnnx.bin net.pnnx.bin
cp net.pnnx.param net.param && cp net.pnnx.bin net.bin
cd .. || exit 1
while read -r verb; do
    rm -rf manual && cp -R prepared manual
    "$NNEFC" help "$verb" | sed -n '/^examples:/,/^$/s/^  //p' >lines
    while IFS= read -r line; do
        example "$verb" "${line%%  *}" "$(echo "$line" | sed 's/.*   *//')"
    done <lines
done <verbs

# Its sample of a diagnostic
run 1 check net/graph.nnef
sed -n '/^\.Sh DIAGNOSTICS/,/^\.Ed/p' "$top/man/nnefc.1.in" | grep -v '^\.' >sample
grep . err >said
same said sample

# --- figures ------------------------------------------------------------------------------------------

# figure FILE TEXT - does the document say so? Its lines are joined.
figure()
{
    said="the figures of $1"
    : >err
    tr '\n' ' ' <"$top/$1" | tr -s ' ' >joined
    meets "it says '$2'" grep -Fq -- "$2" joined
}
# constant FILE NAME - its value in an enumeration of src
constant() { sed -n "s/.*[{ ]$2 = \([0-9A-Z_]*\).*/\1/p" "$top/src/$1" | head -1; }
# bytes FOLDER - of the tensor files in it
bytes() { find "$1" -name '*.dat' -exec cat {} + | wc -c; }

figure README.md "list the $("$NNEFC" list-ops --json | grep -c '"name":') operations of NNEF"
opset=$(constant convert/onnx/emit.h EMIT_OPSET_MIN)
figure README.md "writes ONNX, opset $opset to $(constant convert/onnx/emit.h EMIT_OPSET_MAX)"
newest=$(sed -n "s/.*{NAME_ONNX, \([0-9]*\),.*/\1/p" "$top/src/convert/onnx/import_table.c")
figure README.md "opset 6 to $newest."
figure man/nnefc.1.in "opset 6 to $newest,"
figure README.md "the default is $("$NNEFC" help compare | sed -n 's/.*--rtol.*(\(.*\))$/\1/p')"
while read -r verb; do
    meets "README.md has the command $verb" grep -Eq "^\|.*\`${verb}[ \`]" "$top/README.md"
done <verbs
figure docs/integers.md "compute $(sed -n "s/.*judgeRandom(.*, \([0-9]*\), .*/\1/p" "$top/tests/onnxruntime/random_integers.js") random models"

# The networks of the examples; a file has 128 bytes before its items.
figure examples/nnef/digits/README.md "$(($("$NNEFC" info "$digits" | awk '$1 == "parameter_items" { print $2 }') / 1000 + 1)) 000 weights, $((($(bytes "$digits") + 512) / 1024)) KB"
"$NNEFC" info "$top/examples/nnef/resnet" >out
figure examples/nnef/resnet/README.md "($(($(awk '$1 == "parameter_bytes" { print $2 }' out) / 1048576 + 1)) MB of"
figure examples/nnef/resnet/README.md "and so on, $(awk '$1 == "parameters" { print $2 }' out) in all"
figure examples/nnef/resnet/README.md "$(awk '$1 == "conv" { print $2 }' out) convolutions and a result of shape \`[1,1000]\`"

# Limits: the client prints 'name value', and so do the tables.
printf '%s\n' '#include <nnefc/nnefc.h>' '#include <stdio.h>' 'int main(void)' '{' \
    'struct nnefc_model *model = nnefc_model_new();' \
    'for (int i = 0; nnefc_limit_name((enum nnefc_limit)i); i++)' \
    'printf("%s %lld\n", nnefc_limit_name((enum nnefc_limit)i), (long long)nnefc_model_limit(model, (enum nnefc_limit)i));' \
    'nnefc_model_free(model);' 'return 0;' '}' >limits.c
cat >numbers.awk <<'END'
{
    gsub(/[`,]/, "", $2)
    gsub(/[`,]/, "", $3)
    if ($3 ~ /^10\^/) $3 = sprintf("%.0f", 10 ^ substr($3, 4))
    power = index("KMGT", substr($3, length($3)))
    if (power) $3 = sprintf("%.0f", substr($3, 1, length($3) - 1) * 1024 ^ power)
    if ($2 ~ /^[a-z-]+$/ && $2 != "memory" && $3 ~ /^[0-9]+$/) print $2, $3
}
END
if compile_client limits; then
    ./limits | grep -v '^memory ' | sort >limits.are
    awk -F' *[|] *' -f numbers.awk "$top/docs/limits.md" | sort >limits.said
    said='the limits of docs/limits.md'
    same limits.are limits.said
    sed -n 's/^\.It \([a-z-]* Ta [0-9,^MT]*\) Ta .*/ Ta \1/p' "$top/man/nnefc.1.in" | awk -F' Ta ' -f numbers.awk | sort >limits.said
    said='the limits of the manual page'
    same limits.are limits.said
fi
fixed() { figure docs/limits.md "| $1 | $2 |"; }
fixed "$(constant tensor/shape.h MAX_RANK)" 'N0133, N0182'
fixed "$(constant op/quantize.c MAX_BITS)" N0136
fixed "$(constant file/label.c LONGEST)" N0084
fixed "$(constant sema/type.h TYPE_SIZE_LIMIT)" N0006
fixed "$(constant file/container.c LIST_LIMIT)M" N0244
fixed "$(constant file/path.c LINKS_MAX)" N0180
fixed "$(constant convert/onnx/import.h ONNX_DEPTH_MAX)" N0117
fixed "$(constant api/control_flow.c CALLS_MAX)" N0242
fixed "$(constant convert/proto/onnx_read.c MEMORY_START)M" N0223
figure docs/limits.md "above $(constant convert/proto/onnx_read.c MEMORY_FACTOR) times its size"
fixed "$(constant diag/diag.c LONGEST_TEXT)" -
figure docs/limits.md "words of a document beyond $(constant diag/diag.c LONGEST_WORD) bytes"
fixed "$(constant diag/diag_excerpt.c LONGEST)" -
figure man/nnefc.1.in "printed up to $(constant diag/diag.c LONGEST_TEXT) bytes, each word in it up to $(constant diag/diag.c LONGEST_WORD) bytes, and a source line up to $(constant diag/diag_excerpt.c LONGEST) columns"

# Tables that list what there is
said='the table of docs/passes.md'
"$NNEFC" check --list-passes | awk '{ print $1, $2 == "default" ? "yes" : "" }' >are
sed -n 's/^| \[\([a-z-]*\)\](#.*) | \(yes\)* *|.*|.*|$/\1 \2/p' "$top/docs/passes.md" >said
same are said
said='the table of docs/fuzzing.md'
for target in "$top"/tests/fuzz/fuzz_*.c; do
    basename "$target" .c | sed 's/fuzz_//'
done | sort >are
sed -n 's/^| \(`[a-z_`, ]*\) |.*/\1/p' "$top/docs/fuzzing.md" | tr -d '`' | tr -s ', ' '\n' | sort >said
same are said
said='the bars of docs/performance.md'
sed -n "s/.*title: '\([^']*\)'.* must: \([0-9.]*\), aim: \([0-9.]*\).*/\1,\2,\3/p; s/^  \([a-z]*\): { must: \([0-9.]*\), aim: \([0-9.]*\) }.*/\1,\2,\3/p" \
    "$top/bench/catalogue.js" >bars
meets 'there are bars' [ "$(wc -l <bars)" -eq 19 ]
sed 's/^busy,/run, one processor kept busy,/' bars | awk -F, '{
    aim = $NF; must = $(NF - 1)
    sub(/,[^,]*,[^,]*$/, "")
    printf "| %s | %.2f | %.2f |\n", $0, must, aim }' >rows
while read -r row; do
    figure docs/performance.md "$row"
done <rows
for variable in ROUNDS STARTS PATIENCE; do
    meets "the default of $variable" grep -Eq "^\| \`$variable\` \|.*\| $(sed -n "s/.*numberOf('$variable', \([0-9]*\).*/\1/p" "$top/bench/bench.js") \|" "$top/docs/performance.md"
done
said='docs/operations.md'
"$top/tools/operations.sh" "$NNEFC" >are
same are "$top/docs/operations.md"

# --- names --------------------------------------------------------------------------------------------

# Codes, options, functions and links of documents exist. The last options are those of other programs.
while read -r verb; do
    "$NNEFC" help "$verb"
done <verbs | grep -oE -- '--[a-z][a-z-]*' | sort -u >options
printf '%s\n' --empty --measure --validate --help --version --tune >>options
sed -n 's/^DIAG(\(N[0-9]*\),.*/\1/p' "$top/src/diag/diag.def" >codes
find "$top/src" "$top/include" "$top/tests" "$top/build/gen" -name '*.[ch]' -exec cat {} + 2>err >source
for document in "$top"/*.md "$top"/docs/*.md "$top"/examples/nnef/*.md "$top"/examples/nnef/*/*.md "$top/man/nnefc.1.in"; do
    said=${document#"$top"/}
    grep -o 'N0[0-9][0-9][0-9]' "$document" | sort -u | grep -vxFf codes >unknown
    meets "its codes exist: $(tr '\n' ' ' <unknown)" [ ! -s unknown ]
    grep -oE -- '`--[a-z][a-z-]*' "$document" | cut -c2- | sort -u | grep -vxFf options >unknown
    meets "its options exist: $(tr '\n' ' ' <unknown)" [ ! -s unknown ]
    case $said in
    docs/changes.md | docs/adding-an-operator.md) ;; # names of another version, names for the reader to add
    *)
        for name in $(grep -oE '`[a-z_]+\(\)`' "$document" | tr -d '`()' | sort -u); do
            meets "there is a function $name" grep -qw "$name" source
        done
        ;;
    esac
    for link in $(grep -oE '\]\([^)#]+' "$document" | cut -c3- | grep -v ^https: | sort -u); do
        meets "the link $link leads somewhere" [ -e "$(dirname "$document")/$link" ]
    done
done
finish
