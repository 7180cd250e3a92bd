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
  { path: 'clients', title: 'Clients', group: 'server', load: () => import('./server/clients.js') },
  { path: 'slow', title: 'Slow log', group: 'server', load: () => import('./server/slow.js') },
  { path: 'monitor', title: 'Monitor', group: 'server', load: () => import('./server/monitor.js') },
  { path: 'pubsub', title: 'Publish/subscribe', group: 'server', load: () => import('./server/pubsub.js') },
  { path: 'functions', title: 'Functions', group: 'server', load: () => import('./server/functions.js') },
  { path: 'users', title: 'Users', group: 'server', load: () => import('./server/users.js') },
  { path: 'settings', title: 'Settings', group: 'server', load: () => import('./server/settings.js') },
  {
    path: 'persistence',
    title: 'Persistence',
    group: 'server',
    load: () => import('./server/persistence.js'),
  },
  {
    path: 'replication',
    title: 'Replication',
    group: 'server',
    load: () => import('./server/replication.js'),
  },
  {
    path: 'cluster',
    title: 'Cluster',
    group: 'server',
    isShown: ({ kind }) => kind === 'cluster',
    load: () => import('./server/cluster.js'),
  },
  { path: 'kit', title: 'Components', group: 'kit', load: () => import('./kit/page.js') },
  { path: 'labs', title: 'Labs', group: 'kit', load: () => import('./labs/page.js') },
];
