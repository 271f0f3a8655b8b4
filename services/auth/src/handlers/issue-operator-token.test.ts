import { createPublicKey } from 'node:crypto';
import { readSigningKey, verifyActorToken } from '@tollgate/common/actors/token';
import { ACTOR_SIGNING_SETTINGS, actorWith, calledBy } from '@tollgate/common/testing/actors';
import { Role } from '@tollgate/proto/auth';
import { expect, it } from 'vitest';
import { createIssueOperatorTokenHandler } from './issue-operator-token.ts';

const signingKey = readSigningKey(ACTOR_SIGNING_SETTINGS.ACTOR_SIGNING_KEY);
const issue = createIssueOperatorTokenHandler({ signingKey });

it('issues a token that names the operator, for one minute', async () => {
  const issued = await issue({ name: 'Ana' }, calledBy(undefined));
  const leftMs = Number(issued.expiresAtMs) - Date.now();
  expect(leftMs).toBeGreaterThan(50_000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
  expect(issued).toMatchObject({ role: Role.OPERATOR, accountId: '' });
  const actor = await verifyActorToken([createPublicKey(signingKey)], issued.token, Date.now());
  expect(actor).toEqual(actorWith({ name: 'Ana' }));
});

it.each(['', ' ', 'x'.repeat(201), 'a\nb'])('refuses the name %j', async (name) => {
  await expect(issue({ name }, calledBy(undefined))).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^name: /),
  });
});
