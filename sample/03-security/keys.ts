import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';

/** New with each start: a real application gets its keys from its environment, or verifies by `jwks`. */
export const JWT_SECRET = randomBytes(32);
export const API_KEY = randomBytes(24).toString('base64url');

/** Signs the cards. */
export const CARD_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

export const PORT = process.env.PORT ?? 3000;
export const PUBLIC_URL = `http://localhost:${PORT}`;

export const ISSUER = 'https://id.example.com';
export const AUDIENCE = 'https://bank.example.com';

/** Plays the identity provider, so that there is a token to try. */
export function issueToken(sub: string, scope: string): Promise<string> {
  return new SignJWT({ sub, scope })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('1h')
    .sign(JWT_SECRET);
}
