/** How often, in ms, the server is asked whether it is there while a connection only waits or listens. */
export const HEARTBEAT_MS = 10_000;
