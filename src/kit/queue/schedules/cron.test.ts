import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from './cron.js';

function times(expression: string, from: string, count: number, timeZone = 'UTC'): string[] {
  const cron = new Cron(expression, { timeZone });
  const found: string[] = [];
  let at = Date.parse(from);
  for (let i = 0; i < count; i++) {
    at = cron.after(at);
    found.push(new Date(at).toISOString().replace('.000Z', ''));
  }
  return found;
}

test('a cron expression has times in UTC, each later than the one before', () => {
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
    ['@midnight', '2024-01-01T00:00:00Z', ['2024-01-02T00:00:00', '2024-01-03T00:00:00']],
    ['@annually', '2024-01-01T00:00:00Z', ['2025-01-01T00:00:00', '2026-01-01T00:00:00']],
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

test('with a time zone, a cron expression means local time', () => {
  const cases: readonly [string, string, string, readonly string[]][] = [
    // Berlin: an hour ahead of UTC, in summer two.
    ['30 3 * * MON-FRI', 'Europe/Berlin', '2024-01-05T12:00:00Z', ['2024-01-08T02:30:00']],
    ['30 3 * * MON-FRI', 'Europe/Berlin', '2024-07-05T12:00:00Z', ['2024-07-08T01:30:00']],
    ['0 0 1 7 *', 'Europe/Berlin', '2024-01-01T00:00:00Z', ['2024-06-30T22:00:00', '2025-06-30T22:00:00']],
    ['0 0 1 1 *', 'Asia/Kolkata', '2024-06-01T00:00:00Z', ['2024-12-31T18:30:00']],
    ['0 9 * * *', 'America/New_York', '2024-03-09T15:00:00Z', ['2024-03-10T13:00:00', '2024-03-11T13:00:00']],
    // Clocks go from 2:00 to 3:00 on 31 March 2024, at 1:00 UTC: what is left out comes at once.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2024-03-29T12:00:00Z',
      ['2024-03-30T01:30:00', '2024-03-31T01:00:00', '2024-04-01T00:30:00'],
    ],
    ['*/20 2 * * *', 'Europe/Berlin', '2024-03-31T00:30:00Z', ['2024-03-31T01:00:00', '2024-04-01T00:00:00']],
    ['0 3 * * *', 'Europe/Berlin', '2024-03-30T12:00:00Z', ['2024-03-31T01:00:00', '2024-04-01T01:00:00']],
    [
      '*/30 * * * *',
      'Europe/Berlin',
      '2024-03-31T00:00:00Z',
      ['2024-03-31T00:30:00', '2024-03-31T01:00:00', '2024-03-31T01:30:00'],
    ],
    // And back from 3:00 to 2:00 on 27 October, at 1:00 UTC: a time that comes twice counts once.
    ['30 2 * * *', 'Europe/Berlin', '2024-10-26T12:00:00Z', ['2024-10-27T00:30:00', '2024-10-28T01:30:00']],
    ['30 2 * * *', 'Europe/Berlin', '2024-10-27T01:15:00Z', ['2024-10-28T01:30:00']],
    ['0 3 * * *', 'Europe/Berlin', '2024-10-27T00:45:00Z', ['2024-10-27T02:00:00']],
    [
      '*/30 * * * *',
      'Europe/Berlin',
      '2024-10-27T00:00:00Z',
      ['2024-10-27T00:30:00', '2024-10-27T01:00:00', '2024-10-27T01:30:00', '2024-10-27T02:00:00'],
    ],
    // By half an hour, on Lord Howe Island: from 2:00 to 2:30 on 6 October 2024.
    [
      '15,35 2 * * *',
      'Australia/Lord_Howe',
      '2024-10-05T15:00:00Z',
      ['2024-10-05T15:30:00', '2024-10-05T15:35:00', '2024-10-06T15:15:00'],
    ],
  ];
  for (const [expression, zone, from, expected] of cases) {
    assert.deepEqual(
      times(expression, from, expected.length, zone),
      expected,
      `${expression} ${zone} ${from}`,
    );
  }
});

test('over the years each day has its time in a zone once, and what passes is counted in full', () => {
  const daily = new Cron('30 2 * * *', { timeZone: 'Europe/Berlin' });
  const hourly = new Cron('0 * * * *', { timeZone: 'Europe/Berlin' });
  const end = Date.UTC(2027, 0);
  let days = 0;
  for (let at = daily.after(Date.UTC(2024, 0)); at < end; at = daily.after(at)) days++;
  assert.equal(days, 366 + 365 + 365);
  let hours = 0;
  const spring = Date.UTC(2024, 4);
  for (let at = hourly.after(Date.UTC(2024, 2)); at < spring; at = hourly.after(at)) hours++;
  assert.equal(hours, (31 + 30) * 24 - 1);
});

test('an invalid time zone is refused', () => {
  assert.throws(() => new Cron('* * * * *', { timeZone: 'Mars/Olympus' }), {
    code: 'OPTION',
    message: /'Mars\/Olympus' is no time zone/,
  });
  assert.throws(() => new Cron('* * * * *', { zone: 'UTC' } as object), { code: 'OPTION' });
});

test('an invalid cron expression is refused with the reason', () => {
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
