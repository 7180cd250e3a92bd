const view = new DataView(new ArrayBuffer(8));

/** C's `%a`: `0x1.8p+1`. Without a precision as many digits as needed. */
export function formatHexadecimal(value: number, precision: number | undefined): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : value < 0 ? '-inf' : '-nan';
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n === 1n ? '-' : '';
  const biased = Number((bits >> 52n) & 0x7ffn);
  let mantissa = bits & 0xf_ffff_ffff_ffffn;
  let exponent = biased === 0 ? -1022 : biased - 1023;
  if (value === 0) exponent = 0;
  let leading = biased === 0 ? 0n : 1n;
  let digits = mantissa.toString(16).padStart(13, '0');
  if (precision === undefined) {
    digits = digits.replace(/0+$/, '');
  } else if (precision < 13) {
    const drop = BigInt(4 * (13 - precision));
    mantissa |= leading << 52n;
    let kept = mantissa >> drop;
    const rest = mantissa - (kept << drop);
    const half = 1n << (drop - 1n);
    if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
    leading = kept >> BigInt(4 * precision);
    digits =
      precision === 0
        ? ''
        : (kept & ((1n << BigInt(4 * precision)) - 1n)).toString(16).padStart(precision, '0');
  } else {
    digits = digits.padEnd(precision, '0');
  }
  const fraction = digits === '' ? '' : `.${digits}`;
  return `${sign}0x${leading}${fraction}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}
