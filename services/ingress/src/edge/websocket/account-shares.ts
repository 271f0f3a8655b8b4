/** The parts of a whole that one account may use: so that no account takes all, and none without credit takes much. */
const WITH_CREDIT = 1 / 2;
const WITHOUT_CREDIT = 1 / 16;

/** What one account may use. */
export interface AccountShare {
  readonly max: number;
  /** False where credit would make it larger. */
  readonly isFull: boolean;
}

/** The shares of accounts in something that they all use. */
export class AccountShares {
  readonly #full: AccountShare;
  readonly #reduced: AccountShare;
  readonly #hasCredit: (accountId: string) => Promise<boolean>;

  constructor(total: number, hasCredit: (accountId: string) => Promise<boolean>) {
    this.#full = { max: part(total, WITH_CREDIT), isFull: true };
    this.#reduced = { max: part(total, WITHOUT_CREDIT), isFull: false };
    this.#hasCredit = hasCredit;
  }

  /** The share of an account that wants so much. Its credit is looked up only if that makes a difference. */
  async of(accountId: string, wanted: number): Promise<AccountShare> {
    return wanted > this.#reduced.max && (await this.#hasCredit(accountId)) ? this.#full : this.#reduced;
  }
}

function part(total: number, share: number): number {
  return Math.max(1, Math.floor(total * share));
}
