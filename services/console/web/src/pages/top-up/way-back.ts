const NAME = 'tollgate.top-up';

/** Remembers for this tab, while the person pays at another site, which refused request led to a payment. */
export function rememberRequest(paymentId: string, requestId: string): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([paymentId, requestId]));
  } catch {
    // Storage is blocked: the way back is missing.
  }
}

/** The request that led to a payment of this tab. */
export function requestOf(paymentId: string): string | undefined {
  try {
    const [payment, request] = JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as string[];
    return payment === paymentId ? request : undefined;
  } catch {
    return undefined;
  }
}
