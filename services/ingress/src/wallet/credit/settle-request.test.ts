import { newId } from '@tollgate/common/ids';
import { Charge, SettleRequest } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { record } from '../../../testing/credit/credit-fixture.ts';
import { encodeSettleRequest } from './settle-request.ts';

it('equals the output of the generated encoder for the same charges', () => {
  const texts = fc.string({ maxLength: 400 }).map((text) => text.toWellFormed());
  const tags = fc.dictionary(texts, texts, { maxKeys: 4 });
  const charges = fc.array(
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), texts, tags).map(([costNanos, keyName, tags]) => {
      const own = { sessionId: newId(), holdNanos: costNanos, chargedNanos: 0n, settledAtMs: 0n, caps: [] };
      return { ...record(newId(), costNanos, { keyName, tags }), ...own };
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(charges, fc.bigInt({ min: 0n, max: 2n ** 60n }), (batch, sequence) => {
      const encoded = batch.map((charge) => ({ payload: Charge.encode(charge).finish() }));
      const generated = SettleRequest.encode({ sequence, charges: batch }).finish();
      expect(encodeSettleRequest({ sequence, charges: encoded }).equals(generated)).toBe(true);
    }),
  );
});
