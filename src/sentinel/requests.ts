import type { Instance, Master } from './instance.js';
import type { Answer } from './resp-connection.js';
import type { Sentinel } from './sentinel.js';

/** The name of a command on the servers of this group (`rename-command`). */
export function commandName(instance: Instance, name: string): string {
  return instance.master.renamedCommands.get(name.toLowerCase()) ?? name;
}

/** Sends a request of which the reply is ignored if the instance is no longer watched. */
export function request(
  instance: Instance,
  words: readonly string[],
  answered: (answer: Answer) => void,
): void {
  const { link } = instance;
  const [name, ...rest] = words as [string, ...string[]];
  link.pending++;
  link.commands?.send([commandName(instance, name), ...rest], (answer) => {
    link.pending--;
    if (!instance.isRemoved) answered(answer);
  });
}

/** Whether the master is up and says that it is a master, so that others may be made its replicas. */
export function looksSane({ now, periods }: Sentinel, master: Master): boolean {
  return (
    master.reportedRole === 'master' &&
    !master.isSubjectivelyDown &&
    !master.isObjectivelyDown &&
    now - master.infoAt < periods['info-period'] * 2
  );
}

export const HELLO_CHANNEL = '__sentinel__:hello';
