import { KitError, shown } from '../foundation/index.js';

/** Where statuses are collected: the home of a user, or one of a user's lists. */
export interface Feed {
  /** `ann` for a home, `ann/list-17…` for a list. */
  readonly id: string;
  readonly owner: string;
  /** Number of the list; empty for the home. */
  readonly list: string;
}

/** A status by its author and number. */
export interface StatusPlace {
  readonly author: string;
  readonly number: string;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.-]{0,49}$/u;

/** The id of a user: the name without differences of case and Unicode form. */
export function userIdOf(name: string): string {
  const id = typeof name === 'string' ? name.normalize('NFKC').toLowerCase() : '';
  if (NAME.test(id)) return id;
  throw new KitError(
    'OPTION',
    `socialNetwork: the name of a user has 1 to 50 letters, digits, '_', '.' or '-', and begins with a letter or digit, not ${shown(name)}`,
  );
}

/** The parts of a status's id: `ann/1700000000000000`. */
export function statusPlaceOf(id: string): StatusPlace {
  const [, author = '', number = ''] =
    (typeof id === 'string' ? /^([^/]+)\/(\d{1,16})$/.exec(id) : null) ?? [];
  if (NAME.test(author)) return { author, number };
  throw new KitError(
    'OPTION',
    `socialNetwork: the id of a status is such as 'ann/1700000000000000', not ${shown(id)}`,
  );
}

export function homeOf(user: string): Feed {
  return { id: user, owner: user, list: '' };
}

export function listOf(owner: string, list: string): Feed {
  return { id: `${owner}/list-${list}`, owner, list };
}

/** The list with this id: `ann/list-1700000000000000`. */
export function listFeedOf(id: string): Feed {
  const [, owner = '', list = ''] =
    (typeof id === 'string' ? /^([^/]+)\/list-(\d{1,16})$/.exec(id) : null) ?? [];
  if (NAME.test(owner)) return { id, owner, list };
  throw new KitError(
    'OPTION',
    `socialNetwork: the id of a list is such as 'ann/list-1700000000000000', not ${shown(id)}`,
  );
}

/** A feed by the name that its sources know. */
export function feedOf(id: string): Feed {
  return id.includes('/') ? listFeedOf(id) : homeOf(id);
}
