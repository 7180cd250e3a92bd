import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAddress, withoutPassword } from './address.js';
import { StoreError } from './store-error.js';

function refusal(text: string): string {
  try {
    parseAddress(text);
  } catch (error) {
    assert.ok(error instanceof StoreError);
    assert.equal(error.code, 'ADDRESS');
    return error.message;
  }
  assert.fail(`${text} was understood`);
}

describe('addresses', () => {
  it('name memory and folders', () => {
    assert.deepEqual(parseAddress('memory:'), { kind: 'memory' });
    assert.deepEqual(parseAddress('file:./data'), { kind: 'file', folder: './data' });
    assert.deepEqual(parseAddress('file:///var/data'), { kind: 'file', folder: '/var/data' });
  });

  it('name one server, with defaults for missing parts', () => {
    assert.deepEqual(parseAddress('redis://db.example'), {
      kind: 'standalone',
      at: { host: 'db.example', port: 6379 },
      tls: false,
      query: {},
    });
    assert.deepEqual(parseAddress('rediss://ann:p%40ss@[::1]:7000/3?clientName=web'), {
      kind: 'standalone',
      at: { host: '::1', port: 7000 },
      tls: true,
      username: 'ann',
      password: 'p@ss',
      database: 3,
      query: { clientName: 'web' },
    });
    assert.deepEqual(parseAddress('unix:/run/redis.sock?db=2&password=secret'), {
      kind: 'standalone',
      at: { path: '/run/redis.sock' },
      tls: false,
      password: 'secret',
      database: 2,
      query: { db: '2' },
    });
  });

  it('name Sentinels with the master they watch', () => {
    assert.deepEqual(parseAddress('redis+sentinel://:pw@s1,s2:26380/main/1'), {
      kind: 'sentinel',
      hosts: [
        { host: 's1', port: 26379 },
        { host: 's2', port: 26380 },
      ],
      name: 'main',
      tls: false,
      password: 'pw',
      database: 1,
      query: {},
    });
  });

  it('name nodes of a Cluster', () => {
    assert.deepEqual(parseAddress('redis+cluster://n1,n2:7001?reads=replica'), {
      kind: 'cluster',
      hosts: [
        { host: 'n1', port: 6379 },
        { host: 'n2', port: 7001 },
      ],
      tls: false,
      query: { reads: 'replica' },
    });
  });

  it('that are malformed are refused with advice', () => {
    assert.match(refusal('localhost:6379'), /has one of these forms: memory:/);
    assert.match(refusal('http://host'), /has one of these forms/);
    assert.match(refusal('memory:x'), /nothing follows/);
    assert.match(refusal('file:'), /name a folder/);
    assert.match(refusal('redis:host'), /two slashes/);
    assert.match(refusal('redis://'), /host or host:port/);
    assert.match(refusal('redis://host:70000'), /70000 is not a port/);
    assert.match(refusal('redis://host/one'), /'one' is not the number of a database/);
    assert.match(refusal('redis://a,b'), /redis\+sentinel/);
    assert.match(refusal('redis://host?time=1'), /'time' is not one of/);
    assert.match(refusal('redis+sentinel://host'), /name the master/);
    assert.match(refusal('redis+cluster://host/1'), /only database 0/);
    assert.match(refusal('unix:'), /name the socket/);
  });

  it('accept any character in user names and passwords, percent-encoded', () => {
    const odd = 'p%ss/w?rd:#@ +&=';
    const expected = { username: odd, password: odd };
    const encoded = encodeURIComponent(odd);
    const { username, password } = parseAddress(`redis://${encoded}:${encoded}@host`) as typeof expected;
    assert.deepEqual({ username, password }, expected);
    const unix = parseAddress(`unix:/s?username=${encoded}&password=${encoded}`) as typeof expected;
    assert.deepEqual({ username: unix.username, password: unix.password }, expected);
    assert.equal((parseAddress('unix:/s?password=a+b') as typeof expected).password, 'a+b');
    assert.equal((parseAddress('redis://:a#b:c@host') as typeof expected).password, 'a#b:c');
  });

  it('with an unencoded character in the password get advice that does not show the password', () => {
    for (const text of [
      'redis://me:sec/ret@host',
      'redis://me:sec?ret@host',
      'redis+cluster://me:s/ret@a,b',
    ]) {
      assert.match(refusal(text), /%2F/);
      assert.doesNotMatch(refusal(text), /sec|ret|me:/);
    }
    assert.match(refusal('redis://me:50%@host'), /%25/);
    assert.match(refusal('redis+sentinel://host/%zz'), /%25/);
  });

  it('never show a password', () => {
    assert.equal(refusal('redis://ann:secret@host:x').includes('secret'), false);
    assert.equal(withoutPassword('unix:/s?password=secret&db=1'), 'unix:/s?password=***&db=1');
  });
});
