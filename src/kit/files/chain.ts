import { createHash } from 'node:crypto';

/**
 * A chain of digests over the blocks of a file: each is the SHA-256 of the one before it and of its block. So the digest
 * at any position covers everything up to it, and a reader that resumes there can check the next blocks against it.
 */
export const CHAIN_START = '0'.repeat(64);

/** The digest of the chain with one more block. */
export function nextInChain(digest: string, block: Uint8Array): string {
  return createHash('sha256').update(digest, 'hex').update(block).digest('hex');
}
