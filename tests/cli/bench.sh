#!/bin/sh
# bench.sh - what nnefc bench tells: fields, their order and what is refused; never how fast it was
. "$(dirname "$0")/lib.sh"

# figures NAME... - the values of those lines, one a line
figures()
{
    for name; do
        awk -v name="$name" '$1 == name { print $2 }' out
    done
}

# Whether numbers, one a line, are above zero and none is less than the one before.
ascend()
{
    figures "$@" | awk -v wanted=$# '$1 <= 0 || $1 < last { failed = 1 } { last = $1 }
        END { exit failed || NR != wanted }'
}

# every field of JSON that is a number is above zero, and those named ascend
json_sound()
{
    /usr/bin/python3 -c '
import json, sys
told = json.load(open("out"))
numbers = [told[key] for key in sys.argv[1:]]
times = [told[key] for key in ("minMs", "medianMs", "p90Ms", "p99Ms")]
sys.exit(min(numbers) <= 0 or times != sorted(times))' "$@"
}

run 0 bench "$digits" --time=0.05
quiet_err
for name in load_ms plan_ms first_ms runs min_ms median_ms p90_ms p99_ms per_second gflops peak_rss_bytes; do
    meets "$name is above zero" ascend $name
done
meets 'percentiles ascend' ascend min_ms median_ms p90_ms p99_ms
meets 'there is nothing but fields' [ "$(wc -l <out)" -eq 13 ]
for backend in reference portable; do
    run 0 bench "$digits" --time=0 --backend=$backend
    out_has "^backend $backend\$"
done

# One run is the least.
run 0 bench "$digits" --time=0 --warmup=0 --threads=1
out_has '^threads 1$'
out_has '^runs 1$'
meets 'of one run all percentiles are the same' \
    [ "$(figures min_ms median_ms p90_ms p99_ms | sort -u | wc -l)" -eq 1 ]
per_second=$(figures per_second) median=$(figures median_ms)
meets 'throughput is not beyond that of the run' \
    awk "BEGIN { exit !($per_second * $median <= 1000.01) }"

# The input may be that of files, as of run.
run 0 bench "$digits" -i "$three" --time=0
run 0 bench "$digits" -i image="$three" -i image="$digits/images/1-1.png" --time=0
run 0 bench "$digits" --fill=1 --time=0
input=$three
run 0 bench "$digits" -i - --time=0
input=/dev/null
run 2 bench "$digits" -i picture="$three" --time=0
err_has "no parameter 'picture'"
run 3 bench "$digits" -i none.png --time=0
run 2 bench "$digits" --random --fill=1 --time=0

run 0 bench "$digits" --time=0.05 --threads=2 --json
out_has '"threads": 2,'
out_has '"backend": "[a-z]+",'
out_has '"macs": 601600,'
fields='loadMs planMs firstMs runs minMs medianMs p90Ms p99Ms perSecond macs gflops peakRssBytes'
if [ -x /usr/bin/python3 ]; then
    # shellcheck disable=SC2086 # several fields
    meets 'numbers are above zero and ascend' json_sound $fields
    printf '{"loadMs": 0, "minMs": 2, "medianMs": 1, "p90Ms": 3, "p99Ms": 3}' >out
    meets 'that is looked at' not json_sound loadMs
    meets 'and that' not json_sound minMs
else
    echo 'skipped: JSON is not read (python3)'
    skipped=$((skipped + 3))
fi
run 0 bench "$digits" --time=0 --json
out_has '"threads": [1-9][0-9]*,'
out_has '"runs": 1,'

# Other models: of operations without multiply-adds; from ONNX; with passes; with another seed.
model plain 'x = external<scalar>(shape = [2,3]);' 'y = relu(x);'
run 0 bench plain --time=0
out_has '^gflops 0$'
run 0 convert "$digits" digits.onnx
run 0 bench digits.onnx --time=0 --passes=default --random=7
out_has '^median_ms '

# The trace: one event for each step and thread, steps one after the other, within the time of the run.
trace_sound()
{
    /usr/bin/python3 -c '
import json
events = json.load(open("trace.json"))["traceEvents"]
told = json.load(open("out"))
own = [e for e in events if e["ph"] == "X" and e["tid"] == 0]
helped = [e for e in events if e["ph"] == "X" and e["tid"] == 1]
rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
assert [e["name"] for e in own] == [s["name"] or s["kind"] for s in told["steps"]]
assert [e["args"]["kernel"] for e in own] == [s["kernel"] for s in told["steps"]]
assert own[0]["ts"] == 0 and all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in zip(own, own[1:]))
assert rows[0] == "caller" and set(rows) == {e["tid"] for e in own + helped}
for e in events:
    if e["ph"] != "X":
        continue
    if e["tid"] == 0:
        begin, end = e["ts"], e["ts"] + e["dur"]
    assert begin <= e["ts"] + 1e-3 and e["ts"] + e["dur"] <= end + 1e-3'
}

run 0 bench "$digits" --time=0 --threads=1 --trace=trace.json --profile --json
quiet_err
meets 'the trace has all steps' trace_sound
model wide 'x = external<scalar>(shape = [1,64,64,64]);' 'f = variable<scalar>(shape = [64,64,3,3], label = "f");' \
    'y = conv(x, f);'
