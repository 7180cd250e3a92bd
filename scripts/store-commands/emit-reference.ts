/** Generates the documentation and the examples. */
import { commandWords, exampleLine, signatures } from './emit-types.js';
import type { Method } from './method.js';
import { headed } from './source-text.js';
import { untyped } from './table.js';

type Groups = ReadonlyMap<string, readonly Method[]>;

/** docs/reference/store-commands.md */
export function emitReference(groups: Groups): string {
  const sections = [...groups].map(
    ([group, methods]) =>
      `## ${group}\n\n| method | sends | example |\n|---|---|---|\n${methods.map(rowText).join('\n')}\n`,
  );
  const rest = Object.entries(untyped)
    .map(([name, reason]) => `| \`${name.replace('|', ' ').toUpperCase()}\` | ${reason} |`)
    .join('\n');
  const count = [...groups.values()].flat().length;
  return `# Commands of a store

Generated from the command table by \`npm run store-commands\`. ${count} methods. A store returns promises, \`store.sync\` returns
results directly, and a pipeline or transaction returns all its results together. \`store.bytes\` returns \`Buffer\` instead of
strings, \`store.exact\` returns \`bigint\` for integers. Send any other command with \`store.send('NAME', …)\`.

Where a command takes several values, a method takes several arguments or a list (\`del('a', 'b')\`, \`del(['a', 'b'])\`). Names
with values are an object, a \`Map\` or a list of pairs. Optional words of a command are fields of the last parameter; the types
do not allow words that exclude each other. An unknown option is refused with the code \`OPTION\`.

${sections.join('\n')}
## Without a method

| command | why |
|---|---|
${rest}
`;
}

function rowText(method: Method): string {
  const { row, command, name } = method;
  const [parameters = ''] = /^\(.*?\)(?=: Outcome)/.exec(signatures(method).at(-1) ?? '') ?? [];
  const example = exampleLine(row.call, row.result).replaceAll('|', '\\|');
  return `| \`${name}${names(parameters)}\` | \`${commandWords(command)}\` | \`${example}\` |`;
}

/** Parameters without their types. */
function names(parameters: string): string {
  let depth = 0;
  let text = '';
  let isType = false;
  for (const character of parameters.slice(1, -1)) {
    if ('<({['.includes(character)) depth++;
    if ('>)}]'.includes(character)) depth--;
    if (character === ':' && depth === 0) isType = true;
    if (character === ',' && depth === 0) isType = false;
    if (!isType) text += character;
  }
  return `(${text})`;
}

/** tests/store-commands/examples.ts */
export function emitExamples(groups: Groups): string {
  const cases = [...groups.values()].flat().map(exampleText).join('\n');
  return headed(
    "import { type Example, example } from './example.js';\n",
    `/** The example of each method. The compiler checks the types of the results. */
export const examples: readonly Example[] = [
${cases}
];
`,
  );
}

function exampleText({ name, row }: Method): string {
  const given = row.given.map((call) => `async (store) => store.${call}`).join(', ');
  const parts = [`name: '${name}'`, `given: [${given}]`, `call: async (store) => store.${row.call}`];
  if (row.throws !== undefined) parts.push(`throws: ${JSON.stringify(row.throws)}`);
  else if (row.result !== undefined) parts.push(`result: ${row.result}`);
  else parts.push(`check: (result) => ${row.check}`);
  if (row.onlyEmbedded !== undefined) parts.push(`onlyEmbedded: ${JSON.stringify(row.onlyEmbedded)}`);
  return `example({ ${parts.join(', ')} }),`;
}
