/** The number that the text has, in decimal digits and nothing else; undefined if it is another text, or more than `max`. */
export function parseWholeNumber(text: string, max: number = Number.MAX_SAFE_INTEGER): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > max ? undefined : value;
}
