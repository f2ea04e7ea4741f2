import type { Credential } from '../credential.js';
import { OAuthCredential, type Grant } from './oauth-credential.js';
import type { OAuthOptions } from './oauth-options.js';
import { pollForTokens } from './poll-for-tokens.js';
import { TokenRequestError } from './token-request-error.js';
import type { TokenSet } from './token-set.js';

/** What to tell the user: go there, on any device, and enter the code. */
export interface DevicePrompt {
  readonly userCode: string;
  /** http or https. */
  readonly verificationUri: string;
  /** The same with the code in it, as for a QR code. */
  readonly verificationUriComplete?: string;
  readonly expiresAt: Date;
  /** As its card says it. */
  readonly agentName: string;
}

export interface DeviceCodeOptions extends OAuthOptions {
  /** Shows the user what to do, whenever somebody must sign in (again). Polling begins when it resolves; what it throws is what the call throws. */
  readonly prompt: (prompt: DevicePrompt) => void | Promise<void>;
}

/**
 * Access tokens for a user who signs in on another device (RFC 8628). The first call waits until that is done, calls at the same time wait
 * with it, and a signal ends the waiting. Refresh tokens are used where the server issues them. Needs the package `oauth4webapi`.
 *
 * @throws TypeError for options that cannot work, or cannot be safe.
 * @publicApi
 * @example
 * const credentials = {
 *   oauth: deviceCode({
 *     issuer: 'https://id.example',
 *     clientId: 'cli',
 *     prompt: ({ verificationUri, userCode }) => console.log(`Open ${verificationUri} and enter ${userCode}`),
 *   }),
 * };
 */
export function deviceCode({ prompt, ...options }: DeviceCodeOptions): Credential {
  if (typeof prompt !== 'function')
    throw new TypeError('deviceCode() needs a prompt, which shows the code to the user');
  return new OAuthCredential(options, (grant) => signIn(grant, prompt));
}

async function signIn(
  { endpoint, parameters, query, abandoned }: Grant,
  prompt: DeviceCodeOptions['prompt'],
): Promise<TokenSet> {
  const device = await endpoint.authorizeDevice(parameters);
  const { user_code: userCode, verification_uri: uri, verification_uri_complete: complete } = device;
  abandoned.throwIfAborted();
  await prompt({
    userCode,
    verificationUri: webUrl(uri),
    expiresAt: new Date(Date.now() + device.expires_in * 1_000),
    agentName: query.card.name,
    ...(complete !== undefined && { verificationUriComplete: webUrl(complete) }),
  });
  const { device_code } = device;
  const request = () => endpoint.request('urn:ietf:params:oauth:grant-type:device_code', { device_code });
  return pollForTokens(request, { interval: device.interval, expiresIn: device.expires_in }, abandoned);
}

/** Users open it, so it must not be of another kind. */
function webUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new TokenRequestError('The authorization server names no web page for its users');
}
