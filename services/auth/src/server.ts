import { createListEventsAfterHandler } from '@tollgate/common/events/list-events-after';
import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, listenOptions, type Service } from '@tollgate/common/grpc/service';
import type { Health } from '@tollgate/common/health';
import { type AuthServiceServer, AuthServiceService } from '@tollgate/proto/auth';
import type { Dependencies } from './dependencies.ts';
import { createAcceptInvitationHandler } from './handlers/accept-invitation.ts';
import { createAskForLimitHandler } from './handlers/ask-for-limit.ts';
import { createBeginViewAsHandler } from './handlers/begin-view-as.ts';
import { createCheckActorHandler } from './handlers/check-actor.ts';
import { createCheckSessionHandler } from './handlers/check-session.ts';
import { createCreateAccountHandler } from './handlers/create-account.ts';
import { createCreateDerivedKeyHandler } from './handlers/create-derived-key.ts';
import { createCreateInvitationHandler } from './handlers/create-invitation.ts';
import { createCreateKeyHandler } from './handlers/create-key.ts';
import { createCreateManagementKeyHandler } from './handlers/create-management-key.ts';
import { createCreatePasswordResetHandler } from './handlers/create-password-reset.ts';
import { createCreateProjectHandler } from './handlers/create-project.ts';
import { createCreateServiceAccountHandler } from './handlers/create-service-account.ts';
import { createDeclineLimitRequestHandler } from './handlers/decline-limit-request.ts';
import { createDeleteInvitationHandler } from './handlers/delete-invitation.ts';
import { createDeleteKeyHandler } from './handlers/delete-key.ts';
import { createDeleteManagementKeyHandler } from './handlers/delete-management-key.ts';
import { createDeleteProjectHandler } from './handlers/delete-project.ts';
import { createDeleteServiceAccountHandler } from './handlers/delete-service-account.ts';
import { createEnsureFirstOperatorHandler } from './handlers/ensure-first-operator.ts';
import { createFindKeysHandler } from './handlers/find-keys.ts';
import { createGetAccountHandler } from './handlers/get-account.ts';
import { createGetCredentialHandler } from './handlers/get-credential.ts';
import { createGetInvitationHandler } from './handlers/get-invitation.ts';
import { createGetKeyHandler } from './handlers/get-key.ts';
import { createGetKeyPropagationHandler } from './handlers/get-key-propagation.ts';
import { createGetLimitRequestHandler } from './handlers/get-limit-request.ts';
import { createGetPasswordResetHandler } from './handlers/get-password-reset.ts';
import { createGetPersonHandler } from './handlers/get-person.ts';
import { createGetPriceRulesHandler } from './handlers/get-price-rules.ts';
import { createGrantLimitRequestHandler } from './handlers/grant-limit-request.ts';
import { createIssueActorTokenHandler } from './handlers/issue-actor-token.ts';
import { createIssueManagementKeyTokenHandler } from './handlers/issue-management-key-token.ts';
import { createListAccountsHandler } from './handlers/list-accounts.ts';
import { createListAlertRecipientsHandler } from './handlers/list-alert-recipients.ts';
import { createListAuditHandler } from './handlers/list-audit.ts';
import { createListInvitationsHandler } from './handlers/list-invitations.ts';
import { createListKeysHandler } from './handlers/list-keys.ts';
import { createListLimitRequestsHandler } from './handlers/list-limit-requests.ts';
import { createListLimitTreeHandler } from './handlers/list-limit-tree.ts';
import { createListManagementKeysHandler } from './handlers/list-management-keys.ts';
import { createListMembersHandler } from './handlers/list-members.ts';
import { createListOperatorsHandler } from './handlers/list-operators.ts';
import { createListProjectMembersHandler } from './handlers/list-project-members.ts';
import { createListProjectsHandler } from './handlers/list-projects.ts';
import { createListServiceAccountsHandler } from './handlers/list-service-accounts.ts';
import { createListWatchersHandler } from './handlers/list-watchers.ts';
import { createRecordExportHandler } from './handlers/record-export.ts';
import { createRecordSessionHandler } from './handlers/record-session.ts';
import { createRemoveMemberHandler } from './handlers/remove-member.ts';
import { createRemoveOperatorHandler } from './handlers/remove-operator.ts';
import { createReportKeyUseHandler } from './handlers/report-key-use.ts';
import { createResetPasswordHandler } from './handlers/reset-password.ts';
import { createResolveKeyHandler } from './handlers/resolve-key.ts';
import { createResumeAccountHandler } from './handlers/resume-account.ts';
import { createRotateKeyHandler } from './handlers/rotate-key.ts';
import { createSetAlertMailsHandler } from './handlers/set-alert-mails.ts';
import { createSignInWithIdentityHandler } from './handlers/sign-in-with-identity.ts';
import { createSuspendAccountHandler } from './handlers/suspend-account.ts';
import { createUpdateAccountHandler } from './handlers/update-account.ts';
import { createUpdateKeyHandler } from './handlers/update-key.ts';
import { createUpdateMemberHandler } from './handlers/update-member.ts';
import { createUpdatePersonHandler } from './handlers/update-person.ts';
import { createUpdateProjectHandler } from './handlers/update-project.ts';
import { createUpdateProjectMemberHandler } from './handlers/update-project-member.ts';
import { createUpdateServiceAccountHandler } from './handlers/update-service-account.ts';
import { createWatchRevocationsHandler } from './handlers/watch-revocations.ts';
import { createWithdrawLimitRequestHandler } from './handlers/withdraw-limit-request.ts';
import { watchReadiness } from './jobs/watch-readiness.ts';

