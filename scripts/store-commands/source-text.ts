/** Functions for the text of generated modules. */
import { type ReplyKind, type ReplyModule, replyKinds } from './replies.js';

const HEADER =
  '/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */\n';

export function headed(imports: string, body: string): string {
  return `${HEADER}${imports}\n${body}`;
}

/** Which module of src/store has which type. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'options.js': [
    'AnyCase',
    'AtMostOne',
    'BitfieldOperation',
    'BitfieldRead',
    'ExactlyOne',
    'Given',
    'OneOrMore',
    'Pairs',
    'Without',
  ],
  'replies.js': ['CommonSubsequence', 'Popped', 'PoppedMembers', 'ScoredMember'],
  'server-replies.js': [
    'FoundPlace',
    'FunctionLibrary',
    'FunctionStats',
    'KeyAccess',
    'LatencyEvent',
    'LatencyHistogram',
    'LatencySample',
    'MemoryStats',
    'Position',
    'ServerTime',
    'SlowLogEntry',
  ],
  'stream-replies.js': [
    'ClaimedEntries',
    'ClaimedIds',
    'ConsumerInfo',
    'FullStreamInfo',
    'GroupInfo',
    'PendingDelivery',
    'PendingStreamEntry',
    'PendingSummary',
    'StreamEntry',
    'StreamInfo',
  ],
  '../value.js': ['Argument', 'Outcome', 'Shape', 'Value'],
};

/** Imports of the types that the text mentions. */
export function importsFor(text: string, up: string): string {
  return Object.entries(TYPES)
    .sort(([a], [b]) => (path(up, a) < path(up, b) ? -1 : 1))
    .map(([file, names]) => {
      const used = names.filter((name) => mentions(text, name));
      return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${path(up, file)}';\n`;
    })
    .join('');
}

const path = (up: string, file: string): string => `${up}${file}`;

/** Whether the code mentions the name outside of comments. */
export function mentions(text: string, name: string): boolean {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  return new RegExp(`(?<![\\w.'])${name}\\b(?!['?:])`).test(code);
}

/** The functions that convert replies, of one module. */
export function transformsOf(module: ReplyModule): string[] {
  const names = Object.values<ReplyKind>(replyKinds).flatMap(({ from, transform }) =>
    from === module && transform !== undefined ? [transform] : [],
  );
  return [...new Set(names)].sort();
}
