// apply.js LOG - makes the fixes of a log of SARIF in the files that it names, from where it is run
//
// Regions are taken as the log says they are: by lines and by columns of Unicode characters.
'use strict'

const fs = require('fs')

const log = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const edits = new Map() // by file, those of all results

for (const run of log.runs) {
  if (run.columnKind !== 'unicodeCodePoints') throw new Error(`columns are ${run.columnKind}`)
  for (const { fixes = [] } of run.results)
    for (const change of fixes.flatMap(fix => fix.artifactChanges)) {
      const file = decodeURIComponent(change.artifactLocation.uri)
      edits.set(file, [...(edits.get(file) || []), ...change.replacements])
    }
}

// The characters of a text with the index at which each line begins.
function parse(text) {
  const characters = [...text]
  const starts = [0]

  characters.forEach((c, i) => {
    if (c === '\n' || (c === '\r' && characters[i + 1] !== '\n')) starts.push(i + 1)
  })
  return { characters, at: (line, column) => starts[line - 1] + column - 1 }
}

for (const [file, replacements] of edits) {
  const { characters, at } = parse(fs.readFileSync(file, 'utf8'))
  const places = replacements
    .map(({ deletedRegion: r, insertedContent }) => ({
      begin: at(r.startLine, r.startColumn),
      end: at(r.endLine, r.endColumn),
      text: insertedContent.text,
    }))
    .sort((a, b) => b.begin - a.begin)

  for (const { begin, end, text } of places) characters.splice(begin, end - begin, text)
  fs.writeFileSync(file, characters.join(''))
}
