/** CSV files in the layout of GeoLite2, to try things out: nothing in them is true. */
export interface ExampleData {
  readonly locations: string[];
  readonly ipv4: string[];
  readonly ipv6: string[];
}

const CITIES = [
  'Ashford',
  'Brookfield',
  'Cedar Falls',
  'Dunmore',
  'Eastwick',
  'Fairhaven',
  'Glenwood',
  'Harrow Hill',
  'Ironbridge',
  'Juniper',
  'Königsfeld',
  'Lindau',
  'Montclair',
  'Nový Most',
  'Oakdale',
  'Pont-Rouge',
  'Quarry Bank',
  'Río Claro',
  'São Vicente',
  '新城',
] as const;

const COUNTRIES = [
  ['XA', 'Arden', 'Europe/Arden'],
  ['XB', 'Borealia, North', 'America/Borealia'],
  ['XC', 'Costa "Verde"', 'Pacific/Costa'],
] as const;

/** Rows per piece, so that large data is not one string. */
const ROWS_PER_PIECE = 10_000;

/**
 * Makes data for `networks` networks of each family, the same in every call. The IPv4 networks are `10.0.0.0/28`,
 * `10.0.0.32/28` …, with a gap after each; the IPv6 networks are `2001:db8::/64`, `2001:db8:0:2::/64` …
 *
 * @example
 * const { locations, ipv4, ipv6 } = exampleData(100);
 * await ipLookup(store).import({ locations, blocks: [ipv4, ipv6] });
 */
export function exampleData(networks = 1_000): ExampleData {
  const count = Math.min(networks, CITIES.length * COUNTRIES.length);
  const locationOf = (index: number): number => 1_000 + ((index * 7) % count);
  const rest = (index: number): string => `${locationOf(index)},${locationOf(0)},,0,0,,0.0,0.0,100`;
  return {
    locations: pieces(LOCATION_COLUMNS, count, locationRow),
    ipv4: pieces(BLOCK_COLUMNS, networks, (index) => `${ipv4Of(index)}/28,${rest(index)}`),
    ipv6: pieces(BLOCK_COLUMNS, networks, (index) => `${ipv6Of(index)}/64,${rest(index)}`),
  };
}

const LOCATION_COLUMNS =
  'geoname_id,locale_code,continent_code,continent_name,country_iso_code,country_name,subdivision_1_iso_code,' +
  'subdivision_1_name,subdivision_2_iso_code,subdivision_2_name,city_name,metro_code,time_zone,is_in_european_union';
const BLOCK_COLUMNS =
  'network,geoname_id,registered_country_geoname_id,represented_country_geoname_id,is_anonymous_proxy,' +
  'is_satellite_provider,postal_code,latitude,longitude,accuracy_radius';

function locationRow(index: number): string {
  const [code, country, zone] = COUNTRIES[index % COUNTRIES.length] as (typeof COUNTRIES)[number];
  const city = CITIES[index % CITIES.length];
  const quoted = `"${country.replaceAll('"', '""')}"`;
  return `${1_000 + index},en,XX,"Example Land",${code},${quoted},${index % 9},"Region ${index % 9}",,,"${city}",,${zone},0`;
}

function ipv4Of(index: number): string {
  const number = 10 * 2 ** 24 + index * 32;
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function ipv6Of(index: number): string {
  const number = index * 2;
  return `2001:db8:${Math.floor(number / 65_536).toString(16)}:${(number % 65_536).toString(16)}::`;
}

function pieces(header: string, rows: number, rowOf: (index: number) => string): string[] {
  const made = [`${header}\n`];
  for (let start = 0; start < rows; start += ROWS_PER_PIECE) {
    const count = Math.min(ROWS_PER_PIECE, rows - start);
    made.push(Array.from({ length: count }, (_, i) => `${rowOf(start + i)}\n`).join(''));
  }
  return made;
}
