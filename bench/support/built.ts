/** A module as the build has it: what compiles the sources on the fly for a benchmark would slow them down. */
export async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/${path}`, import.meta.url).href)) as Module;
}
