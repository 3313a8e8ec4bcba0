// judge.js LOG... - checks each log against the schema of SARIF 2.1.0, and what a schema cannot say
'use strict'

const fs = require('fs')
const Ajv = require('ajv')
const draft4 = require('ajv/lib/refs/json-schema-draft-04.json')
const schema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')

const judge = new Ajv({ schemaId: 'id', meta: false, allErrors: true, unknownFormats: 'ignore' })
judge.addMetaSchema(draft4)
const satisfies = judge.compile(schema)

// Every index points to what is named beside it.
function* wrongIndices(run) {
  const rules = run.tool.driver.rules
  const locations = []
  const collect = value => {
    if (value === null || typeof value !== 'object') return
    if (value.uri !== undefined && value.index !== undefined) locations.push(value)
    Object.values(value).forEach(collect)
  }

  collect(run.results)
  for (const { uri, index } of locations)
    if (run.artifacts[index].location.uri !== uri) yield `artifact ${index} is not ${uri}`
  for (const { ruleId, ruleIndex } of run.results)
    if (rules[ruleIndex].id !== ruleId) yield `rule ${ruleIndex} is not ${ruleId}`
  if (new Set(rules.map(rule => rule.id)).size !== rules.length) yield 'a rule stands twice'
}

let failed = false
for (const name of process.argv.slice(2)) {
  const log = JSON.parse(fs.readFileSync(name))
  const faults = satisfies(log)
    ? log.runs.flatMap(run => [...wrongIndices(run)])
    : satisfies.errors.map(e => `${e.dataPath} ${e.message} ${JSON.stringify(e.params)}`)

  for (const fault of faults) console.log(`${name}: ${fault}`)
  failed ||= faults.length > 0
}
process.exit(failed ? 1 : 0)
