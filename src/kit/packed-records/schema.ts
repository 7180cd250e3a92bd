import type { Store } from '../../store/index.js';
import { KitError, readLua } from '../foundation/index.js';

/** A declared field, as it is kept in the store. */
interface DeclaredField {
  readonly name: string;
  readonly kind: string;
  readonly bits: number;
  readonly values?: readonly string[];
}

const AGREE = {
  keys: ['layout'],
  args: ['schema', 'expected'],
  repeatable: true,
  lua: readLua(import.meta.url, 'agree.lua'),
  reply: String,
} as const;

/**
 * Compares the declaration with the one in the store, and writes it if there is none. A choice may have got more values at its end:
 * then the longer list is kept. Rejects with `SCHEMA` if the declarations differ otherwise.
 */
export async function checkSchema(store: Store, layout: string, schema: string): Promise<void> {
  const agree = store.script(AGREE);
  for (let current = await agree({ layout, schema, expected: '' }); current !== schema; ) {
    const difference = differenceOf(JSON.parse(current), JSON.parse(schema));
    if (difference === 'older') return;
    current = await agree({ layout, schema, expected: current });
  }
}

/** Whether the own declaration is the older or the newer one. */
function differenceOf(current: readonly DeclaredField[], own: readonly DeclaredField[]): 'older' | 'newer' {
  if (current.length !== own.length) {
    throw differs(`there are ${current.length} fields in the store, and ${own.length} in this program`);
  }
  let isOlder = false;
  current.forEach(({ values = [], ...field }, i) => {
    const { values: ownValues = [], ...ownField } = own[i] as DeclaredField;
    const common = Math.min(values.length, ownValues.length);
    const isSame =
      field.name === ownField.name &&
      field.kind === ownField.kind &&
      field.bits === ownField.bits &&
      values.slice(0, common).every((value, n) => value === ownValues[n]);
    if (!isSame) {
      throw differs(
        `'${field.name}' (${field.kind}, ${field.bits} bits) in the store is '${ownField.name}' ` +
          `(${ownField.kind}, ${ownField.bits} bits) in this program, or has other values`,
      );
    }
    if (ownValues.length < values.length) isOlder = true;
  });
  return isOlder ? 'older' : 'newer';
}

function differs(how: string): KitError {
  return new KitError(
    'SCHEMA',
    `packedRecords: the records were declared differently before: ${how}. Use the same declaration, or another name`,
  );
}
