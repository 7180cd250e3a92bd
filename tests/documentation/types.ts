import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';
import type { Example } from './extract.js';

/** The compiler's errors in examples, with the lines of their documents; only for examples with errors. */
export function typeErrors(examples: readonly Example[]): Map<Example, string> {
  const sources = new Map(examples.map((example, at) => [join(PROJECT_ROOT, `example-${at}.mts`), example]));
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  // Without imports it would be a script, which shares its names with others.
  host.readFile = (path) => {
    const example = sources.get(path);
    return example === undefined ? readFile(path) : `${example.text}\nexport {};`;
  };
  const declarations = join(PROJECT_ROOT, 'bench/support/redlock.d.ts');
  const program = ts.createProgram([...sources.keys(), declarations], options, host);
  const mistakes = new Map<Example, string>();
  for (const [path, example] of sources) {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    if (found.length > 0) mistakes.set(example, found.map((one) => described(example, one)).join('\n'));
  }
  return mistakes;
}

function described({ path }: Example, { file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `${path}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

/** As strict as the project, but unused variables are allowed. */
function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(PROJECT_ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, PROJECT_ROOT);
  return {
    ...options,
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowImportingTsExtensions: true,
    typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
  };
}

/** The syntax errors of an example. */
export function syntaxErrors({ text }: Example): string {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n');
}
