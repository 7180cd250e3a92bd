import { parseAddress, parseNodeLines } from '../cluster-manager/managed-node.js';
import { ConnectError, type Endpoint, nameOf } from '../wire/connect.js';
import { Link, LinkError } from '../wire/link.js';
import { itemsOf, textOf } from '../wire/reply.js';
import { LoadError } from './load-error.js';

/** A master of the cluster that is measured. */
export interface LoadNode {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly slots: readonly number[];
}

type Commands = readonly (readonly string[])[];

/** The masters that have slots, as the node at `endpoint` knows them. Throws a `LoadError`. */
export async function fetchNodes(endpoint: Endpoint, greeting: Commands): Promise<LoadNode[]> {
  return withLink(endpoint, greeting, async (link) => {
    const reply = await link.call('CLUSTER', 'NODES');
    if (reply.kind === 'error')
      throw new LoadError(`Cluster node ${nameOf(endpoint)} replied with error:\n${reply.text}`);
    return parseNodeLines(textOf(reply)).flatMap(({ id, address, flags, slots }) => {
      const owned = slots.flatMap(slotsOf);
      if (!flags.includes('master') || owned.length === 0) return [];
      return [{ id, endpoint: endpointOf(address, endpoint), slots: owned }];
    });
  });
}

/** The lines of a report about a node's durability, which costs speed. */
export async function nodeSettings(node: LoadNode, index: number, greeting: Commands): Promise<string[]> {
  return withLink(node.endpoint, greeting, async (link) => {
    const lines = [`  node [${index}] configuration:`];
    for (const name of ['save', 'appendonly']) {
      const reply = await link.call('CONFIG', 'GET', name);
      if (reply.kind === 'error') throw new LoadError(reply.text);
      lines.push(`    ${name}: ${textOf(itemsOf(reply)[1]) || 'NONE'}`);
    }
    return lines;
  });
}

async function withLink<Result>(
  endpoint: Endpoint,
  greeting: Commands,
  ask: (link: Link) => Promise<Result>,
): Promise<Result> {
  let link: Link | undefined;
  try {
    link = await Link.connect(endpoint);
    for (const command of greeting) {
      const reply = await link.call(...command);
      if (reply.kind === 'error') throw new LoadError(reply.text);
    }
    return await ask(link);
  } catch (error) {
    if (!(error instanceof ConnectError || error instanceof LinkError)) throw error;
    throw new LoadError(error.message);
  } finally {
    link?.close();
  }
}

/** A node that does not know its own address has an empty host: it is the one that was asked. */
function endpointOf(address: string, asked: Endpoint): Endpoint {
  const { host, port } = parseAddress(address) ?? asked;
  return { host, port, tls: asked.tls };
}

/** `5` and `7-9`. Slots that are being moved are in brackets and count for the node that owns them. */
function slotsOf(text: string): number[] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined) return [];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
}
