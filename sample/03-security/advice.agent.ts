import { AuthGuard } from '@nestjs/passport';
import { AgentExecutor, RequestContext, Skill } from 'nest-a2a';

/** Any guard class serves a scheme: here Passport's. */
@AgentExecutor({
  name: 'Advice',
  description: 'Knows what to do with money',
  version: '1.0.0',
  securitySchemes: {
    jwt: {
      scheme: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
      guard: AuthGuard('jwt'),
    },
  },
  securityRequirements: [{ schemes: { jwt: {} } }],
})
export class AdviceAgent {
  @Skill({ id: 'advise', name: 'Advise', description: 'What shall I do?', tags: ['advice'] })
  advise(context: RequestContext) {
    return `Keep it, ${context.call.user?.id}`;
  }
}
