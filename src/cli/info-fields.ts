/** A reply to INFO. */
export class InfoFields {
  readonly #fields = new Map<string, string>();

  constructor(text: string) {
    for (const line of text.split('\r\n')) {
      const colon = line.indexOf(':');
      if (colon > 0) this.#fields.set(line.slice(0, colon), line.slice(colon + 1));
    }
  }

  /** Empty if there is no such field. */
  text(name: string): string {
    return this.#fields.get(name) ?? '';
  }

  /** 0 if there is no such field. */
  number(name: string): number {
    return Number(this.text(name));
  }

  /** The databases that have keys. */
  databases(): number[] {
    return [...this.#fields.keys()].flatMap((name) => {
      const [, database] = /^db(\d+)$/.exec(name) ?? [];
      return database === undefined ? [] : [Number(database)];
    });
  }

  /** The replicas that are connected and have received all data. */
  replicas(): { readonly ip: string; readonly port: string }[] {
    return [...this.#fields].flatMap(([name, line]) => {
      const [, ip, port, state] = /^ip=([^,]*),port=(\d+),state=(\w+)/.exec(line) ?? [];
      const isReplica = /^slave\d+$/.test(name) && state === 'online';
      return isReplica && ip !== undefined && port !== undefined ? [{ ip, port }] : [];
    });
  }
}
