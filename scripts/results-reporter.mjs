/**
 * A node:test reporter that prints one line of JSON for each test: its name, whether it passed, and why it was skipped. Suites count only
 * if they were skipped or failed by themselves, in a hook.
 */
export default async function* reportResults(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, skip, details } = data;
    const passed = type === 'test:pass';
    const hasOwnResult = passed ? skip !== undefined : details.error?.failureType !== 'subtestsFailed';
    if (details?.type === 'suite' && !hasOwnResult) continue;
    yield `${JSON.stringify({ name, passed, skip })}\n`;
  }
}
