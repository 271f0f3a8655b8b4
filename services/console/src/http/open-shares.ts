import { Counts } from '@tollgate/common/counts';
import { ApiError } from './api-error.ts';

const RETRY_AFTER_S = 5;

/** How much of something one holder may have open at the same time. */
export interface Share {
  holder: string;
  max: number;
  /** A sentence for whoever wants more. */
  refusal: string;
}

/** Counts what each holder has open, such as streamed responses, so that one of them does not take what others need. */
export class OpenShares {
  readonly #open = new Counts();

  /**
   * Counts one more for each of its holders, and returns what ends it.
   *
   * @throws ApiError too_many_requests: a holder has its share
   */
  take(shares: readonly Share[]): () => void {
    const taken = shares.find(({ holder, max }) => this.#open.of(holder) >= max);
    if (taken !== undefined) throw new ApiError('too_many_requests', taken.refusal, { retryAfterS: RETRY_AFTER_S });
    for (const { holder } of shares) this.#open.add(holder);
    return () => {
      for (const { holder } of shares) this.#open.remove(holder);
    };
  }
}
