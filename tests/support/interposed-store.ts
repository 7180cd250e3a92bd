import type { EmbeddedStore } from '../../src/store/index.js';

/** A store that calls a function once: right after a script with such inputs has returned, before the caller gets the result. */
export function interposed(
  store: EmbeddedStore,
  isMeant: (inputs: object) => boolean,
  meanwhile: () => Promise<unknown>,
): EmbeddedStore {
  let isOver = false;
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'script') return Reflect.get(target, name, target);
      return (definition: never) => {
        const call = target.script(definition) as (inputs: object) => Promise<unknown>;
        return async (inputs: object) => {
          const reply = await call(inputs);
          if (!isOver && isMeant(inputs)) {
            isOver = true;
            await meanwhile();
          }
          return reply;
        };
      };
    },
  });
}
