import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { Engine } from '../../engine/engine.js';
import { ServeError, serve } from '../index.js';
import { ConfigurationError, configure } from './configuration.js';
import { readFile } from './rewrite.js';
import { loadUsers } from './users-at-start.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-users-'));
after(() => rmSync(folder, { recursive: true }));

/** The users of a server that is started with these lines in its file. */
function usersOf(...lines: string[]): string[] {
  const path = join(folder, 'redis.conf');
  writeFileSync(path, lines.join('\n'));
  const settings = new Settings();
  const { users } = configure(settings, [path]);
  const engine = new Engine({ settings });
  engine.attach({ host: { readText: readFile } });
  loadUsers(engine, users);
  return engine.users.describe();
}

describe('the users of a configuration', () => {
  it('are those of its user lines; the default user begins without permissions', () => {
    assert.deepEqual(usersOf('user bob on nopass (+get ~a ~b) +set', 'hz 20', 'user alice off'), [
      'user alice off resetchannels -@all',
      'user bob on nopass resetchannels -@all +set (~a ~b resetchannels -@all +get)',
      'user default on nopass ~* &* +@all',
    ]);
  });

  it('are refused with the line and the reason', () => {
    const wrong: readonly [lines: readonly string[], reason: RegExp][] = [
      [['user alice on +nosuch'], /^line 1 of .*'\+nosuch': Unknown command or category name in ACL$/],
      [['user alice on', 'user alice off'], /^line 2 .*'alice': Duplicate user found/],
      [['user alice (+get'], /'\(\+get': Unmatched parenthesis/],
      [['user "a b" on'], /Spaces not allowed/],
      [['user'], /'user': wrong number of arguments/],
      [['user alice on', 'aclfile /nowhere'], /define either an ACL file or declare users directly/],
      [['aclfile /nowhere'], /opening file '\/nowhere': No such file or directory/],
      [['user alice on <secret'], /'<…': The password you are trying to remove/],
    ];
    for (const [lines, reason] of wrong) {
      assert.throws(
        () => usersOf(...lines),
        (error) => {
          assert.ok(error instanceof ConfigurationError);
          assert.match(error.message, reason);
          return true;
        },
      );
    }
  });

  it('can be in an ACL file, for serve() too', async () => {
    const path = join(folder, 'users.acl');
    writeFileSync(path, 'user default off\nuser alice on nopass ~* +@all\n');
    const expected = ['user alice on nopass ~* resetchannels +@all', 'user default off resetchannels -@all'];
    assert.deepEqual(usersOf(`aclfile ${path}`, 'requirepass ignored'), expected);
    await using server = await serve({ port: 0, unixsocket: join(folder, 'socket'), aclfile: path });
    assert.deepEqual(server.engine.users.describe(), expected);
    writeFileSync(path, 'user alice +nosuch\n');
    await assert.rejects(serve({ port: 0, unixsocket: join(folder, 'other'), aclfile: path }), (error) => {
      assert.ok(error instanceof ServeError);
      assert.match(error.message, /Error in applying operation '\+nosuch'/);
      return true;
    });
  });
});
