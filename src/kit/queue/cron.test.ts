import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from './cron.js';

function times(expression: string, from: string, count: number): string[] {
  const cron = new Cron(expression);
  const found: string[] = [];
  let at = Date.parse(from);
  for (let i = 0; i < count; i++) {
    at = cron.after(at);
    found.push(new Date(at).toISOString().replace('.000Z', ''));
  }
  return found;
}

test('a cron expression means times in UTC, each later than the one before', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['30 3 * * MON-FRI', '2024-01-05T12:00:00Z', ['2024-01-08T03:30:00', '2024-01-09T03:30:00']],
    [
      '*/15 * * * *',
      '2024-02-28T23:44:59Z',
      ['2024-02-28T23:45:00', '2024-02-29T00:00:00', '2024-02-29T00:15:00'],
    ],
    [
      '5/20 0 * * *',
      '2024-01-01T00:05:00Z',
      ['2024-01-01T00:25:00', '2024-01-01T00:45:00', '2024-01-02T00:05:00'],
    ],
    [
      '0 12 1,15 * *',
      '2023-12-15T12:00:00Z',
      ['2024-01-01T12:00:00', '2024-01-15T12:00:00', '2024-02-01T12:00:00'],
    ],
    ['*/20 30 * * * *', '2024-01-01T00:30:20Z', ['2024-01-01T00:30:40', '2024-01-01T01:30:00']],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', ['2104-02-29T00:00:00']],
    ['0 0 31 * *', '2024-01-31T00:00:00Z', ['2024-03-31T00:00:00', '2024-05-31T00:00:00']],
    ['@hourly', '2023-12-31T23:59:59Z', ['2024-01-01T00:00:00', '2024-01-01T01:00:00']],
    ['@weekly', '2024-01-07T00:00:00Z', ['2024-01-14T00:00:00']],
    ['0 6 * jan,JUL 7', '2024-01-28T07:00:00Z', ['2024-07-07T06:00:00']],
    [
      '0 0 * * 5-7',
      '2024-01-01T00:00:00Z',
      ['2024-01-05T00:00:00', '2024-01-06T00:00:00', '2024-01-07T00:00:00'],
    ],
  ];
  for (const [expression, from, expected] of cases) {
    assert.deepEqual(times(expression, from, expected.length), expected, expression);
  }
});

test('a day fits if either day field does, when both are restricted', () => {
  assert.deepEqual(times('0 0 13 * FRI', '2024-09-06T00:00:00Z', 3), [
    '2024-09-13T00:00:00',
    '2024-09-20T00:00:00',
    '2024-09-27T00:00:00',
  ]);
  assert.deepEqual(times('0 0 13 * *', '2024-09-06T00:00:00Z', 2), [
    '2024-09-13T00:00:00',
    '2024-10-13T00:00:00',
  ]);
});

test('every time of a year fits its expression, and none between is left out', () => {
  const cron = new Cron('*/7 8-18/5 */3 * MON,WED');
  const end = Date.UTC(2024, 3);
  const expected: number[] = [];
  for (let at = Date.UTC(2024, 0); at < end; at += 60_000) {
    const date = new Date(at);
    const fitsTime = date.getUTCMinutes() % 7 === 0 && [8, 13, 18].includes(date.getUTCHours());
    const fitsDay = (date.getUTCDate() - 1) % 3 === 0 && [1, 3].includes(date.getUTCDay());
    if (fitsTime && fitsDay) expected.push(at);
  }
  const found: number[] = [];
  for (let at = cron.after(Date.UTC(2024, 0) - 1); at < end; at = cron.after(at)) found.push(at);
  assert.deepEqual(found, expected);
  assert.ok(expected.length > 100);
});

test('what is no cron expression is refused with the reason', () => {
  const cases: readonly [string, RegExp][] = [
    ['* * * *', /needs five fields/],
    ['60 * * * *', /'60' is no minute/],
    ['* 24 * * *', /'24' is no hour/],
    ['* * 0 * *', /'0' is no day of the month/],
    ['* * * 13 *', /'13' is no month/],
    ['* * * FOO *', /'FOO' is no month/],
    ['* * * * 8', /'8' is no day of the week/],
    ['*/0 * * * *', /is no minute/],
    ['5-1 * * * *', /is no minute/],
    ['1-2-3 * * * *', /is no minute/],
    ['1,,2 * * * *', /is no minute/],
    ['0 0 30 2 *', /no such day/],
  ];
  for (const [expression, reason] of cases) {
    assert.throws(() => new Cron(expression), { code: 'OPTION', message: reason }, expression);
  }
});
