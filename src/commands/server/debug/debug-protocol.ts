import type { Reply } from '../../../resp/reply.js';
import type { Call } from '../../call.js';
import { CommandError } from '../../errors.js';

const ONLY_RESP3 = new CommandError('ERR RESP2 is not supported by this command');

/** A value of each type, for tests of clients. */
const SAMPLES: Readonly<Record<string, (reply: Reply) => void>> = {
  string: (reply) => reply.bulkText('Hello World'),
  integer: (reply) => reply.integer(12345),
  double: (reply) => reply.double(3141 / 1000),
  bignum: (reply) => reply.bigNumber('1234567999999999999999999999999999999'),
  null: (reply) => reply.null(),
  array(reply) {
    reply.array(3);
    for (let i = 0; i < 3; i++) reply.integer(i);
  },
  set(reply) {
    reply.set(3);
    for (let i = 0; i < 3; i++) reply.integer(i);
  },
  map(reply) {
    reply.map(3);
    for (let i = 0; i < 3; i++) {
      reply.integer(i);
      reply.boolean(i === 1);
    }
  },
  attrib(reply) {
    if (reply.protocol === 3) {
      reply.attribute(1);
      reply.bulkText('key-popularity');
      reply.array(2);
      reply.bulkText('key:123');
      reply.integer(90);
    }
    reply.bulkText('Some real reply following the attribute');
  },
  push(reply) {
    if (reply.protocol === 2) throw ONLY_RESP3;
    reply.push(2);
    reply.bulkText('server-cpu-usage');
    reply.integer(42);
    reply.bulkText('Some real reply following the push reply');
  },
  verbatim: (reply) => reply.verbatim('txt', 'This is a verbatim\nstring'),
  true: (reply) => reply.boolean(true),
  false: (reply) => reply.boolean(false),
};

const BAD_TYPE = new CommandError(
  `ERR Wrong protocol type name. Please use one of the following: ${Object.keys(SAMPLES).join('|')}`,
);

/** DEBUG PROTOCOL type */
export function debugProtocol(call: Call): void {
  const name = call.text(2).toLowerCase();
  const sample = Object.hasOwn(SAMPLES, name) ? SAMPLES[name] : undefined;
  if (sample === undefined) throw BAD_TYPE;
  sample(call.reply);
}
