import type { AgentExtension } from './model.js';

/** Header that carries the URIs of extensions: what a request asks for, what a response used (spec §3.2.6). */
export const EXTENSIONS_HEADER = 'A2A-Extensions';

/** Reads the header, once or repeated: the URIs in their order, each once. URIs are compared as they are written. */
export function parseExtensions(header: string | readonly string[] = ''): string[] {
  if (header.length === 0) return [];
  const lists = typeof header === 'string' ? [header] : header;
  const uris = lists.flatMap((list) => list.split(',')).map((uri) => uri.trim());
  return [...new Set(uris)].filter((uri) => uri !== '');
}

/** Writes the header. */
export function formatExtensions(uris: readonly string[]): string {
  return uris.join(', ');
}

/** The extensions in use for a request: those that it asks for and the card declares. Others are ignored. */
export function activate(requested: readonly string[], declared: readonly AgentExtension[] = []): string[] {
  if (requested.length === 0) return [];
  const known = new Set(declared.map((extension) => extension.uri));
  return requested.filter((uri) => known.has(uri));
}

/** The extensions that the card requires and the request does not ask for. */
export function missingRequired(
  requested: readonly string[],
  declared: readonly AgentExtension[] = [],
): string[] {
  return declared
    .filter((extension) => extension.required)
    .map((extension) => extension.uri ?? '')
    .filter((uri) => uri !== '' && !requested.includes(uri));
}
