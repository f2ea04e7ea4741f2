import type { AgentNames } from './agent-names.js';

/** The source text of an agent with one skill that greets its caller. */
export function executorTemplate({ file, className, method, title }: AgentNames): string {
  return `import {
  AgentExecutor,
  Skill,
  artifact,
  status,
  textPart,
  type RequestContext,
} from 'nest-a2a';

@AgentExecutor({
  name: '${title}',
  description: 'Says hello; tell here what the agent does.',
  version: '0.1.0',
})
export class ${className} {
  @Skill({
    id: '${file}',
    name: '${title}',
    description: 'Greets whoever writes; tell here what the skill does.',
    tags: ['${file}'],
  })
  async *${method}(context: RequestContext) {
    yield status('TASK_STATE_WORKING');
    yield artifact([textPart(\`Hello, \${context.userInput}\`)], {
      name: 'answer',
    });
  }
}
`;
}
