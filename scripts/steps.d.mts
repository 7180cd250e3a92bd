/** Builds, unless the last build is newer than every source. */
export function buildIfNeeded(): void;
