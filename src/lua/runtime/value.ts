/**
 * Lua's values in JavaScript: nil is undefined, numbers are doubles, strings hold one byte per character (latin1).
 * A JavaScript array is never a value: it stands for several (or no) results of a call.
 */
export type LuaValue = undefined | boolean | number | string | LuaObject | LuaFunction;

/** The results of a call: a single result as the value itself, none or several as an array. */
export type LuaResult = LuaValue | LuaValue[];

/**
 * A Lua function is a plain JavaScript function. In a script that uses coroutines it also has a generator, which can be
 * suspended. Called as a plain function, it runs to its end and must not yield.
 */
export interface LuaFunction {
  (...args: LuaValue[]): LuaResult;
  generator?: (...args: LuaValue[]) => Generator<LuaValue[], LuaResult, LuaValue[]>;
}

export type TypeName = 'nil' | 'boolean' | 'number' | 'string' | 'table' | 'function' | 'userdata' | 'thread';

/** Tables, coroutines and userdata. */
export abstract class LuaObject {
  abstract get typeName(): 'table' | 'thread' | 'userdata';
}

/** A value that scripts can only compare and pass on, such as `cjson.null`. */
export class Userdata extends LuaObject {
  readonly description: string;

  constructor(description: string) {
    super();
    this.description = description;
  }

  get typeName(): 'userdata' {
    return 'userdata';
  }
}

/** No results. */
export const NOTHING: LuaValue[] = [];

export function typeName(value: LuaValue): TypeName {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'object':
      return value.typeName;
    case 'boolean':
      return 'boolean';
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    default:
      return 'function';
  }
}

const addresses = new WeakMap<object, string>();
let lastAddress = 0x5580_0000_0000;

/** An artificial address, constant during the life of an object. */
export function addressOf(value: object): string {
  let address = addresses.get(value);
  if (address === undefined) {
    lastAddress += 0x20;
    address = `0x${lastAddress.toString(16)}`;
    addresses.set(value, address);
  }
  return address;
}
