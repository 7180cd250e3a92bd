/** How far an import has come. */
export interface ImportProgress {
  /** Between 0 and 1; undefined if the size of the sources is not known. */
  readonly done: number | undefined;
  readonly ranges: number;
  readonly locations: number;
}

interface TerminalLike {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 30;

/**
 * Shows the progress of an import on one line of a terminal; nothing if the output is not a terminal.
 *
 * @example
 * await ipLookup(store).import({ blocks, locations, onProgress: progressBar(process.stderr) });
 */
export function progressBar(terminal: TerminalLike): (progress: ImportProgress) => void {
  return ({ done, ranges, locations }) => {
    if (terminal.isTTY !== true) return;
    const counts = `${ranges.toLocaleString('en')} ranges, ${locations.toLocaleString('en')} locations`;
    const bar = done === undefined ? '' : `${drawn(done)} ${String(Math.floor(done * 100)).padStart(3)} %  `;
    terminal.write(`\r\x1b[K${bar}${counts}${done === 1 ? '\n' : ''}`);
  };
}

function drawn(done: number): string {
  const full = Math.floor(done * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
}
