import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CookieOptions, SignedCookies } from './signed-cookies.js';

const [OLD, NEW] = ['an old key of the shop', 'a new key of the shop'];

function pairIn(header: string): string {
  return header.split(';')[0] as string;
}

describe('A signed cookie', () => {
  it('gives back its token', () => {
    const cookies = new SignedCookies({ secrets: [NEW] });
    const header = cookies.header('token-1', 60_000);
    assert.match(header, /^sid=token-1\.[\w-]{43}; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax; Secure$/);
    assert.deepEqual(cookies.find(`a=b; ${pairIn(header)};c=d`), { token: 'token-1', isOld: false });
    assert.match(cookies.clearing(), /^sid=; Path=\/; Max-Age=0;/);
  });

  it('is refused if anything in it was changed', () => {
    const cookies = new SignedCookies({ secrets: [NEW] });
    const pair = pairIn(cookies.header('token-1', 60_000));
    const value = pair.slice('sid='.length);
    for (let at = 0; at < value.length; at++) {
      const changed = `${value.slice(0, at)}${value[at] === 'A' ? 'Q' : 'A'}${value.slice(at + 1)}`;
      // The last character of the signature has bits that are not used.
      if (at < value.length - 1) assert.equal(cookies.find(`sid=${changed}`), undefined, changed);
    }
    const refused = ['sid=', 'sid=token-1', 'sid=token-1.', 'sid=.', 'sid', `other=${value}`, '', undefined];
    for (const header of refused) assert.equal(cookies.find(header), undefined, header);
    assert.equal(
      new SignedCookies({ secrets: [NEW], name: 'cart' }).find(`cart=${value}`),
      undefined,
      'another name',
    );
  });

  it('of an old key is accepted, and marked', () => {
    const old = pairIn(new SignedCookies({ secrets: [OLD] }).header('token-1', 60_000));
    assert.deepEqual(new SignedCookies({ secrets: [NEW, OLD] }).find(old), { token: 'token-1', isOld: true });
    assert.equal(new SignedCookies({ secrets: [NEW] }).find(old), undefined);
  });

  it('is found among others of its name', () => {
    const cookies = new SignedCookies({ secrets: [NEW] });
    const right = pairIn(cookies.header('token-1', 60_000));
    assert.equal(cookies.find(`sid=forged.AAAA; ${right}`)?.token, 'token-1');
  });

  it('has no attributes that a browser would refuse, or that would end early', () => {
    const refused: object[] = [
      {},
      { secrets: [] },
      { secrets: ['short'] },
      { secrets: [NEW], name: 'a b' },
      { secrets: [NEW], path: '/; Domain=evil' },
      { secrets: [NEW], domain: 'a\r\nb' },
      { secrets: [NEW], sameSite: 'none', secure: false },
      { secrets: [NEW], name: '__Host-sid', path: '/shop' },
      { secrets: [NEW], naem: 'x' },
    ];
    for (const options of refused) {
      assert.throws(
        () => new SignedCookies(options as CookieOptions),
        { code: 'OPTION' },
        JSON.stringify(options),
      );
    }
    const header = new SignedCookies({ secrets: [NEW], domain: 'shop.example', sameSite: 'strict' }).header(
      't',
      1,
    );
    assert.match(header, /Max-Age=1; Domain=shop\.example; HttpOnly; SameSite=Strict; Secure$/);
  });
});
