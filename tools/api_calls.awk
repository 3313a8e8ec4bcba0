# api_calls.awk - makes a C table of the functions that the public headers declare, with a call of each
#
#     awk -f api_calls.awk include/nnefc/*.h
#
# A call takes each argument from the values of its type in tests/support/api_values.h, and hands the result to the
# function there for results of its type. A type without values stops the build, so that no new function is left out.

BEGIN {
    # values by the type of a parameter
    n = split("model run tensor results catalogue diff infer eval", word, " ")
    for (i = 1; i <= n; i++) {
        values["struct nnefc_" word[i] " *"] = values["const struct nnefc_" word[i] " *"] = word[i]
        gives["struct nnefc_" word[i] " *"] = "new_" word[i]
    }
    n = split("datum type run_options diff_options custom_op emit_c rewrite quantize extract edit onnx image hooks tolerance output_file", word, " ")
    for (i = 1; i <= n; i++) values["const struct nnefc_" word[i] " *"] = word[i]
    values["struct nnefc_type *"] = "type_out"
    values["struct nnefc_difference *"] = "difference_out"
    values["bool"] = "bool"
    values["int"] = "int"
    values["int64_t"] = "int64"
    values["uint64_t"] = "seed"
    values["size_t"] = "size"
    values["double"] = "real"
    values["const char *"] = "string"
    values["const char *const *"] = "strings"
    values["const int64_t *"] = "extents"
    values["const void *"] = "items"
    values["void *"] = "user"
    values["FILE *"] = "stream"
    values["char **"] = "text_out"
    values["size_t *"] = "size_out"
    values["int *"] = "int_out"
    values["nnefc_progress"] = "progress"

    # what becomes of a result, by its type
    gives["enum nnefc_status"] = "status"
    gives["bool"] = gives["int"] = gives["int64_t"] = gives["enum nnefc_datum_kind"] = "number"
    gives["double"] = "real"
    gives["char *"] = "owned_text"
    gives["const char *"] = "text"
    gives["struct nnefc_type"] = "type"
    gives["struct nnefc_text"] = "source"
    gives["struct nnefc_plans"] = "plans"
    gives["struct nnefc_layers"] = "layers"
    n = split("identity cost packed", word, " ")
    for (i = 1; i <= n; i++) gives["const struct nnefc_" word[i] " *"] = "record"
    gives["void *"] = gives["const void *"] = gives["const struct nnefc_tensor *"] = "pointer"
    gives["const struct nnefc_datum *"] = gives["const struct nnefc_quantized *"] = gives["const struct nnefc_explanation *"] = "pointer"
    print "/* made by tools/api_calls.awk */\n"
}

# A declaration becomes one line without comments.
{
    gsub(/\/\*[^*]*\*\//, "")
    if (comment && !sub(/^.*\*\//, "")) next
    comment = sub(/\/\*.*/, "")
}
/^NNEFC_API / { text = ""; open = 1 }
open { text = text " " $0 }
open && /;/ { open = 0; add(text) }

function tidy(text)
{
    gsub(/[ \t]+/, " ", text)
    gsub(/^ | $/, "", text)
    return text
}

function kind_of(type) { return type ~ /^enum / ? "enum" : values[type] }

function result_of(type) { return type ~ /^const struct nnefc_[a-z_]+_list \*$/ ? "list" : gives[type] }

function add(text,    type, name, count, part, i, kind, arguments, row, result)
{
    sub(/^ *NNEFC_API /, "", text)
    match(text, /nnefc_[a-z0-9_]+\(/)
    type = tidy(substr(text, 1, RSTART - 1))
    name = substr(text, RSTART, RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH)
    sub(/\) *;.*/, "", text)
    count = text == "void" ? 0 : split(text, part, ",")
    print "static void call_" name "(struct world *world, const int *pick, struct answer *answer)\n{"
    print "    (void)world, (void)pick;"
    for (i = 1; i <= count; i++) {
        part[i] = tidy(part[i])
        match(part[i], /[a-z0-9_]+$/)
        row = row "{GIVEN_" toupper(kind = kind_of(tidy(substr(part[i], 1, RSTART - 1)))) ", \"" substr(part[i], RSTART) "\"}, "
        if (!kind) print "#error \"no values for '" part[i] "' of " name "()\""
        print "    " part[i] " = given_" kind "(world, pick[" i - 1 "]);"
        arguments = arguments (i > 1 ? ", " : "") substr(part[i], RSTART)
    }
    result = result_of(type)
    if (type == "void") print "    " name "(" arguments ");\n    (void)answer;"
    else if (result) print "    answer_" result "(answer, " name "(" arguments "));"
    else print "#error \"no answer of type '" type "' for " name "()\""
    print "}\n"
    rows = rows "    {\"" name "\", call_" name ", " count ", {" (count ? row : "{GIVEN_BOOL, NULL}") "}},\n"
}

END { print "static const struct call calls[] = {\n" rows "};" }
