// parse.mjs FILE... - does the parser of mermaid take these flowcharts?  Without a page there is nothing to make safe.
import { readFileSync } from 'fs';
import { register } from 'module';

const harmless = 'export default { addHook() {}, sanitize: (text) => text, isSupported: true }';
const hooks = `export const resolve = (name, context, next) => name === 'dompurify'
    ? { url: ${JSON.stringify('data:text/javascript,' + encodeURIComponent(harmless))}, shortCircuit: true }
    : next(name, context);`;
register('data:text/javascript,' + encodeURIComponent(hooks));
const { default: mermaid } = await import('mermaid');

for (const file of process.argv.slice(2)) {
    const { diagramType } = await mermaid.parse(readFileSync(file, 'utf8'));
    console.log(`${file}: ${diagramType}`);
}
