import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows jobs. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'jobs', title: 'Jobs', about: 'jobs by skills', prefix: 'jobs' },
    parts: {
      ids: { type: 'set', title: 'Jobs', detail: 'job' },
      job: { type: 'hash', title: 'Job', isInternal: true },
      popularity: { type: 'hash', title: 'Skills', columns: [{ title: 'Skill' }, { title: 'Jobs' }] },
      bucket: { type: 'hash', title: 'Bucket', isInternal: true },
    },
  }),
];
