/** Bytes in JSON: as text if they are valid UTF-8, otherwise in base64. No byte is lost either way. */
export type WireBytes = string | { readonly base64: string };
