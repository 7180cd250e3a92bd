import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { globMatchText } from './glob.js';

function matches(pattern: string, subject: string): void {
  assert.ok(globMatchText(pattern, subject), `${pattern} should match ${subject}`);
}

function differs(pattern: string, subject: string): void {
  assert.ok(!globMatchText(pattern, subject), `${pattern} should not match ${subject}`);
}

describe('globMatch', () => {
  it('matches literals, question marks and stars', () => {
    matches('hello', 'hello');
    differs('hello', 'hell');
    differs('hell', 'hello');
    matches('h?llo', 'hxllo');
    matches('h*llo', 'hllo');
    matches('h*llo', 'heeeello');
    matches('h**llo*', 'hllo');
    matches('*:*:end', 'a:b:c:end');
    differs('*:*:end', 'a:end');
  });

  it('matches the empty string only with the empty pattern', () => {
    matches('', '');
    differs('*', '');
    differs('', 'a');
  });

  it('matches classes, ranges in either direction and negation', () => {
    matches('h[ae]llo', 'hallo');
    differs('h[ae]llo', 'hillo');
    matches('h[^e]llo', 'hallo');
    differs('h[^e]llo', 'hello');
    matches('[a-c]', 'b');
    matches('[c-a]', 'b');
    matches('[a-]', '_');
    differs('[a-]', '-');
    differs('[]', ']');
    matches('[\\]]', ']');
  });

  it('ends an unterminated class with the pattern', () => {
    matches('[ab', 'a');
    differs('[', '[');
    matches('[^', 'x');
    matches('[\\', '\\');
  });

  it('matches the character after a backslash literally, and a backslash at the end as itself', () => {
    matches('h\\*llo', 'h*llo');
    differs('h\\*llo', 'hello');
    matches('a\\', 'a\\');
  });

  it('compares bytes of ranges as signed', () => {
    matches('[a-\xff]', 'A');
    differs('[b-\xff]', 'c');
    matches('[\x80-\xff]', '\x90');
  });

  it('can ignore case, except for escaped members of a class', () => {
    assert.ok(globMatchText('HeLLo', 'hEllO', true));
    assert.ok(globMatchText('[A-C]', 'b', true));
    assert.ok(!globMatchText('[\\A]', 'a', true));
    assert.ok(globMatchText('\\A', 'a', true));
    assert.ok(!globMatchText('[Z-a]', 'z', true));
  });

  it('gives up after a thousand stars, and never takes exponential time', () => {
    const subject = 'a'.repeat(3000);
    matches('*a'.repeat(1000), subject);
    differs('*a'.repeat(1001), subject);
    matches('a*'.repeat(1001), subject);
    differs('a*'.repeat(1002), subject);
    differs(`${'a*'.repeat(500)}b`, subject);
  });
});
