import type { LuaTable } from './table.js';
import { LuaObject } from './value.js';

/** What `newproxy` creates: an empty userdata that may have a metatable. Its `__gc` is never called. */
export class ProxyValue extends LuaObject {
  readonly metatable: LuaTable | undefined;

  constructor(metatable: LuaTable | undefined) {
    super();
    this.metatable = metatable;
  }

  get typeName(): 'userdata' {
    return 'userdata';
  }
}
