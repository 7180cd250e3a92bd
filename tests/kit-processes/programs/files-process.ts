/**
 * A process that sends or receives the files of files.test.ts. Arguments: address, folder, and `sender` or the name of a reader.
 * Reports every block to its parent. Exits with 0 when all files are complete, and also when its parent exits. A file is sent in
 * portions, up to the number in the key `allowed`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { files } from '../../../src/kit/files/index.js';
import { open, StoreError } from '../../../src/store/index.js';
import { FILE_NAMES, PORTIONS, TRANSFER } from './files-plan.js';
import { openAnyway } from './open-anyway.js';

const [address = '', folder = '', self = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));

const store = await openAnyway(open, address);
const shipping = files(store);
const onProgress = (): void => void process.send?.('block');

async function* portionsOf(name: string) {
  const whole = await readFile(join(folder, name));
  const size = Math.ceil(whole.length / PORTIONS);
  for (let portion = 0; portion < PORTIONS; portion++) {
    while (Number(await store.send('GET', 'allowed')) <= portion) await store.time.sleep(5);
    yield whole.subarray(portion * size, (portion + 1) * size);
  }
}

/** Retries after a cut connection, but not after an error of the component itself. */
async function throughCuts(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof StoreError) || error.name === 'KitError') throw error;
      await store.time.sleep(20);
    }
  }
}

await Promise.all(
  FILE_NAMES.map((name) =>
    throughCuts(() =>
      self === 'sender'
        ? shipping.send(name, portionsOf(name), { ...TRANSFER, onProgress })
        : shipping.receiveTo(name, self, join(folder, `${name}.${self}`), { sync: false, onProgress }),
    ),
  ),
);
process.exit(0);
