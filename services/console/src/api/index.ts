import type { Api } from '@tollgate/proto/api-types';
import { accountOperations } from './accounts.ts';
import { memberOperations } from './members.ts';
import type { Operation } from './operation.ts';
import { operatorOperations } from './operators.ts';
import { signInOperations } from './sign-in.ts';

/** All operations of the console's API, by route. */
export const operations = {
  ...signInOperations,
  ...accountOperations,
  ...memberOperations,
  ...operatorOperations,
} satisfies Record<string, Operation>;

/** Operations on the same things, by route. */
export interface OperationGroup {
  name: string;
  description: string;
  operations: Readonly<Record<string, Operation>>;
}

/** All operations in groups: the tags of the OpenAPI document. */
export const operationGroups: readonly OperationGroup[] = [
  {
    name: 'Sign-in',
    description: "Signing in and out, invitations, password resets, and a person's own settings.",
    operations: signInOperations,
  },
  { name: 'Accounts', description: 'One account, its money and its usage.', operations: accountOperations },
  { name: 'Members', description: 'Members and invitations of an account.', operations: memberOperations },
  { name: 'Operators', description: 'Everything for the people who run the gateway.', operations: operatorOperations },
];

export type Operations = typeof operations;
export type OldRoute = keyof Operations;

export type Route = keyof Api;

export type { Api };
