/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Runner } from '../options.js';
import { append, isList } from '../options.js';
import { boolean, ok } from '../replies.js';
import type { HyperloglogCommands } from '../types/hyperloglog.js';

const PFADD: WireCommand = { words: ['PFADD'], blocks: false };
const PFCOUNT: WireCommand = { words: ['PFCOUNT'], blocks: false };
const PFMERGE: WireCommand = { words: ['PFMERGE'], blocks: false };

export const hyperloglogMethods = {
  pfadd(this: Runner, key: Argument, elements?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (elements === undefined) return this.run(PFADD, [key], boolean);
    const args: Argument[] = [key];
    if (elements !== undefined) append(args, elements, more);
    return this.run(PFADD, args, boolean);
  },

  pfcount(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(PFCOUNT, [keys]);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(PFCOUNT, args);
  },

  pfmerge(this: Runner, destkey: Argument, sourcekeys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(sourcekeys)) return this.run(PFMERGE, [destkey, sourcekeys], ok);
    const args: Argument[] = [destkey];
    append(args, sourcekeys, more);
    return this.run(PFMERGE, args, ok);
  },
} satisfies Methods<HyperloglogCommands<Shape>>;
