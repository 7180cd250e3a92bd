/** A module of the build: code that is compiled while a benchmark runs would be slower. */
export async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/${path}`, import.meta.url).href)) as Module;
}
