import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Link } from '../wire/link.js';
import { LinkError } from '../wire/link.js';
import { textOf } from '../wire/reply.js';
import { requestOf } from '../wire/request.js';
import type { Console } from './console.js';

/**
 * `--pipe`: sends standard input as it is and counts the replies. The end is known by an ECHO of a random text that follows the
 * input. Returns whether there was no error.
 */
export async function runPipe(
  link: Link,
  input: Readable,
  timeoutSeconds: number,
  console: Console,
): Promise<boolean> {
  const mark = randomBytes(20).latin1Slice();
  let replies = 0;
  let errors = 0;
  let isSent = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    if (timeoutSeconds > 0 && isSent) timer = setTimeout(() => link.close(), timeoutSeconds * 1000);
  };
  const finish = (): boolean => {
    clearTimeout(timer);
    input.destroy();
    console.print(`errors: ${errors}, replies: ${replies}\n`);
    return errors === 0;
  };
  const sending = sendAll(link, input).then(() => {
    console.print('All data transferred. Waiting for the last reply...\n');
    isSent = true;
    // A line break first ends an inline command that was not complete.
    link.write(Buffer.concat([Buffer.from('\r\n'), requestOf(['ECHO', mark])]));
    watch();
  });
  sending.catch((error: Error) => link.socket.destroy(error));
  for (;;) {
    try {
      const reply = await link.read();
      watch();
      if (isSent && textOf(reply) === mark) {
        console.print('Last reply received from server.\n');
        return finish();
      }
      replies++;
      if (reply.kind === 'error') {
        errors++;
        console.error(reply.text);
      }
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (error.message === 'closed') console.error(`No replies for ${timeoutSeconds} seconds: exiting.`);
      else console.error(`Error reading from the server: ${error.message}`);
      errors++;
      return finish();
    }
  }
}

/** Sends as fast as the server reads. */
async function sendAll(link: Link, input: Readable): Promise<void> {
  for await (const chunk of input) {
    if (link.isClosed) return;
    if (!link.socket.write(chunk as Buffer)) await drained(link.socket);
  }
}

/** Resolves when the socket has room again, or is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.once('drain', go);
    socket.once('close', go);
  });
}
