import { leadingInteger, leadingNumber, type ParameterReader, UsageError } from '../shell/server-options.js';

/** The `--cluster-…` options of redis-cli. */
export interface ManagerOptions {
  readonly replicas: number;
  readonly masterId: string | undefined;
  readonly from: string | undefined;
  readonly fromUser: string | undefined;
  readonly fromPassword: string | undefined;
  readonly asksFromPassword: boolean;
  readonly to: string | undefined;
  /** `node=weight` */
  readonly weights: readonly string[];
  /** 0: the user is asked. */
  readonly slots: number;
  /** How long a MIGRATE may take, in ms. */
  readonly timeoutMs: number;
  /** How many keys a MIGRATE moves. */
  readonly pipeline: number;
  /** In percent. */
  readonly threshold: number;
  readonly isYes: boolean;
  readonly simulates: boolean;
  readonly replaces: boolean;
  readonly copies: boolean;
  /** `add-node` adds a replica. */
  readonly isReplica: boolean;
  readonly usesEmptyMasters: boolean;
  readonly searchesOwners: boolean;
  readonly fixesWithUnreachableMasters: boolean;
  readonly only: 'masters' | 'replicas' | undefined;
}

export type ManagerChoices = { -readonly [Name in keyof ManagerOptions]: ManagerOptions[Name] };

export const MANAGER_DEFAULTS: ManagerOptions = {
  replicas: 0,
  masterId: undefined,
  from: undefined,
  fromUser: undefined,
  fromPassword: undefined,
  asksFromPassword: false,
  to: undefined,
  weights: [],
  slots: 0,
  timeoutMs: 60_000,
  pipeline: 10,
  threshold: 2,
  isYes: false,
  simulates: false,
  replaces: false,
  copies: false,
  isReplica: false,
  usesEmptyMasters: false,
  searchesOwners: false,
  fixesWithUnreachableMasters: false,
  only: undefined,
};

type Taker = (choices: ManagerChoices, value: () => string, reader: ParameterReader) => void;

const TAKERS: Readonly<Record<string, Taker>> = {
  '--cluster-replicas': (choices, value) => {
    choices.replicas = leadingInteger(value());
  },
  '--cluster-master-id': (choices, value) => {
    choices.masterId = value();
  },
  '--cluster-from': (choices, value) => {
    choices.from = value();
  },
  '--cluster-from-user': (choices, value) => {
    choices.fromUser = value();
  },
  '--cluster-from-pass': (choices, value) => {
    choices.fromPassword = value();
  },
  '--cluster-from-askpass': (choices) => {
    choices.asksFromPassword = true;
  },
  '--cluster-to': (choices, value) => {
    choices.to = value();
  },
  '--cluster-weight': (choices, _, reader) => {
    if (choices.weights.length > 0) throw new UsageError(TWO_WEIGHTS);
    choices.weights = wordsBeforeOption(reader);
  },
  '--cluster-slots': (choices, value) => {
    choices.slots = leadingInteger(value());
  },
  '--cluster-timeout': (choices, value) => {
    choices.timeoutMs = leadingInteger(value());
  },
  '--cluster-pipeline': (choices, value) => {
    choices.pipeline = leadingInteger(value());
  },
  '--cluster-threshold': (choices, value) => {
    choices.threshold = leadingNumber(value());
  },
  '--cluster-yes': (choices) => {
    choices.isYes = true;
  },
  '--cluster-simulate': (choices) => {
    choices.simulates = true;
  },
  '--cluster-replace': (choices) => {
    choices.replaces = true;
  },
  '--cluster-copy': (choices) => {
    choices.copies = true;
  },
  '--cluster-slave': (choices) => {
    choices.isReplica = true;
  },
  '--cluster-use-empty-masters': (choices) => {
    choices.usesEmptyMasters = true;
  },
  '--cluster-search-multiple-owners': (choices) => {
    choices.searchesOwners = true;
  },
  '--cluster-fix-with-unreachable-masters': (choices) => {
    choices.fixesWithUnreachableMasters = true;
  },
  '--cluster-only-masters': (choices) => {
    choices.only = 'masters';
  },
  '--cluster-only-replicas': (choices) => {
    choices.only = 'replicas';
  },
};

const TWO_WEIGHTS = `WARNING: you cannot use --cluster-weight more than once.
You can set more weights by adding them as a space-separated list, ie:
--cluster-weight n1=w n2=w`;

/** Takes the option if it is one of the cluster manager's; otherwise returns false. */
export function takeManagerOption(option: string, reader: ParameterReader, choices: ManagerChoices): boolean {
  const take = TAKERS[option];
  if (take === undefined) return false;
  take(choices, () => reader.value(option), reader);
  return true;
}

/** The words up to the next option: those of a subcommand, or a list of weights. */
export function wordsBeforeOption(reader: ParameterReader): string[] {
  const words: string[] = [];
  while (!reader.isAtEnd && !reader.peek().startsWith('-')) words.push(reader.take());
  return words;
}
