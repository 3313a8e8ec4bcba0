#!/bin/sh
# profile.sh - what NNEF lacks is declared by documents, and written in three ways
. "$(dirname "$0")/lib.sh"

# --- what there is ----------------------------------------------------------------------------

run 0 list-ops --json
count_of() { grep -c -- "$1" out; }
meets 'the standard has 118 operations' [ "$(count_of '"name":')" -eq 118 ]
meets 'all of them its own' [ "$(count_of '"library": "nnef"')" -eq 118 ]
run 0 list-ops --json --extensions
meets 'and they come first' [ "$(count_of '"library": "nnef"')" -eq 118 ]
out_has '"library": "nnefc"'
out_has '"name": "lstm"'
run 0 list-ops --extensions
out_has '^erf\(x: tensor<scalar>\) -> \(y: tensor<scalar>\)$'
out_has '^    compound, kept; extension, functions$'
out_has '^    primitive; extension, recurrence$'
cp out operations

# --- declared, they are known -------------------------------------------------------------------

# network NAME STATEMENT... - one that declares all extensions
network()
{
    name=$1
    shift
    mkdir -p "$name"
    {
        echo 'version 1.0; extension KHR_enable_fragment_definitions;'
        sed -n '/^erf(/,$ s/^\([a-z_]*\(<?>\)\{0,1\}(.*\)$/fragment \1;/p' operations
        echo 'graph net(x) -> (y) {'
        printf '%s\n' "$@"
        echo '}'
    } >"$name/graph.nnef"
}

# shellcheck disable=SC2016
network net 'x = external<scalar>(shape = [3,2,4]);' \
    'w = variable<scalar>(shape = [2,12,4], label = "w");' \
    'r = variable<scalar>(shape = [2,12,3], label = "r");' \
    'b = variable<scalar>(shape = [2,24], label = "b");' \
    'o, h, c = lstm(x, w, r, b, direction = "bidirectional");' \
    'e = erf(o);' \
    'n = layer_normalization(e, 1.0, 0.0, axes = [3], epsilon = 0.25);' \
    'g = gelu_erf(n);' \
    'y = masked_attention(n, n, g, 0.5, scale = 0.5);'
run 0 init net --seed=3
run 0 check net
silent
run 0 run net --random -o y=whole.npy
run 0 run net --random -o y=opened.npy --expand=all
run 0 compare net net --random --expand=all

# A fragment of the same name and of other words is the document's own.
mkdir own other
sed -e 's/^fragment erf(.*/fragment erf(x: tensor<scalar>) -> (y: tensor<scalar>) { y = tanh(x); }/' \
    net/graph.nnef >own/graph.nnef
cp net/*.dat own/
run 5 compare net own --random
run 0 check own --dump=graph
out_lacks '= erf\('
sed -e 's/^fragment erf(x/fragment erf(z/' net/graph.nnef >other/graph.nnef
cp net/*.dat other/
run 4 run other --random
err_has "'erf' has no implementation"
printf 'version 1.0; graph net(x) -> (y) { x = external(shape = [1]); y = erf(x); }' >unknown.nnef
run 1 check unknown.nnef
err_has "unknown operation 'erf'"
err_has "fragment erf\(x: tensor<scalar>\) -> \(y: tensor<scalar>\);"

# --- three ways to write them -------------------------------------------------------------------

# is_as_good FOLDER - computes the same, also when it is expanded, and when it is written in ONNX
is_as_good()
{
    run 0 check "$1"
    run 0 compare net "$1" --random --atol=2e-6
    run 0 compare net "$1" --random --atol=2e-6 --expand=all
    run 0 convert "$1" again.onnx
    run 0 compare net again.onnx --random --atol=2e-6
}

run 0 convert net net.onnx
for profile in strict compound custom; do
    run 0 convert net.onnx $profile/ --profile=$profile
    is_as_good $profile
    run 0 convert net $profile-nnef/ --profile=$profile
    is_as_good $profile-nnef
    run 0 convert $profile once-$profile/ --profile=$profile
    run 0 convert once-$profile twice-$profile/ --profile=$profile
    same once-$profile/graph.nnef twice-$profile/graph.nnef
done

# counts N PATTERN FILE - so often is it there
counts() { meets "$3 has '$2' $1 times" [ "$(grep -Ec -- "$2" "$3")" -eq "$1" ]; }

run 0 convert net.onnx default/
same default/graph.nnef strict/graph.nnef
counts 0 'fragment|extension' strict/graph.nnef
counts 0 'erf\(|lstm|layer_normalization|attention' strict/graph.nnef
counts 12 'linear\(' strict/graph.nnef
counts 2 '^extension' compound/graph.nnef
counts 6 '= lstm_step\(' compound/graph.nnef
counts 1 '= masked_attention\(' compound-nnef/graph.nnef
counts 1 '^fragment recurrent_activation\(.*[^;]$' compound/graph.nnef
counts 1 '^extension' custom/graph.nnef
counts 5 '^fragment .*;$' custom-nnef/graph.nnef
counts 1 '= lstm\(' custom/graph.nnef
run 0 check custom --dump=graph
out_has 'lstm\('
run 0 check compound --dump=graph
out_has 'lstm_step\('

# What a pass finds is written by its body if the document means something else by its name.
mkdir -p taken
cat >taken/graph.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
fragment erf( x: tensor<scalar> ) -> ( y: tensor<scalar> );
fragment gelu_erf( z: tensor<scalar> ) -> ( y: tensor<scalar> );
graph net( x ) -> ( own, found )
{
    x = external<scalar>( shape = [2] );
    own = gelu_erf( x );
    found = x * (1.0 + erf( x / 1.4142135 )) * 0.5;
}
EOF
for profile in compound custom; do
    run 0 convert taken taken-$profile/ --profile=$profile --passes=find-gelu -v
    err_has '^gelu_erf +1 +2$'
    counts 1 '= gelu_erf\(' taken-$profile/graph.nnef
    counts 1 'found = mul\(' taken-$profile/graph.nnef
done
sed 's/gelu_erf/curve/' taken/graph.nnef >free.nnef
run 0 convert free.nnef free/ --profile=custom --passes=find-gelu
counts 1 '= gelu_erf\(' free/graph.nnef
counts 0 '= erf\(' free/graph.nnef

# Integers are written by scalars only where these are exact.
mkdir -p integers
cat >integers/graph.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment integer_add( x: tensor<integer>, y: tensor<integer>, bits: integer = 64,
                      signed: logical = true ) -> ( z: tensor<integer> );
graph net( x ) -> ( bytes, y )
{
    x = external<integer>( shape = [2] );
    bytes = integer_add( x, 1, bits = 8, signed = false );
    y = integer_add( bytes, 16777216 );
}
EOF
for profile in strict compound; do
    run 4 convert integers integers-$profile/ --profile=$profile
    err_has "graph.nnef:9:.*'integer_add' cannot be written as an operation on scalars"
    err_has '=custom. keeps operations on integers as they are'
done
run 0 convert integers integers-custom/ --profile=custom
sed -e 's/16777216/16776961/' integers/graph.nnef >other/graph.nnef
run 0 convert other integers-strict/ --profile=strict
counts 0 'integer_add' integers-strict/graph.nnef

run 2 convert net net.onnx --profile=custom
err_has '\-\-profile is for NNEF'
run 2 convert net net/ --profile=loose

finish
