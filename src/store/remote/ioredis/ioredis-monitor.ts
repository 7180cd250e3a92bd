import type { Redis } from 'ioredis';
import { StoreError } from '../../store-error.js';
import type { Closable, MessageListener } from '../../transport.js';
import { disconnectClient } from './ioredis-connecting.js';

const LINE = /^\+\S+ \[([^\]]*)\] (.*)$/s;

/**
 * Sends MONITOR on the client's connection, which is used for nothing else, and reads the lines itself: ioredis fails if the first line
 * arrives together with the reply.
 */
export async function monitorWith(client: Redis, listener: MessageListener): Promise<Closable> {
  const { stream } = client;
  let rest = '';
  let isClosing = false;
  stream.removeAllListeners('data');
  const confirmed = new Promise<void>((resolve, reject) => {
    const onLine = (line: string): void => {
      const [, source, command] = LINE.exec(line) ?? [];
      if (source !== undefined) listener.message(Buffer.from(source), Buffer.from(command as string), null);
      else if (line === '+OK') resolve();
      else if (line.startsWith('-')) reject(StoreError.fromReply(line.slice(1)));
    };
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() as string;
      for (const line of lines) onLine(line);
    });
    stream.once('close', () => {
      const lost = new StoreError('UNREACHABLE', 'the connection of MONITOR was lost');
      reject(lost);
      if (!isClosing) listener.ended(lost);
    });
  });
  stream.write('MONITOR\r\n');
  const close = async (): Promise<void> => {
    isClosing = true;
    disconnectClient(client);
  };
  try {
    await confirmed;
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
