#!/bin/sh
# diagnostics.sh - the examples of docs/diagnostics.md are reported by the codes they stand under
. "$(dirname "$0")/lib.sh"

# Each example becomes CODE.nnef, a whole document.
awk '
/^### N/ { code = $2 }
/^```nnef$/ { inside = 1; first = 1; file = code ".nnef"; next }
/^```$/ && inside {
    if (!whole) print "}" >file
    inside = 0
    close(file)
}
!inside { next }
first {
    first = 0
    whole = /^version|^graph/
    if (!whole)
        print "version 1.0;\nextension KHR_enable_fragment_definitions;\n" \
            "extension KHR_enable_operator_expressions;\ngraph g( x ) -> ( y )\n{\n" \
            "    x = external<scalar>(shape = [1,4,8,8]);" >file
}
{ print (whole ? "" : "    ") $0 >file }
' "$top/docs/diagnostics.md"

for document in N*.nnef; do
    said="check $document"
    case $document in
    N0201*) pedantic=--pedantic ;;
    *) pedantic= ;;
    esac
    "$NNEFC" check "$document" --diag=short $pedantic >out 2>err
    status=$?
    meets "exit status 0 or 1 (it was $status)" [ $status -le 1 ]
    err_has "\[${document%.nnef}\]: "
done
finish
