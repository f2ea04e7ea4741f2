import { badNumbers } from '../interfaces/bad-numbers.js';
import { isHttpToken } from '../protocol/header-value.js';
import {
  DEFAULT_TOLERANCE_SECONDS,
  type ExpectedSecret,
  type ResolvedWebhookOptions,
  type SignatureCheck,
} from './webhook-options.js';

const CHECKS = ['token', 'credentials', 'signature'] as const;

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Throws an Error with everything that is wrong with the options, each with how to mend it. */
export function checkWebhookOptions(options: ResolvedWebhookOptions, path: string): void {
  const problems = webhookProblems(options, path);
  if (problems.length > 0)
    throw new Error(
      `A2AWebhookModule cannot start:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    );
}

function webhookProblems(options: ResolvedWebhookOptions, path: string): string[] {
  const { token, credentials, signature, insecure, bodyLimit, maxDepth, deduplication, urls } = options;
  const unset = CHECKS.filter((name) => name in options && options[name] === undefined);
  const open = !insecure && unset.length === 0 && CHECKS.every((name) => options[name] === undefined);
  return [
    ...(/^[\w.~-]+(?:\/[\w.~-]+)*$/.test(path)
      ? []
      : [`the path ${JSON.stringify(path)} is not valid: use letters, digits, ".", "_", "~", "-" and "/"`]),
    ...unset.map(
      (name) =>
        `${name} is given, but undefined, so nothing would be checked: is a variable of the environment missing?`,
    ),
    ...(open
      ? [
          'everybody could send notifications: set token, credentials or signature, or insecure: true if that is meant',
        ]
      : []),
    ...(token === undefined ? [] : secretProblems(token, 'token')),
    ...(credentials ? secretProblems(credentials.expected, 'credentials.expected') : []),
    ...(credentials && !isHttpToken('scheme' in credentials ? credentials.scheme : credentials.header)
      ? ['credentials need the name of a scheme, as in "Bearer", or of a header']
      : []),
    ...badNumbers({ bodyLimit, maxDepth }),
    ...badNumbers(deduplication, 'deduplication.'),
    ...badNumbers(urls, 'urls.'),
    ...(signature ? signatureProblems(signature, deduplication.keepMs) : []),
  ];
}

function secretProblems(expected: ExpectedSecret, place: string): string[] {
  if (typeof expected === 'function' || (typeof expected === 'object' && 'validate' in expected)) return [];
  const secrets = [expected].flat();
  return secrets.length > 0 && secrets.every((secret) => typeof secret === 'string' && secret !== '')
    ? []
    : [`${place} is empty: give it a secret, several, or a function`];
}

function signatureProblems(
  { url, hmac = [], jwks, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: SignatureCheck,
  keepMs: number,
): string[] {
  const urls = [url].flat();
  return [
    ...(urls.length > 0 && urls.every((one) => URL.canParse(one))
      ? []
      : ['signature.url must be the URL of this webhook as it stands in the configs: signatures cover it']),
    ...(jwks === undefined || isSafePlace(jwks)
      ? []
      : ['signature.jwks must be a key set, or its URL: https unless it is on this machine']),
    ...(hmac.length === 0 && jwks === undefined ? ['signature has no keys: set hmac or jwks'] : []),
    ...(toleranceSeconds > 0 && toleranceSeconds * 2_000 <= keepMs
      ? []
      : [
          'signature.toleranceSeconds must be above 0, and deduplication.keepMs at least twice as long: a notification could be replayed after it was forgotten',
        ]),
  ];
}

function isSafePlace(jwks: NonNullable<SignatureCheck['jwks']>): boolean {
  if (typeof jwks !== 'string' && !(jwks instanceof URL)) return Array.isArray(jwks.keys);
  if (!URL.canParse(String(jwks))) return false;
  const { protocol, hostname } = new URL(jwks);
  return protocol === 'https:' || (protocol === 'http:' && LOCAL.test(hostname));
}
