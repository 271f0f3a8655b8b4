import { accountOperations } from './accounts.ts';
import { keyOperations } from './keys.ts';
import { memberOperations } from './members.ts';
import { modelOperations } from './models.ts';
import type { Exchange, Operation } from './operation.ts';
import { operatorOperations } from './operators.ts';
import { requestOperations } from './requests.ts';
import { signInOperations } from './sign-in.ts';

/** All operations of the console's API, by route. */
export const operations = {
  ...signInOperations,
  ...accountOperations,
  ...keyOperations,
  ...requestOperations,
  ...modelOperations,
  ...memberOperations,
  ...operatorOperations,
} satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type Route = keyof Operations;

/** The types of all exchanges, by route. The web app imports only this. */
export type Api = { [R in Route]: Exchange<Operations[R]> };
