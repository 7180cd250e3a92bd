import { useLayoutEffect, useState } from 'preact/hooks';
import type { WireBytes } from './api.js';

/** Where the browser is: `#/keys/value?key=a` is the page `keys`, the rest `['value']` and a query. */
export interface Route {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

export function currentRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decodeURIComponent);
  return { page, rest, query: new URLSearchParams(query) };
}

/** The address of a page, for a link: `hrefTo('keys', { key })`. */
export function hrefTo(
  path: string,
  query: Readonly<Record<string, string | WireBytes | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, bytesParameter(value));
  }
  const text = parameters.toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

function bytesParameter(value: WireBytes): string {
  return typeof value === 'string' && !value.startsWith('~') ? value : `~${JSON.stringify(value)}`;
}

/** Bytes that `hrefTo` wrote into the query. */
export function bytesIn(query: URLSearchParams, name: string): WireBytes | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text.startsWith('~') ? (JSON.parse(text.slice(1)) as WireBytes) : text;
}

export function navigate(href: string): void {
  location.hash = href;
}

/** Changes the address without a new entry in the history: for filters that change while they are typed. */
export function replaceRoute(href: string): void {
  history.replaceState(null, '', href);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  // Not `useEffect`, which runs after the page is painted: a change before that would be missed.
  useLayoutEffect(() => {
    const onChange = (): void => setRoute(currentRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
