import { randomBytes } from 'node:crypto';

export const AGENT_PORT = Number(process.env.PORT ?? 3000);
export const RECEIVER_PORT = Number(process.env.RECEIVER_PORT ?? AGENT_PORT + 1);

export const AGENT_URL = `http://localhost:${AGENT_PORT}`;
export const RECEIVER_URL = `http://localhost:${RECEIVER_PORT}`;
/** Where the receiver wants to be told. */
export const WEBHOOK_URL = `${RECEIVER_URL}/webhooks/a2a`;

/** Both applications have it: from their environments, or, as here in one process, new with each start. */
export const SIGNING_SECRET = {
  kid: '2026-12',
  secret: process.env.SIGNING_SECRET ?? randomBytes(32),
};
