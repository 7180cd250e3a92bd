/**
 * Texts of the page. The English text is the key; other languages are tables from it (`texts/`). `{name}` in a text is replaced by
 * a value. A test checks that no table misses a text.
 */
export type Language = 'en' | 'zh';
export type Texts = Readonly<Record<string, string>>;

const STORED = 'sorrel-console-language';
let table: Texts = {};
let current: Language = 'en';

export function chosenLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'zh') return stored;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

/** Loads the table of the language. Texts that are on the page already stay until they are rendered again. */
export async function useLanguage(language: Language): Promise<void> {
  table = language === 'zh' ? (await import('./texts/zh.js')).default : {};
  current = language;
  localStorage.setItem(STORED, language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}

export const language = (): Language => current;

/**
 * @example
 * t('{count} keys', { count: 3 }); // '3 keys'
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const translated = Object.hasOwn(table, text) ? (table[text] as string) : text;
  return translated.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** 12,345 */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** 1.2k, 3.4M: at most four characters of digits. */
export function short(value: number): string {
  const units = ['', 'k', 'M', 'G', 'T'];
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  const digits = unit === 0 && Number.isInteger(rest) ? 0 : Math.abs(rest) < 10 ? 1 : 0;
  return `${rest.toFixed(digits)}${units[unit]}`;
}

/** 1.5 MB, in units of 1024. */
export function bytesSize(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(rest) : rest.toFixed(rest < 10 ? 2 : rest < 100 ? 1 : 0)} ${units[unit]}`;
}

/** 3 d 4 h, 12 min 5 s, 0.4 ms. */
export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}
