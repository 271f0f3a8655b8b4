import type { ConsoleConfig } from '../config.ts';

/** Who issues documents: the company that runs the gateway. */
export interface Issuer {
  name: string;
  addressLines: readonly string[];
  taxId: string | null;
  email: string | null;
}

/** Who gets a document. */
export interface Recipient {
  name: string;
  accountId: string;
}

export interface Parties {
  issuer: Issuer;
  recipient: Recipient;
}

/** The name of an issuer who has set none, as in exports for tools of finance. */
const UNNAMED = 'Tollgate';

/** The issuer as the settings have it now. */
export function issuerOf(config: ConsoleConfig): Issuer {
  return {
    name: config.COMPANY_NAME ?? UNNAMED,
    addressLines: config.COMPANY_ADDRESS,
    taxId: config.COMPANY_TAX_ID ?? null,
    email: config.COMPANY_EMAIL ?? null,
  };
}