const SERVICE_NAME = 'tollgate.auth.v1.AuthService';

/** Creates the service. It serves once Postgres responds and has a usable schema. */
export function createServer(deps: Dependencies, health: Health): Service {
  const { config, logger, pool, redis, revocations } = deps;
  let server: GrpcServer | undefined;
  let stopReadiness: (() => Promise<void>) | undefined;
  const start = async () => {
    server = await startGrpcServer({
      ...listenOptions(config),
      logger,
      definition: AuthServiceService,
      implementation: createHandlers(deps),
      serviceName: SERVICE_NAME,
      health,
    });
    revocations.start();
    stopReadiness = watchReadiness({ pool, logger, setServing: server.setServing });
  };
  return {
    start,
    stopSteps: [
      { name: 'readiness', run: () => stopReadiness?.() },
      { name: 'streams', run: () => revocations.stop() },
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS * CALLS_GRACE_SHARE) },
      { name: 'redis', run: () => redis.disconnect() },
      { name: 'database', run: () => pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): AuthServiceServer {
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, deps, handler);
  return {
    createAccount: call('CreateAccount', createCreateAccountHandler(deps)),
    getAccount: call('GetAccount', createGetAccountHandler(deps)),
    getPriceRules: call('GetPriceRules', createGetPriceRulesHandler(deps)),
    listAccounts: call('ListAccounts', createListAccountsHandler(deps)),
    createKey: call('CreateKey', createCreateKeyHandler(deps)),
    createDerivedKey: call('CreateDerivedKey', createCreateDerivedKeyHandler(deps)),
    listKeys: call('ListKeys', createListKeysHandler(deps)),
    getKey: call('GetKey', createGetKeyHandler(deps)),
    findKeys: call('FindKeys', createFindKeysHandler(deps)),
    getKeyPropagation: call('GetKeyPropagation', createGetKeyPropagationHandler(deps)),
    deleteKey: call('DeleteKey', createDeleteKeyHandler(deps)),
    updateKey: call('UpdateKey', createUpdateKeyHandler(deps)),
    rotateKey: call('RotateKey', createRotateKeyHandler(deps)),
    updateAccount: call('UpdateAccount', createUpdateAccountHandler(deps)),
    suspendAccount: call('SuspendAccount', createSuspendAccountHandler(deps)),
    resumeAccount: call('ResumeAccount', createResumeAccountHandler(deps)),
    listProjects: call('ListProjects', createListProjectsHandler(deps)),
    createProject: call('CreateProject', createCreateProjectHandler(deps)),
    updateProject: call('UpdateProject', createUpdateProjectHandler(deps)),
    deleteProject: call('DeleteProject', createDeleteProjectHandler(deps)),
    listServiceAccounts: call('ListServiceAccounts', createListServiceAccountsHandler(deps)),
    createServiceAccount: call('CreateServiceAccount', createCreateServiceAccountHandler(deps)),
    updateServiceAccount: call('UpdateServiceAccount', createUpdateServiceAccountHandler(deps)),
    deleteServiceAccount: call('DeleteServiceAccount', createDeleteServiceAccountHandler(deps)),
    listLimitTree: call('ListLimitTree', createListLimitTreeHandler(deps)),
    listProjectMembers: call('ListProjectMembers', createListProjectMembersHandler(deps)),
    updateProjectMember: call('UpdateProjectMember', createUpdateProjectMemberHandler(deps)),
    askForLimit: call('AskForLimit', createAskForLimitHandler(deps)),
    listLimitRequests: call('ListLimitRequests', createListLimitRequestsHandler(deps)),
    getLimitRequest: call('GetLimitRequest', createGetLimitRequestHandler(deps)),
    grantLimitRequest: call('GrantLimitRequest', createGrantLimitRequestHandler(deps)),
    declineLimitRequest: call('DeclineLimitRequest', createDeclineLimitRequestHandler(deps)),
    withdrawLimitRequest: call('WithdrawLimitRequest', createWithdrawLimitRequestHandler(deps)),
    listWatchers: call('ListWatchers', createListWatchersHandler(deps)),
    issueActorToken: call('IssueActorToken', createIssueActorTokenHandler(deps)),
    issueManagementKeyToken: call('IssueManagementKeyToken', createIssueManagementKeyTokenHandler(deps)),
    checkActor: call('CheckActor', createCheckActorHandler(deps)),
    beginViewAs: call('BeginViewAs', createBeginViewAsHandler(deps)),
    getCredential: call('GetCredential', createGetCredentialHandler(deps)),
    checkSession: call('CheckSession', createCheckSessionHandler(deps)),
    recordSession: call('RecordSession', createRecordSessionHandler(deps)),
    recordExport: call('RecordExport', createRecordExportHandler(deps)),
    getPerson: call('GetPerson', createGetPersonHandler(deps)),
    updatePerson: call('UpdatePerson', createUpdatePersonHandler(deps)),
    signInWithIdentity: call('SignInWithIdentity', createSignInWithIdentityHandler(deps)),
    ensureFirstOperator: call('EnsureFirstOperator', createEnsureFirstOperatorHandler(deps)),
    createPasswordReset: call('CreatePasswordReset', createCreatePasswordResetHandler(deps)),
    getPasswordReset: call('GetPasswordReset', createGetPasswordResetHandler(deps)),
    resetPassword: call('ResetPassword', createResetPasswordHandler(deps)),
    listMembers: call('ListMembers', createListMembersHandler(deps)),
    updateMember: call('UpdateMember', createUpdateMemberHandler(deps)),
    removeMember: call('RemoveMember', createRemoveMemberHandler(deps)),
    createInvitation: call('CreateInvitation', createCreateInvitationHandler(deps)),
    listInvitations: call('ListInvitations', createListInvitationsHandler(deps)),
    deleteInvitation: call('DeleteInvitation', createDeleteInvitationHandler(deps)),
    getInvitation: call('GetInvitation', createGetInvitationHandler(deps)),
    acceptInvitation: call('AcceptInvitation', createAcceptInvitationHandler(deps)),
    setAlertMails: call('SetAlertMails', createSetAlertMailsHandler(deps)),
    listEventsAfter: call('ListEventsAfter', createListEventsAfterHandler('auth', deps.pool)),
    listAlertRecipients: call('ListAlertRecipients', createListAlertRecipientsHandler(deps)),
    listOperators: call('ListOperators', createListOperatorsHandler(deps)),
    removeOperator: call('RemoveOperator', createRemoveOperatorHandler(deps)),
    createManagementKey: call('CreateManagementKey', createCreateManagementKeyHandler(deps)),
    listManagementKeys: call('ListManagementKeys', createListManagementKeysHandler(deps)),
    deleteManagementKey: call('DeleteManagementKey', createDeleteManagementKeyHandler(deps)),
    listAudit: call('ListAudit', createListAuditHandler(deps)),
    reportKeyUse: call('ReportKeyUse', createReportKeyUseHandler(deps)),
    resolveKey: call('ResolveKey', createResolveKeyHandler(deps)),
    watchRevocations: createWatchRevocationsHandler(deps),
  };
}
