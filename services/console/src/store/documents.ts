import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { Parties } from '../documents/parties.ts';

/**
 * The parties of a document as they were when somebody read it first: at the first call those that are given, which are then kept.
 */
export async function keepParties(
  db: Queryable,
  { number, accountId, parties }: { number: string; accountId: string; parties: Parties },
): Promise<Parties> {
  await db.query(
    `INSERT INTO console.documents (number, account_id, issuer, recipient) VALUES ($1, $2, $3, $4)
     ON CONFLICT (number) DO NOTHING`,
    [number, accountId, JSON.stringify(parties.issuer), JSON.stringify(parties.recipient)],
  );
  const { rows } = await db.query<Parties>(
    'SELECT issuer, recipient FROM console.documents WHERE number = $1 AND account_id = $2',
    [number, accountId],
  );
  return onlyRow(rows, `document ${number} is of another account`);
}
