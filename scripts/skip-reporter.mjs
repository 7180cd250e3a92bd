import { relative } from 'node:path';

/** A node:test reporter that prints one line of JSON for each skipped test. */
export default async function* reportSkipped(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.skip === undefined) continue;
    const file = data.file === undefined ? '' : relative(process.cwd(), data.file.replace(/^file:\/\//, ''));
    yield `${JSON.stringify({ file, name: data.name, reason: data.skip })}\n`;
  }
}
