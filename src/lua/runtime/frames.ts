import type { NameOf, Site } from '../compiler/site.js';

/**
 * The call stack of a script, read from JavaScript's own stack when an error needs it: running scripts keep no record. In
 * generated code every place that can fail has its own line, so that the line number identifies the place in the Lua source.
 */

/** Information about a piece of generated code. */
export interface ChunkRecord {
  /** The name it was compiled under: `@user_script`, or the source itself. */
  readonly chunkName: string;
  /** As error texts show it, `user_script` or `[string "…"]`. */
  readonly displayName: string;
  /** The site of each line of the generated code. A line without a site belongs to the previous line. */
  readonly sites: readonly (Site | undefined)[];
}

export type Frame =
  | { readonly kind: 'lua'; readonly chunk: ChunkRecord; readonly site: Site | undefined }
  | { readonly kind: 'native'; readonly name: string };

const URL_PREFIX = 'lua-chunk:';
/** The prefix of the JavaScript names of built-in functions, which identifies them on the stack. */
const NATIVE_PREFIX = '=native ';
/** `new Function` adds two lines before the body. */
const HEADER_LINES = 2;
/** Matching a pattern needs about three frames per capture. */
const FRAME_LIMIT = 250;

const chunks = new Map<string, WeakRef<ChunkRecord>>();
const discarded = new FinalizationRegistry<string>((url) => chunks.delete(url));
let lastChunk = 0;

/** The name that the next chunk has in V8's stack traces. */
export function newChunkUrl(): string {
  lastChunk++;
  return URL_PREFIX + lastChunk;
}

export function rememberChunk(url: string, record: ChunkRecord): void {
  chunks.set(url, new WeakRef(record));
  discarded.register(record, url);
}

export function isNative(fn: { readonly name: string }): boolean {
  return fn.name.startsWith(NATIVE_PREFIX);
}

/** Marks a function as built in: it then counts as a level of the call stack without a position. */
export function markNative<T extends object>(name: string, fn: T): T {
  return Object.defineProperty(fn, 'name', { value: NATIVE_PREFIX + name });
}

/** The frames of the running scripts, innermost first. */
export function captureFrames(): Frame[] {
  const holder: { stack?: unknown } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAME_LIMIT;
  try {
    return structured(() => {
      Error.captureStackTrace(holder, captureFrames);
      return holder.stack;
    });
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The frames at the time V8 itself threw, for instance because its stack was exhausted. */
export function framesOf(error: Error): Frame[] {
  return structured(() => error.stack);
}

function structured(read: () => unknown): Frame[] {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_error, callSites) => callSites;
  try {
    const stack = read();
    return Array.isArray(stack) ? framesFrom(stack as NodeJS.CallSite[]) : [];
  } finally {
    // Node's own handler distinguishes an undefined property from a missing one.
    if (prepare === undefined) delete (Error as { prepareStackTrace?: unknown }).prepareStackTrace;
    else Error.prepareStackTrace = prepare;
  }
}

function framesFrom(callSites: NodeJS.CallSite[]): Frame[] {
  const frames: Frame[] = [];
  for (const callSite of callSites) {
    const url = callSite.getScriptNameOrSourceURL() as string | null;
    if (url?.startsWith(URL_PREFIX)) {
      const chunk = chunks.get(url)?.deref();
      if (chunk !== undefined) addLuaFrame(frames, chunk, callSite.getLineNumber() ?? 0);
      continue;
    }
    const name = callSite.getFunctionName();
    if (name?.startsWith(NATIVE_PREFIX))
      frames.push({ kind: 'native', name: name.slice(NATIVE_PREFIX.length) });
  }
  return frames;
}

function addLuaFrame(frames: Frame[], chunk: ChunkRecord, generatedLine: number): void {
  let line = generatedLine - HEADER_LINES;
  while (line > 0 && chunk.sites[line] === undefined) line--;
  const site = chunk.sites[line];
  // A function that ended with a tail call is no longer on Lua's stack. A built-in function does not replace its caller.
  const replaced = site?.isTailCall === true && frames.at(-1)?.kind === 'lua';
  frames.push({ kind: 'lua', chunk, site: replaced ? undefined : site });
}

/** `user_script:3: `, or an empty string if the frame does not belong to a script. */
export function positionOf(frame: Frame | undefined): string {
  if (frame?.kind !== 'lua' || frame.site === undefined) return '';
  return `${frame.chunk.displayName}:${frame.site.line}: `;
}

/** The name of the called function in the source of the call: for errors about bad arguments. */
export function calledName(frame: Frame | undefined): NameOf | undefined {
  return frame?.kind === 'lua' ? frame.site?.called : undefined;
}
