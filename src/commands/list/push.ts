import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import type { Call } from '../call.js';
import type { Side } from './side.js';

const list = new ListValue();

export function lpush(call: Call): void {
  push(call, 'left', true);
}

export function rpush(call: Call): void {
  push(call, 'right', true);
}

export function lpushx(call: Call): void {
  push(call, 'left', false);
}

export function rpushx(call: Call): void {
  push(call, 'right', false);
}

function push(call: Call, side: Side, creating: boolean): void {
  const { db, keyspace, argc } = call;
  const key = call.arg(1);
  let entry = call.write(1, Type.list);
  if (entry === 0) {
    if (!creating) {
      call.reply.integer(0);
      return;
    }
    entry = ListValue.create(keyspace, db, key, call.arg(2).length);
  }
  list.open(keyspace, db, entry);
  if (side === 'left') for (let i = 2; i < argc; i++) list.pushHead(call.arg(i));
  else for (let i = 2; i < argc; i++) list.pushTail(call.arg(i));
  call.reply.integer(list.length);
  call.effects.changed(db, key, EventClass.list, side === 'left' ? 'lpush' : 'rpush', argc - 2);
}
