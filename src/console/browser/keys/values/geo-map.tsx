import type { GeoMember } from '../../../types/keys.js';
import type { WireBytes } from '../../api.js';
import { t } from '../../i18n.js';
import { shown } from '../../ui/bytes.js';
import { Empty, Failure } from '../../ui/layout.js';
import { useLoaded } from '../../ui/use.js';

const WIDTH = 720;
const HEIGHT = 400;

interface Window {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** Places by longitude and latitude, with a grid of degrees: nothing is loaded from elsewhere. */
export function GeoMap({ name }: { readonly name: WireBytes }) {
  const { value: places, failure, reload } = useLoaded<readonly GeoMember[]>('keys/places', { key: name });
  if (places === undefined) return <Failure error={failure} retry={reload} />;
  if (places.length === 0) return <Empty>{t('Nothing here.')}</Empty>;
  const window = windowOf(places);
  const x = (longitude: number): number => ((longitude - window.west) / (window.east - window.west)) * WIDTH;
  const y = (latitude: number): number =>
    ((window.north - latitude) / (window.north - window.south)) * HEIGHT;
  return (
    <>
      <svg
        class="map"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('{count} places', { count: places.length })}
      >
        {lines(window.west, window.east).map((longitude) => (
          <g key={`x${longitude}`}>
            <line x1={x(longitude)} x2={x(longitude)} y1={0} y2={HEIGHT} class="grid" />
            <text x={x(longitude) + 3} y={HEIGHT - 4}>
              {degrees(longitude)}
            </text>
          </g>
        ))}
        {lines(window.south, window.north).map((latitude) => (
          <g key={`y${latitude}`}>
            <line x1={0} x2={WIDTH} y1={y(latitude)} y2={y(latitude)} class="grid" />
            <text x={3} y={y(latitude) - 3}>
              {degrees(latitude)}
            </text>
          </g>
        ))}
        {places.map(({ member, longitude, latitude }, index) => (
          <g key={`${index} ${shown(member)}`}>
            <circle cx={x(longitude)} cy={y(latitude)} r={4}>
              <title>{`${shown(member)} (${longitude.toFixed(4)}, ${latitude.toFixed(4)})`}</title>
            </circle>
            {places.length <= 40 && (
              <text class="place" x={x(longitude) + 6} y={y(latitude) + 4}>
                {shown(member, 24)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <p class="dim">
        {t('Scores are read as places. If this is no geo key, the map shows nothing of meaning.')}
      </p>
    </>
  );
}

function windowOf(places: readonly GeoMember[]): Window {
  const longitudes = places.map(({ longitude }) => longitude);
  const latitudes = places.map(({ latitude }) => latitude);
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const margin = Math.max(0.02, (east - west) * 0.12, (north - south) * 0.12);
  return { west: west - margin, east: east + margin, south: south - margin, north: north + margin };
}

/** About six round degrees between two values. */
function lines(from: number, to: number): number[] {
  const rough = (to - from) / 6;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * unit >= rough) ?? 10) * unit;
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - first + 1) },
    (_, index) => (first + index) * step,
  );
}

const degrees = (value: number): string => `${Number(value.toFixed(4))}°`;
