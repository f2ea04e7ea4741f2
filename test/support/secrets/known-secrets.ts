/** What a secret of a test begins with, so that it is found wherever it leaks: tokens, credentials, passwords and keys alike. */
const MARK = 's3cr3t-';

/** Secrets that the fixtures share, which nothing but their receivers may ever see. */
const OF_FIXTURES = [
  'a secret of the tests, which nobody may ever see in a log',
  'another secret, which is long enough too',
  'introspection-secret',
  'client-secret-%',
  'not-a-token-but-secret',
  'key-of-ann',
  'key-of-bob',
  'pass:ann',
];

/** What every private key holds as text. */
const PRIVATE_KEY = 'PRIVATE KEY-----';

/** What every JWT begins with. */
export const JWT = 'eyJhbGciOi';

/** Known secrets as they are, in URLs, in hex and in base64. */
const FORMS = [MARK, PRIVATE_KEY, JWT, ...OF_FIXTURES].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  ...[0, 1, 2].map((offset) => base64Of(secret, offset)),
]);

/**
 * Where known secrets are in a text, with what is around them. What executors throw may be logged, so `hunter2` of the scripted agent is not
 * known.
 */
export function secretsIn(text: string): readonly string[] {
  const places = FORMS.map((form) => text.indexOf(form)).filter((place) => place >= 0);
  return [...new Set(places)].map((place) => text.slice(Math.max(0, place - 100), place + 100));
}

/** The base64 of a secret that so many bytes precede, without the characters that other bytes have a part in. */
function base64Of(secret: string, offset: number): string {
  const bits = 8 * (offset + Buffer.byteLength(secret));
  const encoded = Buffer.from('-'.repeat(offset) + secret).toString('base64');
  return encoded.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6));
}
