import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AccountShares } from './account-shares.ts';
import { KeptResponses } from './kept-responses.ts';

const TOTAL_BYTES = 1_600;
/** What an account without credit may keep. */
const REDUCED_BYTES = 100;

const response = (id: string, bytes: number) => ({ id, items: Buffer.alloc(bytes, 'x') });
const isOpen = () => true;

/** @param poor accounts without credit */
function open(...poor: string[]): KeptResponses {
  const shares = new AccountShares(TOTAL_BYTES, async (accountId) => !poor.includes(accountId));
  return new KeptResponses({ totalBytes: TOTAL_BYTES, responseBytes: 500, shares });
}

it('keeps the last response of each socket', async () => {
  const kept = open();
  const [one, other] = [{}, {}];
  await kept.keep(one, 'a', response('1', 10), isOpen);
  await kept.keep(one, 'a', response('2', 20), isOpen);
  await kept.keep(other, 'a', response('3', 30), isOpen);
  expect(kept.itemsOf(one, 'a', '1')).toBeUndefined();
  expect(kept.itemsOf(one, 'a', '2')).toHaveLength(20);
  expect(kept.itemsOf(other, 'a', '2')).toBeUndefined();
  kept.drop(one, 'a');
  expect(kept.itemsOf(one, 'a', '2')).toBeUndefined();
  kept.drop(other, 'a');
  expect(kept.bytes).toBe(0);
});

it('drops the account’s own that were not used for the longest time beyond its share', async () => {
  const kept = open();
  const [stranger, one, two, three] = [{}, {}, {}, {}];
  await kept.keep(stranger, 'b', response('0', 400), isOpen);
  await kept.keep(one, 'a', response('1', 390), isOpen);
  await kept.keep(two, 'a', response('2', 390), isOpen);
  expect(kept.itemsOf(one, 'a', '1')).toBeDefined();
  await kept.keep(three, 'a', response('3', 390), isOpen);
  expect(kept.itemsOf(two, 'a', '2')).toBeUndefined();
  expect(kept.itemsOf(one, 'a', '1')).toBeDefined();
  expect(kept.itemsOf(stranger, 'b', '0')).toBeDefined();
});

it('keeps little of an account without credit', async () => {
  const kept = open('poor');
  const [small, large, rich] = [{}, {}, {}];
  await kept.keep(small, 'poor', response('1', REDUCED_BYTES / 2), isOpen);
  await kept.keep(large, 'poor', response('2', REDUCED_BYTES), isOpen);
  await kept.keep(rich, 'rich', response('3', REDUCED_BYTES), isOpen);
  expect(kept.itemsOf(small, 'poor', '1')).toBeDefined();
  expect(kept.itemsOf(large, 'poor', '2')).toBeUndefined();
  expect(kept.itemsOf(rich, 'rich', '3')).toBeDefined();
});

it('keeps nothing of a socket that is too large or was closed meanwhile, nor the one before it', async () => {
  const kept = open();
  const socket = {};
  await kept.keep(socket, 'a', response('1', 10), isOpen);
  await kept.keep(socket, 'a', response('2', 600), isOpen);
  expect(kept.itemsOf(socket, 'a', '1')).toBeUndefined();
  await kept.keep(socket, 'a', response('3', 10), () => false);
  expect(kept.bytes).toBe(0);
});

it('stays within all limits, and takes from no account for one that keeps more', async () => {
  const sockets = Array.from({ length: 12 }, (_, index) => ({ accountId: `account ${index % 4}`, id: `${index}` }));
  const step = fc.record({ socket: fc.constantFrom(...sockets), bytes: fc.nat({ max: 700 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const kept = open('account 0');
      const sizes = () =>
        sockets.map((each) => {
          const items = kept.itemsOf(each, each.accountId, each.id);
          return items === undefined ? 0 : items.length + each.id.length + 1;
        });
      const ofAccount = (all: number[], accountId: string) =>
        all.reduce((sum, size, index) => sum + (sockets[index]?.accountId === accountId ? size : 0), 0);
      for (const { socket, bytes } of steps) {
        const before = sizes();
        await kept.keep(socket, socket.accountId, response(socket.id, bytes), isOpen);
        const after = sizes();
        expect(after.reduce((sum, size) => sum + size, 0)).toBe(kept.bytes);
        expect(kept.bytes).toBeLessThanOrEqual(TOTAL_BYTES);
        expect(ofAccount(after, 'account 0')).toBeLessThanOrEqual(REDUCED_BYTES);
        const own = ofAccount(after, socket.accountId);
        expect(own).toBeLessThanOrEqual(TOTAL_BYTES / 2);
        for (const { accountId } of sockets) {
          const had = ofAccount(before, accountId);
          if (accountId !== socket.accountId && ofAccount(after, accountId) < had) expect(had).toBeGreaterThan(own);
        }
      }
    }),
  );
});
