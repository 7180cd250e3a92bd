import { KitError, shown } from '../foundation/index.js';

/**
 * What a field of a document holds: `text` is searched by its words; `keyword` (one or several) by its exact value; `number` and `date`
 * by ranges; `stored` is only returned.
 */
export type FieldType = 'text' | 'keyword' | 'number' | 'date' | 'stored';

export interface FieldDefinition {
  readonly type: FieldType;
  /** Of a `text`: how much its words count in the ranking. Default 1. */
  readonly weight?: number;
  /**
   * Of a `text` or `keyword`: results can be sorted by it. Only the first characters count: see `stringScore`. Numbers and dates can
   * always be sorted. Default false.
   */
  readonly sortable?: boolean;
}

/** The fields of an index by name: a type, or a type with options. */
export type Fields = Readonly<Record<string, FieldType | FieldDefinition>>;

type TypeOf<Definition> = Definition extends FieldDefinition ? Definition['type'] : Definition;

type ValueOf<Type> = Type extends 'text'
  ? string
  : Type extends 'keyword'
    ? string | readonly string[]
    : Type extends 'number'
      ? number
      : Type extends 'date'
        ? Date
        : unknown;

/** A document of an index with these fields. Every field may be missing. */
export type DocumentOf<F extends Fields> = {
  readonly [Name in keyof F]?: ValueOf<TypeOf<F[Name]>> | undefined;
};

export type FieldTypes = Readonly<Record<string, FieldType>>;

/** A complete definition. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly weight: number;
  readonly isSortable: boolean;
}

const TYPES: readonly FieldType[] = ['text', 'keyword', 'number', 'date', 'stored'];
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Checks the fields of an index. */
export function resolveFields(fields: Fields): Field[] {
  const names = Object.keys(fields);
  if (names.length === 0) {
    throw new KitError(
      'OPTION',
      "searchIndex: `fields` must name at least one field, as in { body: 'text' }",
    );
  }
  return names.map((name) => {
    const given = fields[name] as FieldType | FieldDefinition;
    const definition = typeof given === 'string' ? { type: given } : given;
    const { type, weight = 1, sortable = false, ...others } = definition ?? {};
    const wrong = (what: string): KitError =>
      new KitError('OPTION', `searchIndex: the field ${shown(name)} ${what}`);
    if (!NAME.test(name) || name === 'relevance') {
      throw wrong("must have a name of letters, digits and '_' other than 'relevance'");
    }
    if (!TYPES.includes(type as FieldType))
      throw wrong(`must be one of ${TYPES.join(', ')}, not ${shown(type)}`);
    if (typeof weight !== 'number' || !(weight > 0) || !Number.isFinite(weight)) {
      throw wrong(`must have a weight above 0, not ${shown(weight)}`);
    }
    if (typeof sortable !== 'boolean') throw wrong(`must be sortable or not, not ${shown(sortable)}`);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw wrong(`has no option '${unknown}': it takes type, weight, sortable`);
    const isSortable = type === 'number' || type === 'date' || (sortable && type !== 'stored');
    return { name, type: type as FieldType, weight, isSortable };
  });
}

/** The document of its JSON. */
export function decodeDocument<F extends Fields>(fields: readonly Field[], source: string): DocumentOf<F> {
  const document = JSON.parse(source) as Record<string, unknown>;
  for (const { name, type } of fields) {
    if (type === 'date' && typeof document[name] === 'string') document[name] = new Date(document[name]);
  }
  return document as DocumentOf<F>;
}
