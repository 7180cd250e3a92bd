/** A member of a cluster, as a line of CLUSTER NODES describes it. */
export interface ListedMember {
  readonly id: string;
  readonly isMyself: boolean;
  /** Its configuration epoch. */
  readonly epoch: number;
  /** Ranges of slots; those that are open in brackets. */
  readonly slots: readonly string[];
}

export function clusterMembers(table: unknown): ListedMember[] {
  return String(table)
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([id = '', , flags = '', , , , epoch = '', , ...slots]) => ({
      ...{ id, isMyself: flags.includes('myself'), epoch: Number(epoch) },
      slots,
    }));
}

/** The configuration epoch of each member, by its id. */
export function clusterEpochs(table: unknown): Map<string, number> {
  return new Map(clusterMembers(table).map(({ id, epoch }) => [id, epoch]));
}
