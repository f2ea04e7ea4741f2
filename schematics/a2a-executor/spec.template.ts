import type { AgentNames } from './agent-names.js';

/** What the spec has to know about the project it is written for. */
export interface SpecProject {
  /** Relative imports need an extension. */
  isEsm: boolean;
  /** The project serves with Fastify and lacks Express, the default of `createNestApplication()`. */
  isFastify: boolean;
}

/** The source text of a spec that talks to the agent over HTTP, as a client would. */
export function specTemplate({ file, className }: AgentNames, { isEsm, isFastify }: SpecProject): string {
  const fastifyImport = isFastify ? `import { FastifyAdapter } from '@nestjs/platform-fastify';\n` : '';
  const adapter = isFastify ? 'new FastifyAdapter()' : '';
  return `import { type INestApplication } from '@nestjs/common';
${fastifyImport}import { Test } from '@nestjs/testing';
import { A2AModule } from 'nest-a2a';
import { ${className} } from './${file}.agent${isEsm ? '.js' : ''}';

describe('${className}', () => {
  let app: INestApplication;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [A2AModule.forRoot(), A2AModule.forFeature([${className}])],
      providers: [${className}],
    }).compile();

    app = module.createNestApplication(${adapter});
    await app.listen(0, '127.0.0.1');
  });

  afterEach(async () => {
    await app.close();
  });

  it('should answer a message', async () => {
    const response = await fetch(\`\${await app.getUrl()}/a2a/jsonrpc\`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: {
            messageId: 'message-1',
            role: 'ROLE_USER',
            parts: [{ text: 'world' }],
          },
        },
      }),
    });

    expect(await response.json()).toMatchObject({
      result: {
        task: {
          status: { state: 'TASK_STATE_COMPLETED' },
          artifacts: [{ parts: [{ text: 'Hello, world' }] }],
        },
      },
    });
  });
});
`;
}
