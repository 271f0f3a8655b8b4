import { z } from 'zod';
import { email, id, memberRole, name, password, role, secret, time } from './fields.ts';
import { operation } from './operation.ts';

export const person = z.object({
  person_id: id,
  email: z.string(),
  name: z.string(),
  is_operator: z.boolean(),
  has_password: z.boolean(),
});

const membership = z.object({ account_id: id, account_name: z.string(), role: memberRole });

/** The signed-in person, and what they may act in. */
export const session = z.object({
  session_id: id,
  person,
  memberships: z.array(membership),
  view_as: z
    .object({ account_id: id, account_name: z.string() })
    .nullable()
    .describe('The account that an operator views as its members see it.'),
  expires_at: time,
});

/** Of RFC 8628. */
const userCode = z.string().min(8).max(20).describe('Such as `WDJB-MJHT`; case does not matter.');

/** Signing in and out, invitations, password resets, and a person's own settings. */
export const signInOperations = {
  'GET /config': operation({
    id: 'getConfig',
    summary: 'What the sign-in page and the key snippets need to know',
    access: 'anyone',
    response: z.object({
      service_name: z.string(),
      base_url: z.string().describe('Base URL of the gateway, as clients use it.'),
      console_url: z.string(),
      oidc: z
        .object({ name: z.string() })
        .nullable()
        .describe('Name of the OpenID Connect provider; null: not configured.'),
      mail: z.boolean().describe('Whether e-mails are sent. If not, links are shown to copy.'),
      trace_url: z.string().nullable().describe('With `{trace_id}` in it; null: not configured.'),
    }),
  }),
  'POST /session': operation({
    id: 'signIn',
    summary: 'Sign in with e-mail address and password',
    access: 'anyone',
    body: z.strictObject({ email, password: z.string().min(1).max(1_000) }),
    response: session,
  }),
  'GET /session': operation({
    id: 'getSession',
    summary: 'The current session; null: nobody is signed in',
    access: 'anyone',
    response: session.nullable(),
  }),
  'DELETE /session': operation({ id: 'signOut', summary: 'Sign out', access: 'person', response: null }),
  'PUT /session/view-as': operation({
    id: 'viewAs',
    summary: 'View an account, read-only, as its members see it; for operators',
    access: 'person',
    body: z.strictObject({ account_id: id.nullable() }),
    response: session,
  }),
  'POST /password-resets': operation({
    id: 'requestPasswordReset',
    summary: 'Send a link to set a new password; succeeds for any address',
    access: 'anyone',
    body: z.strictObject({ email }),
    response: null,
  }),
  'POST /password-resets/use': operation({
    id: 'resetPassword',
    summary: 'Set a new password by a link',
    access: 'anyone',
    body: z.strictObject({ secret, password }),
    response: null,
  }),
  'POST /invitations/find': operation({
    id: 'findInvitation',
    summary: 'What an invitation link is for',
    access: 'anyone',
    body: z.strictObject({ secret }),
    response: z.object({
      email: z.string(),
      account_name: z.string().nullable().describe('Null: to be an operator.'),
      role,
      invited_by: z.string(),
      expires_at: time,
      person_exists: z.boolean().describe('They have to sign in to accept. False too where the link was not mailed.'),
    }),
  }),
  'POST /invitations/accept': operation({
    id: 'acceptInvitation',
    summary:
      'Accept an invitation: as the signed-in person, or with a name and password for a new one. Null: the link was not mailed, so sign in and accept it then',
    access: 'anyone',
    body: z.strictObject({ secret, name: name.optional(), password: password.optional() }),
    response: session.nullable(),
  }),
  'PATCH /person': operation({
    id: 'updatePerson',
    summary: 'Change your name',
    access: 'person',
    body: z.strictObject({ name }),
    response: session,
  }),
  'PUT /person/password': operation({
    id: 'changePassword',
    summary: 'Change your password; ends your other sessions',
    access: 'person',
    body: z.strictObject({ current_password: z.string().max(1_000), new_password: password }),
    response: null,
  }),
  'GET /person/sessions': operation({
    id: 'listSessions',
    summary: 'Your sessions',
    access: 'person',
    response: z.object({
      data: z.array(
        z.object({
          session_id: id,
          device: z.string().describe('Browser and system, as the browser names them.'),
          ip_address: z.string(),
          created_at: time,
          last_seen_at: time,
          kind: z.enum(['browser', 'command_line']),
          current: z.boolean(),
        }),
      ),
    }),
  }),
  'POST /device-authorizations/find': operation({
    id: 'findDeviceAuthorization',
    summary: 'What asks for a session, by the code that it shows',
    access: 'person',
    body: z.strictObject({ user_code: userCode }),
    response: z.object({
      device: z.string().describe('What asks, as it names itself.'),
      ip_address: z.string(),
      created_at: time,
      expires_at: time,
    }),
  }),
  'POST /device-authorizations/decide': operation({
    id: 'decideDeviceAuthorization',
    summary: 'Give a session of yours to what asks for it, or refuse it; from a browser only',
    access: 'person',
    body: z.strictObject({ user_code: userCode, approve: z.boolean() }),
    response: null,
  }),
  'DELETE /person/sessions/{session_id}': operation({
    id: 'endSession',
    summary: 'End one of your sessions',
    access: 'person',
    path: z.strictObject({ session_id: id }),
    response: null,
  }),
};
