/** The currency of all amounts. */
export const CURRENCY = 'USD';
