import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows transfers of files. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'file', title: 'Files', about: 'transfers under way', prefix: 'file' },
    parts: {
      meta: { type: 'hash', title: 'Transfer' },
      readers: {
        ...{ type: 'zset', title: 'Readers' },
        columns: [{ title: 'Reader' }, { title: 'Last block', format: 'number' }],
      },
      digests: { type: 'hash', title: 'Digests', isInternal: true },
      blocks: { type: 'stream', title: 'Blocks', isInternal: true },
      room: { type: 'list', title: 'Room', isInternal: true },
    },
  }),
];
