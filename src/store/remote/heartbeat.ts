/** How often, in ms, to send PING to the server of a connection that only waits or listens. */
export const HEARTBEAT_MS = 10_000;
