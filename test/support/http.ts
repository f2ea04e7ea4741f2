/** Header values by name; undefined takes a default away. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

/** An answer whose body was read: as JSON when it is JSON, else as text. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The headers of a test request: version 1.0, then the changes. */
export function headersOf(...changes: HeaderChanges[]): Record<string, string> {
  const merged: Record<string, string> = { 'a2a-version': '1.0' };
  for (const [name, value] of changes.flatMap((change) => Object.entries(change))) {
    if (value === undefined) delete merged[name.toLowerCase()];
    else merged[name.toLowerCase()] = value;
  }
  return merged;
}

export async function readAnswer<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) as Body };
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
