import type { OAuthFlows, SecurityScheme } from 'nest-a2a';
import { answerTask, RecordingAgent, refuse } from './recording-agent.js';
import type { AuthorizationServer } from './authorization-server.js';

/** An agent that takes the tokens of a server, those that it does not refuse. */
export async function startOAuthAgent(
  server: AuthorizationServer,
  scheme: SecurityScheme = oauthScheme(server),
): Promise<RecordingAgent & { readonly refused: Set<string> }> {
  const refused = new Set<string>();
  const agent = await RecordingAgent.start({
    securitySchemes: { oauth: scheme },
    securityRequirements: [{ schemes: { oauth: { list: ['use'] } } }],
  });
  agent.instead = (request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    return server.issued.includes(token) && !refused.has(token)
      ? answerTask(request, response)
      : refuse(response);
  };
  return Object.assign(agent, { refused });
}

/** A scheme whose flow is at a server. */
export function oauthScheme(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  kind: 'clientCredentials' | 'deviceCode' = 'clientCredentials',
): SecurityScheme {
  const both = { tokenUrl: `${issuer}/token`, scopes: {} };
  const flows: OAuthFlows =
    kind === 'deviceCode'
      ? { deviceCode: { ...both, deviceAuthorizationUrl: `${issuer}/device` } }
      : { clientCredentials: both };
  return { oauth2SecurityScheme: { flows } };
}
