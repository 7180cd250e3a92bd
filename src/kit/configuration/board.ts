import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows settings. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'configuration', title: 'Configuration', about: 'shared settings', prefix: 'config' },
    parts: {
      record: { type: 'hash', title: 'Setting' },
      flag: { type: 'hash', title: 'Maintenance' },
      gate: { type: 'string', title: 'Move', isInternal: true },
      moved: { type: 'hash', title: 'Moved keys', isInternal: true },
      copy: { type: 'any', title: 'Copy', isInternal: true },
    },
  }),
];
