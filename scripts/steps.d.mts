/** Builds, unless the last build is newer than all sources. */
export function buildIfNeeded(): void;
