/** The number of an account's statement of a month. */
export function statementNumber(accountId: string, month: string): string {
  return `S-${month}-${randomPartOf(accountId)}`;
}

/** The number of the receipt of a deposit. */
export function receiptNumber(depositId: string): string {
  return `R-${randomPartOf(depositId)}`;
}

/** What follows the time in a UUIDv7: 62 random bits. */
function randomPartOf(id: string): string {
  return id.slice(19).toUpperCase();
}
