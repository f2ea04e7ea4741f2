import type { SecurityRequirement } from '../protocol/model.js';

/**
 * Requirements that everybody meets. A skill with these may be called without what its agent requires; the card says so.
 *
 * @publicApi
 * @example
 * @Skill({ id: 'hours', name: 'Opening hours', description: '…', tags: ['shop'], securityRequirements: PUBLIC_ACCESS })
 */
export const PUBLIC_ACCESS: SecurityRequirement[] = [{ schemes: {} }];

/** Whether callers without credentials meet them. No requirements at all are none of one's own. */
export function admitsStrangers(requirements: readonly SecurityRequirement[] = []): boolean {
  return requirements.some(({ schemes = {} }) => Object.keys(schemes).length === 0);
}
