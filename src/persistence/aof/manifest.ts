import { quote, splitWords } from '../../bytes/quoting.js';

/** `b`ase: all data up to some moment. `i`ncrement: the commands after it. `h`istory: replaced, to be removed. */
export type PartType = 'b' | 'i' | 'h';

/** One of the files of an append-only file. */
export interface Part {
  readonly name: string;
  readonly seq: number;
  readonly type: PartType;
}

/** Which files make up the append-only file, and in which order: Redis's `appendonly.aof.manifest`. */
export interface Manifest {
  readonly base: Part | undefined;
  /** Oldest first. */
  readonly increments: readonly Part[];
  readonly history: readonly Part[];
}

export const EMPTY_MANIFEST: Manifest = { base: undefined, increments: [], history: [] };

/** A manifest that cannot be parsed, with the line of the error. */
export class ManifestError extends Error {
  readonly line: number;

  constructor(line: number, text: string, reason: string) {
    super(`line ${line} of the manifest, >>> '${text.slice(0, MAX_SHOWN)}': ${reason}`);
    this.name = 'ManifestError';
    this.line = line;
  }
}

export function parseManifest(text: string): Manifest {
  let base: Part | undefined;
  const increments: Part[] = [];
  const history: Part[] = [];
  if (text === '') throw new ManifestError(1, '', 'Found an empty AOF manifest');
  const lines = text.split('\n');
  // Anything after the last line break is an incomplete line.
  const rest = lines.pop() as string;
  if (rest !== '' && !rest.startsWith('#')) throw new ManifestError(lines.length + 1, rest, TOO_LONG);
  lines.forEach((line, index) => {
    if (line.startsWith('#')) return;
    const fail = (reason: string): never => {
      throw new ManifestError(index + 1, line, reason);
    };
    if (line.length >= MAX_LINE_LENGTH) fail(TOO_LONG);
    const part = parsePart(line, fail);
    if (part.type === 'h') history.push(part);
    else if (part.type === 'i') {
      if (part.seq <= (increments.at(-1)?.seq ?? 0)) fail('Found a non-monotonic sequence number');
      increments.push(part);
    } else if (base === undefined) base = part;
    else fail('Found duplicate base file information');
  });
  return { base, increments, history };
}

/** Unknown keys are skipped: a later version may add some. */
function parsePart(line: string, fail: (reason: string) => never): Part {
  const words = splitWords(line.trim());
  if (words === undefined || words.length < 6 || words.length % 2 !== 0) return fail(BAD_FORMAT);
  let name = '';
  let seq = 0;
  let type = '';
  for (let i = 0; i < words.length; i += 2) {
    const value = words[i + 1] as string;
    const key = (words[i] as string).toLowerCase();
    if (key === 'file') name = value;
    else if (key === 'seq') seq = Number.parseInt(value, 10);
    else if (key === 'type') type = value.charAt(0);
  }
  if (/[/\\]/.test(name)) return fail("File can't be a path, just a filename");
  if (name === '' || !(seq > 0) || type === '') return fail(BAD_FORMAT);
  if (type !== 'b' && type !== 'i' && type !== 'h') return fail('Unknown AOF file type');
  return { name, seq, type };
}

const BAD_FORMAT = 'Invalid AOF manifest file format';
/** Redis also uses this text for a line without an end. */
const TOO_LONG = 'The AOF manifest file contains too long line';
const MAX_LINE_LENGTH = 1024;
/** Max characters of a line shown in an error. */
const MAX_SHOWN = 200;

export function formatManifest({ base, history, increments }: Manifest): string {
  return [...(base === undefined ? [] : [base]), ...history, ...increments]
    .map(({ name, seq, type }) => `file ${shownName(name)} seq ${seq} type ${type}\n`)
    .join('');
}

function shownName(name: string): string {
  return /[\s"'\\]|[^ -~]/.test(name) ? quote(name) : name;
}

/** The manifest with one more increment of this number, and that increment. */
export function withIncrement(
  manifest: Manifest,
  fileName: string,
  seq: number,
): { manifest: Manifest; part: Part } {
  const part: Part = { name: `${fileName}.${seq}.incr.aof`, seq, type: 'i' };
  return { manifest: { ...manifest, increments: [...manifest.increments, part] }, part };
}

export function baseOf(fileName: string, seq: number, format: 'rdb' | 'aof'): Part {
  return { name: `${fileName}.${seq}.base.${format}`, seq, type: 'b' };
}

/** The manifest with a new base, which replaces everything but the last `kept` increments; the rest becomes history. */
export function withBase(manifest: Manifest, base: Part, kept: number): Manifest {
  const { increments } = manifest;
  const replaced = increments.slice(0, Math.max(0, increments.length - kept));
  const old = manifest.base === undefined ? replaced : [...replaced, manifest.base];
  return {
    base,
    increments: kept === 0 ? [] : increments.slice(-kept),
    history: [...old.map((part): Part => ({ ...part, type: 'h' })), ...manifest.history],
  };
}
