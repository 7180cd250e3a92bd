import type { ComponentType } from 'preact';
import type { SessionInfo } from '../types/session.js';
import type { Route } from './router.js';

/** What a page's component is given. */
export interface PageProps {
  readonly route: Route;
  readonly session: SessionInfo;
}

/** A page of the console. Adding a row here is all it takes: the menu, the address and the loading follow from it. */
export interface Page {
  /** The first part of its address. */
  readonly path: string;
  /** Its name in the menu: a text of `t`. */
  readonly title: string;
  readonly group: 'data' | 'server' | 'kit';
  /** Shown only if it says so: pages about a Cluster. Default: always. */
  isShown?(session: SessionInfo): boolean;
  /** Loads the page's code, whose default export is the component. */
  load(): Promise<{ readonly default: ComponentType<PageProps> }>;
}

export const GROUPS = [
  { name: 'data', title: 'Data' },
  { name: 'server', title: 'Server' },
  { name: 'kit', title: 'Kit' },
] as const;

export const PAGES: readonly Page[] = [
  { path: '', title: 'Overview', group: 'data', load: () => import('./overview/page.js') },
  { path: 'keys', title: 'Keys', group: 'data', load: () => import('./keys/page.js') },
  { path: 'memory', title: 'Memory', group: 'data', load: () => import('./memory/page.js') },
  {
    path: 'command-line',
    title: 'Command line',
    group: 'data',
    load: () => import('./command-line/page.js'),
  },
  { path: 'kit', title: 'Components', group: 'kit', load: () => import('./kit/page.js') },
];
