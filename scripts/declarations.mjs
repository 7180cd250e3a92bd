import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** These declaration files and all that they import, as absolute paths. */
export function declarationsBehind(files) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\(|import )['"](\.[^'"]+)\.js['"]/g,
    )) {
      visit(`${join(dirname(file), path)}.d.ts`);
    }
  };
  files.forEach(visit);
  return [...found];
}
