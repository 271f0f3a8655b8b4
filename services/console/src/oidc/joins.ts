import { MEMBER_ROLES } from '@tollgate/common/actors/roles';
import { lowerCaseAscii } from '@tollgate/common/ascii';
import { isUuid } from '@tollgate/common/ids';

/** What a person with an address of a domain joins. */
export interface Join {
  accountId: string;
  role: (typeof MEMBER_ROLES)[number];
}

const ENTRY = /^([a-z0-9.-]+\.[a-z]{2,})=([0-9a-f-]+):([a-z]+)$/;

/** Reads comma-separated `domain=account_id:role`, by domain; undefined when an entry is invalid or a domain repeats. */
export function parseJoins(text: string): ReadonlyMap<string, Join> | undefined {
  const entries = text.split(',').map((entry) => lowerCaseAscii(entry.trim()));
  const joins = new Map<string, Join>();
  for (const entry of entries.filter((each) => each !== '')) {
    const [, domain = '', accountId = '', roleText = ''] = ENTRY.exec(entry) ?? [];
    const role = MEMBER_ROLES.find((each) => each === roleText);
    if (role === undefined || !isUuid(accountId) || joins.has(domain)) return undefined;
    joins.set(domain, { accountId, role });
  }
  return joins;
}
