import type { CsvRow } from './csv.js';

/** A city, region or country. Parts that are not known are undefined. */
export interface Place {
  /** The number of the place at geonames.org. */
  readonly geonameId: number;
  readonly city: string | undefined;
  readonly region: string | undefined;
  readonly regionCode: string | undefined;
  readonly country: string | undefined;
  /** Two letters, as in ISO 3166. */
  readonly countryCode: string | undefined;
  readonly continent: string | undefined;
  readonly continentCode: string | undefined;
  /** Such as `Europe/Berlin`. */
  readonly timeZone: string | undefined;
}

/** In the order in which a place is stored, after its number. */
const COLUMNS = [
  'city_name',
  'subdivision_1_name',
  'subdivision_1_iso_code',
  'country_name',
  'country_iso_code',
  'continent_name',
  'continent_code',
  'time_zone',
] as const;

export const LOCATION_COLUMNS = ['geoname_id', 'country_name', 'city_name'];

/** The row of a place, without its names of columns. */
export function packPlace(row: CsvRow): string {
  return JSON.stringify([Number(row.value('geoname_id')), ...COLUMNS.map((column) => row.value(column))]);
}

export function unpackPlace(packed: string): Place {
  const values = JSON.parse(packed) as [number, ...string[]];
  // Part by part: lists of them would take as long as JSON.parse.
  const known = (at: number): string | undefined => (values[at] as string | undefined) || undefined;
  return {
    geonameId: values[0],
    city: known(1),
    region: known(2),
    regionCode: known(3),
    country: known(4),
    countryCode: known(5),
    continent: known(6),
    continentCode: known(7),
    timeZone: known(8),
  };
}
