import { AgentExecutor, apiKey, httpBearer, PUBLIC_ACCESS, RequestContext, safeEqual, Skill } from 'nest-a2a';
import { API_KEY, AUDIENCE, ISSUER, JWT_SECRET } from './keys.js';

/** One declaration gives the card's entry and the guard. */
@AgentExecutor({
  name: 'Accounts',
  description: 'Tells how much money there is',
  version: '1.0.0',
  securitySchemes: {
    key: apiKey({
      in: 'header',
      name: 'X-Api-Key',
      validate: (key) => safeEqual(key, API_KEY) && { id: 'nightly-job', scopes: ['transfer'] },
    }),
    bearer: httpBearer({ secret: JWT_SECRET, issuer: ISSUER, audience: AUDIENCE }),
  },
  // An API key, or a JWT with the scope.
  securityRequirements: [{ schemes: { key: {} } }, { schemes: { bearer: { list: ['accounts:read'] } } }],
})
export class AccountsAgent {
  @Skill({ id: 'balance', name: 'Balance', description: 'How much is there?', tags: ['accounts'] })
  balance(context: RequestContext) {
    return `${context.call.user?.id} has 42`;
  }

  @Skill({
    id: 'transfer',
    name: 'Transfer',
    description: 'Moves money',
    tags: ['accounts'],
    // On top of what the agent requires.
    securityRequirements: [
      { schemes: { key: { list: ['transfer'] } } },
      { schemes: { bearer: { list: ['transfer'] } } },
    ],
  })
  transfer(context: RequestContext) {
    return `${context.call.user?.id} moved it`;
  }

  @Skill({
    id: 'hours',
    name: 'Opening hours',
    description: 'When do you open?',
    tags: ['accounts'],
    // The one exception, and the card shows it.
    securityRequirements: PUBLIC_ACCESS,
  })
  hours() {
    return 'From 9 to 5';
  }
}
