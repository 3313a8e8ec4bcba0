# manual.awk - the manual page: its frame, with what the program says of commands and options
#
#     nnefc help --mdoc | awk -f tools/manual.awk man/nnefc.1.in - >nnefc.1
#
# In the frame @synopsis and @commands stand for parts of that, and what follows @detail NAME is
# put where the program has a comment of that name.  A detail of nothing is an error.
FNR == 1 { file++ }
file == 1 && /^@detail / { name = substr($0, 9); detail[name] = ""; next }
file == 1 && name != "" { detail[name] = detail[name] $0 "\n"; next }
file == 1 { frame[++lines] = $0; next }

/^\.\\" (synopsis|commands)$/ { part = $2; next }
/^\.\\" detail / {
    name = substr($0, length(".\\\" detail ") + 1)
    if (name in detail) text[part] = text[part] detail[name]
    used[name] = 1
    next
}
/./ { text[part] = text[part] $0 "\n" }

END {
    for (name in detail) if (!(name in used)) {
        print "manual.awk: there is no command or option '" name "'" >"/dev/stderr"
        wrong = 1
    }
    for (i = 1; i <= lines; i++)
        if (frame[i] ~ /^@/) printf "%s", text[substr(frame[i], 2)]
        else print frame[i]
    exit wrong
}
