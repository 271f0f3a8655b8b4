import { createPublicKey } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { ACTOR_SETTINGS, actorWith, tokenFor } from '../../testing/actors.ts';
import { setActorToken } from './attach-token.ts';
import { authorizeBy } from './authorize.ts';
import { PERMISSIONS } from './permissions.ts';
import { ROLE_NAMES, type RoleName } from './roles.ts';
import type { Actor } from './token.ts';

const ACCOUNT = '0190a5b0-0000-7000-8000-00000000000a';
const OTHER = '0190a5b0-0000-7000-8000-00000000000b';
const IN_ACCOUNT = { accountId: ACCOUNT };
const AUTH = '/tollgate.auth.v1.AuthService';
const LEDGER = '/tollgate.ledger.v1.LedgerService';
const authorize = authorizeBy([createPublicKey(ACTOR_SETTINGS.ACTOR_PUBLIC_KEYS)]);

const memberOf = (role: RoleName, changes: Partial<Actor> = {}) =>
  actorWith({ id: 'person', role, via: 'console', accountId: role === 'operator' ? undefined : ACCOUNT, ...changes });

async function call(path: string, actor: Actor | undefined, request: unknown) {
  const metadata = new Metadata();
  if (actor !== undefined) setActorToken(metadata, await tokenFor(actor));
  return authorize(path, metadata, request);
}

const denied = (message: string | RegExp) =>
  expect.objectContaining({ code: 'permission_denied', message: expect.stringMatching(message) });

describe('a call with an actor', () => {
  it('is allowed for the roles of PERMISSIONS and no others', async () => {
    for (const [path, permission] of Object.entries(PERMISSIONS)) {
      if (permission === 'caller') continue;
      for (const role of ROLE_NAMES) {
        const result = await call(path, memberOf(role), IN_ACCOUNT).then(
          (actor) => actor?.role,
          (error: unknown) => error,
        );
        expect([path, result]).toEqual([
          path,
          permission.roles.includes(role) ? role : denied(`the role ${role} may not`),
        ]);
      }
    }
  });

  it('is refused for a member who names another account, or none', async () => {
    const owner = memberOf('owner');
    for (const request of [{ accountId: OTHER }, { accountId: '' }, {}, { accountId: 1 }, undefined]) {
      await expect(call(`${AUTH}/ListKeys`, owner, request)).rejects.toEqual(
        denied(/^account_id: must be the account/),
      );
    }
    await expect(call(`${AUTH}/ListKeys`, owner, { accountId: ACCOUNT.toUpperCase() })).resolves.toEqual(owner);
  });

  it('is allowed for an operator in any account, and for a member where no account is concerned', async () => {
    await expect(call(`${AUTH}/ListKeys`, memberOf('operator'), { accountId: OTHER })).resolves.toBeDefined();
    await expect(call('/tollgate.router.v1.RouterService/GetRoutes', memberOf('billing'), {})).resolves.toBeDefined();
  });

  it('is refused for an actor who may only read, if it changes something', async () => {
    for (const role of ['operator', 'owner'] as const) {
      const viewer = memberOf(role, { readOnly: true });
      await expect(call(`${AUTH}/ListKeys`, viewer, IN_ACCOUNT)).resolves.toEqual(viewer);
      await expect(call(`${AUTH}/CreateKey`, viewer, IN_ACCOUNT)).rejects.toEqual(denied('read-only'));
    }
  });
});

describe('a call without a valid token', () => {
  const bearing = (header: string) => {
    const metadata = new Metadata();
    metadata.set('authorization', header);
    return authorize(`${LEDGER}/GetBalance`, metadata, IN_ACCOUNT);
  };

  it('is allowed only if the certificate of the caller decides', async () => {
    await expect(call(`${AUTH}/ResolveKey`, undefined, IN_ACCOUNT)).resolves.toBeUndefined();
    await expect(call(`${LEDGER}/GetBalance`, undefined, IN_ACCOUNT)).resolves.toBeUndefined();
    await expect(call(`${LEDGER}/GetThresholds`, undefined, IN_ACCOUNT)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('is refused with a wrong token even if it could be made without one', async () => {
    const token = await tokenFor(memberOf('owner'));
    await expect(bearing(`Bearer ${token}`)).resolves.toBeDefined();
    await expect(bearing(`Bearer ${token}x`)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(bearing('Bearer ')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(bearing(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is refused if no permission names it', async () => {
    await expect(call(`${AUTH}/Other`, memberOf('operator'), IN_ACCOUNT)).rejects.toEqual(denied('no role may'));
  });
});
