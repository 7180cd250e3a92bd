import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { KitError } from 'sorrel/kit/sessions';

/** Forms are short. */
const MAX_FORM = 10_000;

export class FormError extends Error {}

export async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_FORM) throw new FormError('The form is too long.');
  }
  return new URLSearchParams(text);
}

/** The components refuse what cannot be right, so that no handler has to check everything. */
export function isMistake(error: unknown): error is Error {
  return error instanceof FormError || (error instanceof KitError && error.code === 'OPTION');
}

/** Whether a form was sent from a page of this site, so that other sites cannot post in the name of a user. */
export function isFromThisSite(request: IncomingMessage): boolean {
  const from = request.headers['sec-fetch-site'];
  return from === undefined || from === 'same-origin' || from === 'none';
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Sends a file of public/; false if the path is of no such file. @param files their paths by those in the URL */
export async function sendFile(
  response: ServerResponse,
  files: Readonly<Record<string, URL>>,
  path: string,
): Promise<boolean> {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) return false;
  const content = await readFile(file);
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=60' }).end(content);
  return true;
}

/** What both examples serve at /public/base.css. */
export const BASE_STYLE = new URL('base.css', import.meta.url);
