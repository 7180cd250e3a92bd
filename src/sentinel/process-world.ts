import { spawn, spawnSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { accessSync, constants, readFileSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import type { Engine } from '../engine/engine.js';
import { socketWorld } from '../replication/socket-world.js';
import { withSentinelLines } from './configuration-lines.js';
import type { RunningScript, ScriptEnd, SentinelWorld } from './sentinel-world.js';

/** Replaces the file, so that there is always a complete one. */
export type ReplaceFile = (path: string, text: string) => void;

/** The world of a Sentinel that is a process of its own, with a configuration file. */
export function processWorld(
  engine: Engine,
  file: string,
  replaceFile: ReplaceFile,
  tls?: () => ConnectionOptions | undefined,
): SentinelWorld {
  const names = new Names();
  return {
    ...socketWorld(engine, tls),
    resolve: (host) => names.resolve(host),
    save: (lines) => replaceFile(file, withSentinelLines(readFileSync(file, 'latin1'), lines)),
    runScript,
    isExecutable,
    crash: () => {
      engine.host.log('warning', 'Sentinel CRASH because of SENTINEL simulate-failure');
      process.exit(99);
    },
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runScript(words: readonly string[], ended: (end: ScriptEnd) => void): RunningScript | undefined {
  const [program, ...rest] = words as [string, ...string[]];
  const child = spawn(program, rest, { stdio: 'inherit' });
  let hasEnded = false;
  const end = (code: number, signal: number): void => {
    if (hasEnded) return;
    hasEnded = true;
    ended({ code, signal });
  };
  // 2: the program could not be executed, as a child of Redis's ends then.
  child.on('error', () => end(2, 0));
  child.on('exit', (code, signal) => end(code ?? 0, signal === null ? 0 : osConstants.signals[signal]));
  return { pid: child.pid ?? 0, kill: () => void child.kill('SIGKILL') };
}

/** Host names. A name is looked up at once the first time; later its last address is used and refreshed in the background. */
class Names {
  readonly #known = new Map<string, { ip: string | undefined; at: number }>();

  resolve(host: string): string | undefined {
    const known = this.#known.get(host);
    if (known === undefined) {
      const ip = lookupNow(host);
      this.#known.set(host, { ip, at: Date.now() });
      return ip;
    }
    if (Date.now() - known.at > REFRESH_MS) {
      known.at = Date.now();
      lookup(host, { order: 'ipv4first' }, (error, ip) => {
        if (error === null) known.ip = ip;
      });
    }
    return known.ip;
  }
}

/** Node can look up names only asynchronously: another process does it meanwhile. */
function lookupNow(host: string): string | undefined {
  const code =
    'require("node:dns").lookup(process.argv[1], { order: "ipv4first" }, (e, ip) => process.stdout.write(ip ?? ""))';
  const { stdout } = spawnSync(process.execPath, ['-e', code, '--', host], {
    encoding: 'utf8',
    timeout: 5000,
  });
  return stdout === '' ? undefined : stdout;
}

const REFRESH_MS = 1000;
