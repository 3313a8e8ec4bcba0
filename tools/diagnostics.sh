#!/bin/sh
# diagnostics.sh PROGRAM - prints docs/diagnostics.md: what PROGRAM tells of each code
set -eu

cat <<'END'
# Diagnostics

    error[N0145]: text
      --> net/graph.nnef:12:9

Written by `make docs` from `docs/diagnostics/explain.txt`, as is what `nnefc explain CODE` prints.

A code keeps its meaning for ever, whatever the wording; codes that are no longer used are not given
out again. The number in parentheses is the section of NNEF 1.0.5 that a rule comes from. What is
tolerated with a warning is an error with `--pedantic`. Each warning ends with the name by which it
is turned off (`-Wno-NAME`), on (`-WNAME`) or into an error (`-Werror=NAME`; `-Werror`: all of them);
`nnefc help warnings` lists the names.

A wrong example is reported by the code it stands under, and nothing else; a right one is silent.
Those that begin with `version` or `graph` are whole documents, those that begin with `fragment`
declarations before a graph, the others statements of a graph with both extensions, where `x` has
the shape [1,4,8,8]. Those of `Quantization files` are entries of `graph.quant` for the tensors `x`
and `y` of such a graph, those of PNNX a whole text. Those of `Running` are found by `nnefc run`,
that of N0201 with `--pedantic` only, those of N0203 and N0204 with `-Wall`. If the fault is in a
file that is no text, the example is a command. Lines of `# ` show what it prints; ` ... ` stands
for what is left out. N0224 and N0250 have no examples: N0224 needs more than 2 GiB, and N0250 is a
bug of nnefc.

    version 1.0;
    extension KHR_enable_fragment_definitions;
    extension KHR_enable_operator_expressions;
    graph g( x ) -> ( y )
    {
        x = external<scalar>(shape = [1,4,8,8]);
        EXAMPLE
    }

`nnefc --message-format=json` prints diagnostics for programs, one object a line, as
[diagnostics.schema.json](diagnostics.schema.json) describes; `--message-format=sarif` prints a log
in SARIF 2.1.0, which code scanning services read. Where a report shows the lines as they should read,
`nnefc check --fix` writes them so; `nnefc check --diff` prints all such changes as a patch.

END
"$1" explain --markdown
