# explain.awk - makes a C table of docs/diagnostics/explain.txt, whose first lines say what that holds
#
#     awk -f explain.awk diag.def explain.txt
#
# Each code of diag.def is explained once, and no other. Paragraphs become lines, with an empty one
# between; examples lose their indentation.

BEGIN {
    print "#include \"diag/explain.h\"\n\nconst struct explanation explain_table[DIAG_CODE_COUNT] = {"
}

FILENAME ~ /\.def$/ {
    if (match($0, /^DIAG\(N[0-9]+,/)) due[substr($0, RSTART + 5, RLENGTH - 6)] = 1
    next
}

/^### / {
    finish()
    code = $2
    if (!(code in due)) fail(code " is not in diag.def, or explained twice")
    delete due[code]
    as = "document"
    text = example["wrong"] = example["right"] = part = ""
    next
}
/^## / { finish(); chapter = substr($0, 4); next }
!chapter { next }
/^as: (document|pedantic|wall|run|quant|pnnx|command|client|nothing)$/ { as = $2; next }
/^(wrong|right):$/ { part = substr($0, 1, 5); next }
/^    / && part { example[part] = example[part] substr($0, 5) "\n"; next }
/^$/ { if (!part) paragraph = 1; next }
/^ / || part || !code { fail("neither prose nor example") }
{
    text = text (text == "" ? "" : paragraph ? "\n\n" : " ") $0
    paragraph = 0
}

END {
    finish()
    print "};"
    for (code in due) fail(code " of diag.def is not explained")
    exit failed
}

function fail(why) {
    printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
    failed = 1
}

function quoted(string, line, n, i, result) {
    if (string == "") return " NULL"
    gsub(/\\/, "\\\\", string)
    gsub(/"/, "\\\"", string)
    sub(/\n$/, "", string)
    n = split(string, line, "\n")
    for (i = 1; i <= n; i++) result = result "\n        \"" line[i] "\\n\""
    return result
}

function finish() {
    if (!code) return
    if (text == "") fail(code " has no text")
    if ((as != "nothing") != (example["wrong"] != "" && example["right"] != ""))
        fail(code " has examples that do not fit 'as: " as "'")
    printf "    [EXPLAIN_%s] = {\"%s\",%s,%s,%s, EXPLAIN_%s},\n", code, chapter, quoted(text),
        quoted(example["wrong"]), quoted(example["right"]), toupper(as)
    code = ""
}
