import { splitWords } from '../../../bytes/quoting.js';
import { serversOf } from '../../../store/servers.js';
import type { Reply } from '../../../store/transport.js';
import { invalid } from '../../frame/api-error.js';
import { type ApiRoute, change, read } from '../../frame/route.js';
import type { FunctionLibrary, RefusalRow, SettingRow, UserRow } from '../../types/server.js';
import { fieldsOf, onEach, unlessUnknown } from './each.js';

const MAX_CODE = 256 * 1024;
const SECRET = /(pass|auth|key-file-pass)/i;

/** Functions, users and settings. */
export const ruleRoutes: readonly ApiRoute[] = [
  read('server/functions', async (call): Promise<readonly FunctionLibrary[]> => {
    const reply = (await unlessUnknown(call.store.send('FUNCTION LIST', 'WITHCODE'), [])) as readonly Reply[];
    return reply.map((library) => {
      const fields = fieldsOf(library as readonly unknown[]);
      return {
        name: String(fields['library_name']),
        engine: String(fields['engine']),
        code: String(fields['library_code']).slice(0, MAX_CODE),
        functions: (fields['functions'] as readonly unknown[][]).map((words) => {
          const found = fieldsOf(words);
          return {
            name: String(found['name']),
            description: found['description'] === null ? '' : String(found['description']),
            flags: (found['flags'] as unknown[]).map(String),
          };
        }),
      };
    });
  }),

  change('server/functions/load', async ({ store, inputs }) => {
    const replace = inputs.boolean('replace') ? ['REPLACE'] : [];
    return { name: String(await store.send('FUNCTION LOAD', ...replace, inputs.text('code'))) };
  }),

  change('server/functions/delete', async ({ store, inputs }) => {
    await store.send('FUNCTION DELETE', inputs.text('name'));
  }),

  read('server/users', async ({ store }): Promise<readonly UserRow[]> => {
    const lines = (await store.send('ACL LIST')) as readonly string[];
    return lines.map((line) => {
      const [, name = '', ...rules] = line.split(' ');
      // Digests of passwords stay on the server.
      const shown = rules.map((rule) => (rule.startsWith('#') ? '#…' : rule)).join(' ');
      return { name, isOn: rules.includes('on'), rules: shown };
    });
  }),

  change('server/users/set', async ({ store, inputs }) => {
    const rules = splitWords(inputs.text('rules'));
    if (rules === undefined) throw invalid('the quotes of the rules are not balanced');
    await store.send('ACL SETUSER', inputs.text('name'), ...rules);
  }),

  change('server/users/delete', async ({ store, inputs }) => {
    await store.send('ACL DELUSER', inputs.text('name'));
  }),

  read(
    'server/refusals',
    (call): Promise<readonly RefusalRow[]> =>
      onEach(call, async (server) => {
        const reply = (await server.send('ACL LOG', [50], call)) as readonly unknown[][];
        return reply.map((words): RefusalRow => {
          const fields = fieldsOf(words);
          return {
            server: server.name,
            count: Number(fields['count']),
            reason: String(fields['reason']),
            object: String(fields['object']),
            user: String(fields['username']),
            ageSeconds: Number(fields['age-seconds']),
          };
        });
      }),
  ),

  read('server/settings', async (call): Promise<readonly SettingRow[]> => {
    const servers = serversOf(call.store);
    const maps = await Promise.all(
      servers.map(async (server) => {
        const words = (await server.send('CONFIG GET', ['*'], call)) as readonly Buffer[];
        return fieldsOf(words.map(String));
      }),
    );
    const [first = {}] = maps;
    return Object.keys(first)
      .sort()
      .map((name) => ({
        name,
        value: shownValue(name, first[name]),
        others: maps.flatMap((map, index) =>
          map[name] === first[name]
            ? []
            : [{ server: servers[index]?.name ?? '', value: shownValue(name, map[name]) }],
        ),
      }));
  }),

  /** On all servers of a Cluster. */
  change('server/settings/set', async ({ store, inputs }) => {
    await store.send('CONFIG SET', inputs.text('name'), inputs.text('value'));
  }),

  change('server/settings/rewrite', async ({ store }) => {
    await store.send('CONFIG REWRITE');
  }),
];

const shownValue = (name: string, value: unknown): string => {
  const text = String(value ?? '');
  return SECRET.test(name) && text !== '' ? '…' : text;
};
