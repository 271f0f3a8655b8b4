import type { Edit } from '@tollgate/test-support/mutations/mutated-code';
import type { TestedMutation } from './mutation.ts';

const FOLDER = 'services/ledger';

function mutation(name: string, ...edits: readonly [at: string, find: string, replace: string][]): TestedMutation {
  return {
    name,
    test: `${FOLDER}/src/vouchers/vouchers.db.test.ts`,
    edits: edits.map(([at, find, replace]): Edit => ({ folder: FOLDER, at, find, replace })),
  };
}

/** Faults of vouchers. */
export const VOUCHER_MUTATIONS: readonly TestedMutation[] = [
  mutation('a voucher is redeemed by two accounts', ['claimVoucher', 'redeemed_at_ms IS NULL AND', '']),
  mutation(
    'a voucher is redeemed by two accounts that ask at once',
    ['claimVoucher', 'redeemed_at_ms IS NULL AND', ''],
    [
      'redeemVoucher',
      'if (voucher === undefined)',
      "if (voucher === undefined || !['', accountId].includes(voucher.accountId))",
    ],
  ),
  mutation(
    'a repeated redemption of a voucher credits twice',
    ['claimVoucher', 'redeemed_at_ms IS NULL AND', '(redeemed_at_ms IS NULL OR redeemed_for = $2) AND'],
    ['redeemVoucher', 'idempotencyKey: `voucher:', 'idempotencyKey: crypto.randomUUID() + `voucher:'],
  ),
  mutation('a voucher is redeemed after its expiry', ['claimVoucher', 'expires_at_ms > $3', 'expires_at_ms > 0']),
  mutation('a voucher is redeemed after its revocation', ['claimVoucher', 'AND revoked_at_ms IS NULL', '']),
];
