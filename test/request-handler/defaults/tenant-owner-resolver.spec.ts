import { describe, expect, it } from 'vitest';
import type { A2AUser, ServerCallContext } from '../../../lib/interfaces/server-call-context.js';
import { TenantOwnerResolver } from '../../../lib/request-handler/defaults/tenant-owner-resolver.js';

const owner = (tenant: string, user: A2AUser | null) =>
  new TenantOwnerResolver().resolve({ tenant, user } as ServerCallContext);

describe('TenantOwnerResolver', () => {
  it('is one for one user in one tenant', () => {
    expect(owner('t', { id: 'ada', scopes: ['a'] })).toBe(owner('t', { id: 'ada' }));
    expect(owner('t', null)).toBe(owner('t', null));
  });

  it('is another for anybody else', () => {
    const owners = [
      owner('', null),
      owner('t', null),
      owner('', { id: 'null' }),
      owner('t', { id: 'ada' }),
      owner('', { id: 'ada' }),
      owner('t","ada', { id: '' }),
      owner('t', { id: ',ada' }),
      owner('t,', { id: 'ada' }),
    ];
    expect(new Set(owners).size).toBe(owners.length);
  });
});
