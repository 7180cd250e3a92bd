/** A reply as the protocol has it. Texts are latin1: one byte per character. */
export type WireReply =
  | { readonly kind: 'status' | 'error' | 'bulk' | 'verbatim'; readonly text: string }
  /** The digits as the server wrote them. */
  | { readonly kind: 'integer' | 'double' | 'big number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'nil' }
  | Aggregate;

/** The items of a map are its keys and values in turn. */
export interface Aggregate {
  readonly kind: 'array' | 'set' | 'map' | 'push';
  readonly items: readonly WireReply[];
}

export function isAggregate(reply: WireReply): reply is Aggregate {
  return 'items' in reply;
}

/** The text of a reply that is one value; empty for all others. */
export function textOf(reply: WireReply | undefined): string {
  return reply !== undefined && 'text' in reply ? reply.text : '';
}

/** The items of an aggregate; empty for all others. */
export function itemsOf(reply: WireReply | undefined): readonly WireReply[] {
  return reply !== undefined && isAggregate(reply) ? reply.items : [];
}
