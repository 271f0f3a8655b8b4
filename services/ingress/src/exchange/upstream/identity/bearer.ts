import type { Identity } from './identity.ts';
import type { RefreshedValue } from './refreshed-value.ts';

/** An identity that proves itself with an access token. */
export function bearerIdentity(token: RefreshedValue<string>): Identity {
  return {
    authorize: async () => {
      const obtained = await token.get();
      if (obtained.kind === 'missing') return obtained;
      return { kind: 'headers', headers: { authorization: `Bearer ${obtained.value}` } };
    },
    secrets: () => (token.last === undefined ? [] : [token.last]),
    refused: (headers) => {
      const { last } = token;
      if (last !== undefined && headers['authorization'] === `Bearer ${last}`) token.discard(last);
    },
    prepare: () => void token.get(),
    close: () => token.close(),
  };
}
