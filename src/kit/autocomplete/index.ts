/** `sorrel/kit/autocomplete`: recent contacts of a user, and prefix search in a dictionary. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type CompleteContactsOptions,
  type RecentContacts,
  type RecentContactsOptions,
  recentContacts,
} from './contacts.js';
export {
  type CompleteOptions,
  type Completion,
  type Dictionary,
  type DictionaryEntry,
  type DictionaryOptions,
  dictionary,
} from './dictionary.js';