run 0 init wide
run 0 bench wide --time=0.1 --threads=2 --trace=trace.json --profile --json
meets 'threads that help have rows, within the steps' trace_sound
run 2 bench "$digits" --trace=-
err_has "'-' is for what is measured"
run 3 bench "$digits" --trace=nowhere/trace.json
err_has 'nowhere/trace.json'
# The page has the record and the model: a step names the operation whose result it leaves, and what is done with it.
run 0 bench "$digits" --time=0.05 --html=page.html --json
quiet_err
meets 'what is printed has no steps' [ "$(grep -c '"steps"' out)" -eq 0 ]
run 0 bench "$digits" --time=0.05 --html=page.html --profile --json
meets 'the page asks for nothing' eval '/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json'
meets 'it has what was measured, and the operations of the steps' /usr/bin/python3 -c '
import json
told, data = json.load(open("out")), json.load(open("data.json"))
found, ops, strings = data["findings"], data["ops"], data["strings"]
assert found.keys() == told.keys()
assert (found["runs"], found["medianMs"], found["histogram"]) == (told["runs"], told["medianMs"], told["histogram"])
assert len(found["histogram"]) == 48 and 0.98 * found["runs"] <= sum(found["histogram"]) + 1 <= found["runs"] + 1
computing = [step for step in found["steps"] if step["operations"]]
assert len(computing) >= 5 and [s["minMs"] for s in found["steps"]] == [s["minMs"] for s in told["steps"]]
for step in computing:
    last = step["operationIndex"]
    assert strings[ops["type"][last]] == step["operations"].split(" + ")[-1], step
    assert strings[ops["name"][last]] == step["name"], step
    [together] = [o for o in data["steps"]["ops"] if last in o]
    assert [strings[ops["type"][op]] for op in together][-step["operations"].count("+") - 1:] == step["operations"].split(" + "), step
assert all(step["operationIndex"] is None for step in found["steps"] if not step["operations"])'
# An open model has an interface of its own, whose values are those of the graph.
run 0 bench "$digits" --open image:0=n --dim n=1..2 --time=0 --html=page.html
/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json
meets 'parameters and results of an open model are those of its operations' /usr/bin/python3 -c '
import json
data = json.load(open("data.json"))
values, strings = data["values"], data["strings"]
assert [strings[values["name"][v]] for v in data["inputs"] + data["outputs"]] == ["image", "probabilities"]
assert data["outputs"] == data["ops"]["out"][-1] and data["inputs"] == data["ops"]["in"][0][:1]'
# Results within fragments have no names; the steps of both calls are told apart, and have both fragments around them.
model nested '' >/dev/null
cat >nested/graph.nnef <<'NNEF'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment inner(x: tensor<scalar>, f: tensor<scalar>) -> (y: tensor<scalar>)
{
    c = conv(x, f);
    y = sigmoid(c);
}
fragment outer(x: tensor<scalar>, f: tensor<scalar>) -> (y: tensor<scalar>)
{
    a = inner(x, f);
    y = inner(a, f);
}
graph nested(x) -> (z)
{
    x = external<scalar>(shape = [1,4,8,8]);
    f = variable<scalar>(shape = [4,4,3,3], label = 'f');
    y = outer(x, f);
    z = softmax(y);
}
NNEF
run 0 init nested --force
run 0 bench nested --time=0 --html=page.html --profile --json
/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json
meets 'steps in fragments have their chains of calls' /usr/bin/python3 -c '
import json
data = json.load(open("data.json"))
ops, strings = data["ops"], data["strings"]
convs = [s["operationIndex"] for s in data["findings"]["steps"] if (s["operations"] or "").startswith("conv")]
chains = [[strings[name] for name in ops["fragments"][op]] for op in convs]
assert len(set(convs)) == 2 and chains == [["outer", "inner"]] * 2, (convs, chains)'
cp -R "$digits" kept
for finding in html trace overlay; do
    run 2 bench kept --time=0 --$finding=kept/graph.nnef
    err_has "would replace 'kept/graph.nnef', a file of 'kept'"
    same kept/graph.nnef "$digits/graph.nnef"
done
run 2 bench "$digits" --html=same --trace=same
err_has "two findings are to be written to 'same'"
run 0 bench "$digits" --time=0.05 --overlay=times.json --profile --json
meets 'a time for each step with a name' /usr/bin/python3 -c '
import json
times = json.load(open("times.json"))
steps = json.load(open("out"))["steps"]
assert times["unit"] == "ms" and set(times["values"]) == {s["name"] for s in steps if s["operations"]}
assert all(t > 0 for t in times["values"].values())'
run 2 bench "$digits" --time=0 --backend=reference --trace=trace2.json
err_has 'the reference has no steps to measure'
meets 'no trace is left' [ ! -e trace2.json ]

# What is amiss is refused, and nothing is told.
for bad in --threads=0 --threads=1025 --threads=two --warmup=-1 --warmup=x --time=-1 --time=x --time=inf \
    --time= --random=x --data= --quant=maybe; do
    run 2 bench "$digits" $bad
    err_has "is no value for ${bad%%=*}\\[?=.*, expected "
    quiet_out
done
for bad in --steps=2 --output=y/; do
    run 2 bench "$digits" $bad
    err_has "'bench' has no option '${bad%%=*}'"
done
run 2 bench
err_has "'bench' needs a model"
run 2 bench "$digits" plain
err_has 'one model at a time'
run 3 bench nowhere --time=0
one_error
quiet_out
run 3 bench "$digits" --time=0 --data=plain
err_has 'no data for any variable'
quiet_out
model wrong 'x = external<scalar>(shape = [2,3]);' 'y = relu(z);'
run 1 bench wrong --time=0
quiet_out

finish
