import { AgentExecutor, RequestContext, Skill } from 'nest-a2a';

export const SCOPE = 'use';

/** Tells who opened it. */
@Skill({ id: 'open', name: 'Open', description: 'Opens the vault', tags: ['test'] })
@AgentExecutor({
  name: 'Vault',
  description: 'Tells who opened it',
  version: '1',
  capabilities: { streaming: true, extendedAgentCard: true },
})
export class Vault {
  async execute({ updater, userInput, call }: RequestContext): Promise<void> {
    if (userInput === 'park') return updater.requiresInput();
    await updater.addArtifact(String(call.user?.id));
    await updater.complete();
  }
}
