import { createPrivateKey, KeyObject } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { ClientAuth } from 'oauth4webapi';
import type { OAuthLibrary } from './load-oauth.js';
import type { OAuthOptions } from './oauth-options.js';

/** How the client proves to the authorization server who it is. Throws TypeError for a key that is no private one. */
export async function clientAuthentication(oauth: OAuthLibrary, options: OAuthOptions): Promise<ClientAuth> {
  const { clientSecret, authentication, privateKey } = options;
  if (privateKey !== undefined) return oauth.PrivateKeyJwt(await assertionKey(options, privateKey));
  if (clientSecret === undefined) return oauth.None();
  return authentication === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

async function assertionKey(
  { keyId, algorithm }: OAuthOptions,
  given: NonNullable<OAuthOptions['privateKey']>,
): Promise<{ key: CryptoKey; kid?: string }> {
  if (isCryptoKey(given)) return { key: given, ...(keyId !== undefined && { kid: keyId }) };
  const jwk = jwkOf(given);
  const kid = keyId ?? jwk.kid;
  const key = await importJWK(jwk, algorithm ?? jwk.alg ?? usualAlgorithm(jwk));
  return { key: key as CryptoKey, ...(kid !== undefined && { kid }) };
}

function isCryptoKey(key: object | string): key is CryptoKey {
  return typeof key === 'object' && 'algorithm' in key && 'usages' in key;
}

/** Throws without a word of the key. */
function jwkOf(given: string | JWK | KeyObject): JWK {
  try {
    if (given instanceof KeyObject) return given.export({ format: 'jwk' });
    return typeof given === 'string' ? createPrivateKey(given).export({ format: 'jwk' }) : given;
  } catch {
    throw new TypeError('The privateKey of an OAuth client is no private key in PEM, JWK or a key object');
  }
}

function usualAlgorithm({ kty, crv }: JWK): string {
  if (kty === 'RSA') return 'RS256';
  if (kty === 'OKP') return 'Ed25519';
  return crv === 'P-521' ? 'ES512' : crv === 'P-384' ? 'ES384' : 'ES256';
}
