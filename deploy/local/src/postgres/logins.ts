import { createHmac } from 'node:crypto';

/** The URLs of one database: of the login that migrates it, and of each service. */
export interface DatabaseUrls {
  admin: string;
  auth: string;
  ledger: string;
  console: string;
  payments: string;
}

/** One login for everything. */
export function oneLogin(url: string): DatabaseUrls {
  return { admin: url, auth: url, ledger: url, console: url, payments: url };
}

/** A login for each service. Their passwords derive from the admin's, so that they need not be stored. */
export function ownLogins(admin: string): DatabaseUrls {
  const urlOf = (service: string) => {
    const url = new URL(admin);
    url.password = createHmac('sha256', url.password).update(service).digest('base64url');
    url.username = `tollgate_${service}`;
    return url.href;
  };
  return {
    admin,
    auth: urlOf('auth'),
    ledger: urlOf('ledger'),
    console: urlOf('console'),
    payments: urlOf('payments'),
  };
}
