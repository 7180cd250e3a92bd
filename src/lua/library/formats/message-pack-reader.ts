import { failInCall } from '../../runtime/errors.js';
import { setRaw } from '../../runtime/indexing.js';
import { LuaTable } from '../../runtime/table.js';
import type { LuaValue } from '../../runtime/value.js';

const view = new DataView(new ArrayBuffer(8));

/** Reads a sequence of MessagePack values. */
export class MessagePackReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  read(): LuaValue {
    if (this.isAtEnd) failInCall('Missing bytes in input.');
    const tag = this.#text.charCodeAt(this.at++);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#map(tag & 15);
    if (tag < 0xa0) return this.#array(tag & 15);
    if (tag < 0xc0) return this.#string(tag & 31);
    if (tag >= 0xe0) return tag - 256;
    return this.#tagged(tag);
  }

  #tagged(tag: number): LuaValue {
    switch (tag) {
      case 0xc0:
        return undefined;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return this.#load(4).getFloat32(0);
      case 0xcb:
        return this.#load(8).getFloat64(0);
      case 0xcc:
        return this.#unsigned(1);
      case 0xcd:
        return this.#unsigned(2);
      case 0xce:
        return this.#unsigned(4);
      case 0xcf:
        // Redis reads it into a signed integer.
        return Number(this.#load(8).getBigInt64(0));
      case 0xd0:
        return this.#load(1).getInt8(0);
      case 0xd1:
        return this.#load(2).getInt16(0);
      case 0xd2:
        return this.#load(4).getInt32(0);
      case 0xd3:
        return Number(this.#load(8).getBigInt64(0));
      case 0xd9:
        return this.#string(this.#unsigned(1));
      case 0xda:
        return this.#string(this.#unsigned(2));
      case 0xdb:
        return this.#string(this.#unsigned(4));
      case 0xdc:
        return this.#array(this.#unsigned(2));
      case 0xdd:
        return this.#array(this.#unsigned(4));
      case 0xde:
        return this.#map(this.#unsigned(2));
      case 0xdf:
        return this.#map(this.#unsigned(4));
      default:
        return failInCall('Bad data format in input.');
    }
  }

  #load(size: number): DataView {
    if (this.at + size > this.#text.length) failInCall('Missing bytes in input.');
    for (let i = 0; i < size; i++) view.setUint8(i, this.#text.charCodeAt(this.at + i));
    this.at += size;
    return view;
  }

  #unsigned(size: 1 | 2 | 4): number {
    const loaded = this.#load(size);
    return size === 1 ? loaded.getUint8(0) : size === 2 ? loaded.getUint16(0) : loaded.getUint32(0);
  }

  #string(length: number): string {
    if (this.at + length > this.#text.length) failInCall('Missing bytes in input.');
    const text = this.#text.slice(this.at, this.at + length);
    this.at += length;
    return text;
  }

  #array(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 1; i <= count; i++) table.setNumber(i, this.read());
    return table;
  }

  #map(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 0; i < count; i++) {
      const key = this.read();
      setRaw(table, key, this.read());
    }
    return table;
  }
}
