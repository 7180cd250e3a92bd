/** Calls a second of one client that waits for each answer. The first calls are not counted: code is compiled in them. */
export async function rateOf(seconds: number, call: (count: number) => Promise<unknown>): Promise<number> {
  const warm = performance.now() + 500;
  for (let i = 0; i < 3_000 && performance.now() < warm; i++) await call(i);
  const start = performance.now();
  const end = start + seconds * 1_000;
  let calls = 0;
  while (performance.now() < end) {
    await call(calls);
    calls++;
    // Embedded calls never wait, so that other clients would not run.
    if (calls % 100 === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
  return (calls * 1_000) / (performance.now() - start);
}
