export interface Tile<Item> {
  readonly item: Item;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Divides a rectangle into tiles whose areas are as the sizes, in rows that keep the tiles as square as possible. Items must be in
 * descending order of size.
 */
export function treemap<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  width: number,
  height: number,
): Tile<Item>[] {
  const total = items.reduce((sum, item) => sum + sizeOf(item), 0);
  if (total <= 0) return [];
  const scale = (width * height) / total;
  const tiles: Tile<Item>[] = [];
  let rest = { x: 0, y: 0, width, height };
  let row: Item[] = [];
  const areaOf = (item: Item): number => sizeOf(item) * scale;
  for (const item of items) {
    const side = Math.min(rest.width, rest.height);
    if (row.length > 0 && worst([...row, item].map(areaOf), side) > worst(row.map(areaOf), side)) {
      rest = place(row, areaOf, rest, tiles);
      row = [];
    }
    row.push(item);
  }
  if (row.length > 0) place(row, areaOf, rest, tiles);
  return tiles;
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The ratio of sides of the tile that is least like a square. */
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0);
  const thickness = sum / side;
  return Math.max(...areas.map((area) => Math.max(area / thickness ** 2, thickness ** 2 / area)));
}

/** Places a row along the shorter side, and returns what is left of the rectangle. */
function place<Item>(
  row: readonly Item[],
  areaOf: (item: Item) => number,
  { x, y, width, height }: Rectangle,
  tiles: Tile<Item>[],
): Rectangle {
  const sum = row.reduce((total, item) => total + areaOf(item), 0);
  const isWide = width >= height;
  const thickness = sum / (isWide ? height : width);
  let at = isWide ? y : x;
  for (const item of row) {
    const length = areaOf(item) / thickness;
    tiles.push(
      isWide
        ? { item, x, y: at, width: thickness, height: length }
        : { item, x: at, y, width: length, height: thickness },
    );
    at += length;
  }
  return isWide
    ? { x: x + thickness, y, width: width - thickness, height }
    : { x, y: y + thickness, width, height: height - thickness };
}
