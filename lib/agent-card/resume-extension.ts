import type { AgentExtension } from '../protocol/model.js';

/** Names our extension of SubscribeToTask: `Last-Event-ID` goes on with a stream right after the event of that id. */
export const RESUME_EXTENSION_URI = 'urn:nest-a2a:extension:last-event-id:v1';

/** How the card declares it. Clients that do not know it lose nothing. */
export const RESUME_EXTENSION: AgentExtension = {
  uri: RESUME_EXTENSION_URI,
  description: 'SubscribeToTask with a Last-Event-ID header goes on right after the event with that SSE id.',
  required: false,
};
