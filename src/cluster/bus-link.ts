/** A connection of the cluster bus. */
export interface BusLink {
  readonly isInbound: boolean;
}
