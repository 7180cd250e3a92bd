import { readFileSync } from 'node:fs';

/** The version of this package. The same relative path leads to it from the sources and from the build. */
export function packageVersion(): string {
  const description: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return (description as { version: string }).version;
}
