import { type Answer, type HeaderChanges, headersOf, readAnswer } from './http.js';

/** Sends a request to the REST binding and leaves the response unread. `path` begins with a slash, as in `/tasks`. */
export function restStream(
  base: string,
  verb: string,
  path: string,
  body?: unknown,
  headers: HeaderChanges = {},
  signal?: AbortSignal,
): Promise<Response> {
  const type: HeaderChanges = body === undefined ? {} : { 'content-type': 'application/a2a+json' };
  return fetch(`${base}/a2a/rest${path}`, {
    method: verb,
    headers: headersOf(type, headers),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
}

/** Calls the REST binding. */
export async function rest(
  base: string,
  verb: string,
  path: string,
  body?: unknown,
  headers: HeaderChanges = {},
): Promise<Answer<any>> {
  return readAnswer(await restStream(base, verb, path, body, headers));
}
