import { randomUUID } from 'node:crypto';
import { open, type Store } from '../../store/index.js';
import { autocompleteLab } from './autocomplete-lab.js';
import { type Lab, type LabParameter, type LabUpdate, removeSpace } from './lab.js';
import { lengthLab } from './length-lab.js';
import { lockLab } from './lock-lab.js';
import { marketLab } from './market-lab.js';
import { memoryLab } from './memory-lab.js';
import { pipelineLab } from './pipeline-lab.js';
import { snapshotLab } from './snapshot-lab.js';

/** All experiments. */
export const LABS: readonly Lab[] = [
  lockLab,
  marketLab,
  autocompleteLab,
  pipelineLab,
  lengthLab,
  memoryLab,
  snapshotLab,
];

const MAX_VALUES = 20;

/** The values of a parameter that a person gave as text: `1,2,5`. Throws an error for the person. */
export function parseValues(
  { name, isList, isWhole, min, max, values }: LabParameter,
  text: string,
): readonly number[] {
  if (text.trim() === '') return values;
  const given = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isRight = (value: number): boolean =>
    value >= min && value <= max && (isWhole !== true || Number.isInteger(value));
  if (given.length > (isList === true ? MAX_VALUES : 1) || !given.every(isRight)) {
    const kind = isWhole === true ? 'whole number' : 'number';
    const what = isList === true ? `up to ${MAX_VALUES} ${kind}s, separated by commas,` : `a ${kind}`;
    throw new RangeError(`${name} must be ${what} from ${min} to ${max}, not '${text}'`);
  }
  return given;
}

export interface LabRun {
  readonly lab: Lab;
  /** Text for each parameter; missing ones have their default. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Where it runs; undefined: an engine of its own in this process, over a socket. */
  readonly store: Store | undefined;
  readonly signal: AbortSignal;
}

/** Runs an experiment. Its keys are removed at the end, also if it is stopped. */
export async function* runLab({
  lab,
  inputs,
  store,
  signal,
}: LabRun): AsyncGenerator<LabUpdate, void, undefined> {
  const values = Object.fromEntries(
    lab.parameters.map((parameter) => [parameter.name, parseValues(parameter, inputs[parameter.name] ?? '')]),
  );
  const space = `sorrel-lab-${randomUUID()}`;
  if (store === undefined) {
    // Clients come over sockets, as those of a server do: calls in the process would never meet each other.
    await using engine = await open();
    await using listener = await engine.listen({ port: 0 });
    await using own = await open(listener.address);
    yield* lab.run({ store: own, values, space, signal });
    return;
  }
  try {
    yield* lab.run({ store, values, space, signal });
  } finally {
    await removeSpace(store, space);
  }
}
