#!/bin/sh
# formats.sh - --message-format: for people, as JSON by docs/diagnostics.schema.json, as SARIF 2.1.0
. "$(dirname "$0")/lib.sh"

schema=$top/docs/diagnostics.schema.json
satisfies() { "${SCHEMA:?names tools/schema}" "$schema" <"$1"; }

model good 'x = external<scalar>(shape = [1,3]);' 'y = add(x, x);'
model bad 'x = external<scalar>(shape = [1,3]);' 'y = ad(x, x);' 'z = neg(w);'

# --- for people -----------------------------------------------------------------------------

run 1 check bad
cp err human
run 1 check bad --message-format=human
same err human
run 1 check bad --message-format short
meets 'a line each' [ "$(wc -l <err)" -eq 2 ]
err_has '^bad/graph\.nnef:5:9: error\[N0050\]: '
for format in human short json; do
    run 0 check good --message-format=$format
    silent
done
run 2 check bad --message-format=xml
err_has "'xml' is no value for --message-format=.*, expected human.short.json.sarif"

# --- JSON -----------------------------------------------------------------------------------

run 1 check bad --message-format=json
quiet_out
meets 'an object each' [ "$(grep -c '^{"code":"N00[0-9]*","severity":"error",.*}$' err)" -eq 2 ]
err_has '"file":"bad/graph.nnef","line":5,"column":9,"endLine":5,"endColumn":11,"message":'
meets 'the lines satisfy the schema' satisfies err
run 1 check bad --message-format=json --error-limit=1
err_has '^\{"code":"N0190","severity":"note",.*"message":"1 more error is not shown; '
meets 'the end of a report satisfies the schema' satisfies err
run 0 check "$top/tests/language/warnings.nnef" --message-format=json
err_has '"severity":"warning","warning":"power-chain",'
run 1 check "$top/tests/language/warnings.nnef" --message-format=json -Werror
err_has '"severity":"error","warning":"power-chain",'
run 0 check "$top/tests/language/warnings.nnef" --message-format=json -q
silent

# What the program itself says, about files and about the command line.
run 3 check nowhere --message-format=json
err_has '^\{"code":"N0180","severity":"error",.*"file":"nowhere","line":null,"column":null,"endLine":null,'
cp err said
run 3 run "$digits" --random -o /nowhere/there.dat --message-format=json
err_has '^\{"code":"N0181",.*"file":"/nowhere/there.dat",'
cat err >>said
for arguments in frobnicate check 'run a b --message-format json' 'run a -o x.csv' 'run a --bogus' \
    'explain N0' 'list-ops x' 'pack a b.c' 'check --message-format=sarif'; do
    # shellcheck disable=SC2086 # words
    run 2 $arguments --message-format=json
    quiet_out
    err_has '^\{"code":null,"severity":"error",.*"file":null,.*"message":".*\}$'
    cat err >>said
done
meets 'what the program says satisfies the schema' satisfies said

# Names that are no UTF-8, and those that would end a string.
cp bad/graph.nnef "$(printf 'caf\351 "1"\t.nnef')"
run 1 check ./caf* --message-format=json
meets 'strange names are spelled' grep -Fq '"file":"./caf\\xE9 \"1\"\t.nnef"' err
meets 'strange names satisfy the schema' satisfies err

# Every fault that there is a test for.
find "$top/tests" -name node_modules -prune -o -name '*.nnef' -print | sort >documents
xargs "$NNEFC" check --pedantic --error-limit=0 --message-format=json <documents >out 2>all
for quant in "$top"/tests/quant/*.quant; do
    "$NNEFC" check "$top/tests/quant/model.nnef" --quant-file="$quant" --message-format=json
done >>out 2>>all
said='check every document with faults'
meets 'there are many faults' [ "$(wc -l <all)" -gt 400 ]
meets 'there are labels, notes and help among them' \
    grep -q '"labels":\[{.*"notes":\[{.*"help":"' all
meets 'all of them satisfy the schema' satisfies all

# The schema is not one that anything satisfies.
sed '1s/"line":[0-9]*/"line":0/' all >wrong
meets 'line 0 does not satisfy the schema' not satisfies wrong >out
sed '1s/"code"/"kode"/' all >wrong
meets 'another member does not satisfy the schema' not satisfies wrong >out

# --- SARIF ----------------------------------------------------------------------------------

has() { meets "the log has '$1'" grep -q -- "$1" err; }

run 1 check bad good --message-format=sarif
quiet_out
cp err bad.sarif
has '"version": "2.1.0"'
has '"columnKind": "unicodeCodePoints"'
has '"executionSuccessful": true'
has '"exitCode": 1'
meets 'two results' [ "$(grep -c '"ruleId": ' err)" -eq 2 ]
has '"uri": "bad/graph.nnef"'
run 0 check good --message-format=sarif
has '"results": \[\]'
has '"exitCode": 0'
cp err good.sarif
run 3 check nowhere --message-format=sarif
has '"executionSuccessful": false'
has '"ruleId": "N0180"'
has '"uri": "nowhere"'
cp err nowhere.sarif
run 2 check --bogus --message-format=sarif
has '"toolConfigurationNotifications"'
has "'check' has no option '--bogus'"
cp err usage.sarif

# Columns count characters, of which one has two bytes here; names are quoted as in a URI.
printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>(shape = [1]); y = foo(x, "\303\251", 3) @; }\n' >'a b%é.nnef'
run 1 check 'a b%é.nnef' --message-format=sarif
has '"uri": "a%20b%25%C3%A9.nnef"'
cp err columns.sarif
run 1 check 'a b%é.nnef' --message-format=short
bytes=$(sed -n 's/.*:4:\([0-9]*\): error\[N0005\].*/\1/p' err)
cp columns.sarif err
has "\"startColumn\": $((bytes - 1))"
input=bad/graph.nnef
run 1 check - --message-format=sarif
has '"uri": "%3Cstdin%3E"'
cp err stdin.sarif
input=/dev/null
run 1 check "$PWD/bad" --message-format=sarif
has '"uri": "file:///'
cp err absolute.sarif
# shellcheck disable=SC2046 # names without blanks
run 1 check --pedantic --message-format=sarif --error-limit=0 $(cat documents)
cp err all.sarif
has '"relatedLocations"'
has '"fixes"'
run 1 check bad --message-format=sarif --error-limit=1
has '"ruleId": "N0190"'
has '"text": "1 more error is not shown; '
cp err hidden.sarif

said='--message-format=sarif'
"$top/tests/sarif/judge.sh" ./*.sarif >err 2>&1
case $? in
77) cat err && skipped=$((skipped + 1)) ;;
*) meets 'the logs satisfy the schema of the standard' [ ! -s err ] ;;
esac
finish
