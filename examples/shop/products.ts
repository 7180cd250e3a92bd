import { exampleData } from 'sorrel/kit/ip-lookup';
import type { Shop } from './shop.js';

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  /** In cents. */
  readonly price: number;
  readonly picture: string;
  readonly text: string;
  readonly units: number;
}

const ROWS: readonly [string, string, number, string, number, string][] = [
  ['Espresso Machine', 'Kitchen', 249_00, '☕', 12, 'Nine bars of pressure, two minutes to heat up.'],
  ['Chef’s Knife', 'Kitchen', 89_90, '🔪', 40, 'Twenty centimetres of carbon steel.'],
  ['Cast Iron Pan', 'Kitchen', 45_00, '🍳', 60, 'Heavy. Lasts longer than you do.'],
  ['Tea Kettle', 'Kitchen', 39_50, '🫖', 35, 'Whistles in C sharp.'],
  ['Pepper Mill', 'Kitchen', 24_00, '🧂', 80, 'Beech wood, steel grinder.'],
  ['Mechanical Keyboard', 'Office', 129_00, '⌨️', 25, 'Brown switches, no lights.'],
  ['Fountain Pen', 'Office', 59_00, '🖋️', 30, 'A fine nib and a converter.'],
  ['Desk Lamp', 'Office', 74_00, '💡', 22, 'Warm light, one button.'],
  ['Notebook', 'Office', 12_50, '📓', 200, '192 dotted pages.'],
  ['Standing Desk', 'Office', 419_00, '🪑', 6, 'Remembers two heights.'],
  ['Trail Shoes', 'Outdoor', 119_00, '🥾', 28, 'Grip for wet stone.'],
  ['Tent for Two', 'Outdoor', 289_00, '⛺', 9, 'Stands in five minutes, in the rain in seven.'],
  ['Head Torch', 'Outdoor', 34_90, '🔦', 70, '400 lumens, charged by USB-C.'],
  ['Compass', 'Outdoor', 27_00, '🧭', 45, 'Points north.'],
  ['Thermos Flask', 'Outdoor', 31_00, '🍶', 55, 'Hot for twelve hours.'],
  ['Road Bicycle', 'Outdoor', 1_299_00, '🚲', 3, 'Eleven gears, eight kilograms. Only three left.'],
  ['Upright Piano', 'Music', 3_890_00, '🎹', 2, 'Not suitable for the fifth floor.'],
  ['Acoustic Guitar', 'Music', 329_00, '🎸', 14, 'Solid spruce top.'],
  ['Record Player', 'Music', 219_00, '📀', 11, 'Belt drive, 33 and 45.'],
  ['Élan Headphones', 'Music', 179_00, '🎧', 26, 'Closed, with a cable.'],
  ['Chess Set', 'Games', 64_00, '♟️', 33, 'Walnut and maple.'],
  ['Go Board', 'Games', 98_00, '⚫', 16, '19 by 19, with slate and shell stones.'],
  ['Deck of Cards', 'Games', 7_90, '🃏', 300, 'Linen finish.'],
  ['Jigsaw Puzzle', 'Games', 29_90, '🧩', 48, 'Two thousand pieces of sky.'],
];

export const PRODUCTS: readonly Product[] = ROWS.map(([name, category, price, picture, units, text]) => ({
  id: name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .replaceAll(' ', '-'),
  name,
  category,
  price,
  picture,
  units,
  text,
}));

const BY_ID: ReadonlyMap<string, Product> = new Map(PRODUCTS.map((product) => [product.id, product]));

export const CATEGORIES: readonly string[] = [...new Set(PRODUCTS.map(({ category }) => category))];

export function productOf(id: string | null | undefined): Product | undefined {
  return BY_ID.get(id ?? '');
}

export function productNamed(name: string): Product | undefined {
  return PRODUCTS.find((product) => product.name === name);
}

/** Fills an empty store. If several processes start at once, one of them does it, and the others wait. */
export async function openForBusiness(shop: Shop): Promise<void> {
  await shop.locks.run('opening', async () => {
    if ((await shop.settings.get('opened')) !== undefined) return;
    for (const { id, name, category, units } of PRODUCTS) {
      await shop.stock.offer(id, units);
      await shop.votes.post({ id, author: 'shop', title: name, link: `/product/${id}`, groups: [category] });
    }
    await shop.names.addAll(PRODUCTS.map(({ name }) => name));
    const { locations, ipv4, ipv6 } = exampleData();
    await shop.places.import({ locations, blocks: [ipv4, ipv6] });
    await shop.settings.set('opened', { at: new Date().toISOString() });
  });
}
