import { unaryCall } from '@tollgate/common/grpc/client';
import {
  CreateProjectRequest,
  CreateServiceAccountRequest,
  type Project,
  type ProjectMember,
  type ServiceAccount,
  UpdateProjectMemberRequest,
  UpdateProjectRequest,
  UpdateServiceAccountRequest,
} from '@tollgate/proto/auth';
import { type AuthUnderTest, required } from './auth-under-test.ts';

type Given<Request extends { fromPartial: (given: never) => unknown }> = Parameters<Request['fromPartial']>[0];
type Settings = NonNullable<Given<typeof CreateProjectRequest>['settings']>;

/** Projects, service accounts and members of one account, as an operator changes them. */
export class Nodes {
  readonly #client: AuthUnderTest['client'];
  readonly accountId: string;
  readonly #options: { deadlineMs: number };

  constructor({ client }: AuthUnderTest, accountId: string, deadlineMs = 20_000) {
    this.#client = client;
    this.accountId = accountId;
    this.#options = { deadlineMs };
  }

  async createProject(name: string, settings: Settings = {}): Promise<Project> {
    const { accountId } = this;
    const request = CreateProjectRequest.fromPartial({ accountId, name, settings });
    const client = this.#client;
    return required((await unaryCall(client.createProject.bind(client), request, this.#options)).project);
  }

  async updateProject(projectId: string, settings: Settings, name?: string): Promise<Project> {
    const { accountId } = this;
    const request = UpdateProjectRequest.fromPartial({ accountId, projectId, settings, name });
    const client = this.#client;
    return required((await unaryCall(client.updateProject.bind(client), request, this.#options)).project);
  }

  async deleteProject(projectId: string): Promise<Project> {
    const client = this.#client;
    const request = { accountId: this.accountId, projectId };
    return required((await unaryCall(client.deleteProject.bind(client), request, this.#options)).project);
  }

  async projects(limit = 100, cursor = ''): Promise<{ data: Project[]; nextCursor: string }> {
    const client = this.#client;
    const request = { accountId: this.accountId, limit, cursor };
    return unaryCall(client.listProjects.bind(client), request, this.#options);
  }

  async createServiceAccount(projectId: string, name: string, settings: Settings = {}): Promise<ServiceAccount> {
    const { accountId } = this;
    const request = CreateServiceAccountRequest.fromPartial({ accountId, projectId, name, settings });
    const client = this.#client;
    return required((await unaryCall(client.createServiceAccount.bind(client), request, this.#options)).serviceAccount);
  }

  async updateServiceAccount(
    { projectId, serviceAccountId }: Pick<ServiceAccount, 'projectId' | 'serviceAccountId'>,
    settings: Settings,
    name?: string,
  ): Promise<ServiceAccount> {
    const { accountId } = this;
    const given = { accountId, projectId, serviceAccountId, settings, name };
    const request = UpdateServiceAccountRequest.fromPartial(given);
    const client = this.#client;
    return required((await unaryCall(client.updateServiceAccount.bind(client), request, this.#options)).serviceAccount);
  }

  async deleteServiceAccount({
    projectId,
    serviceAccountId,
  }: Pick<ServiceAccount, 'projectId' | 'serviceAccountId'>): Promise<ServiceAccount> {
    const client = this.#client;
    const request = { accountId: this.accountId, projectId, serviceAccountId };
    return required((await unaryCall(client.deleteServiceAccount.bind(client), request, this.#options)).serviceAccount);
  }

  async serviceAccounts(projectId: string): Promise<ServiceAccount[]> {
    const client = this.#client;
    const request = { accountId: this.accountId, projectId, limit: 100, cursor: '' };
    return (await unaryCall(client.listServiceAccounts.bind(client), request, this.#options)).data;
  }

  async updateMember(projectId: string, personId: string, settings: Settings): Promise<ProjectMember> {
    const { accountId } = this;
    const request = UpdateProjectMemberRequest.fromPartial({ accountId, projectId, personId, settings });
    const client = this.#client;
    return required((await unaryCall(client.updateProjectMember.bind(client), request, this.#options)).member);
  }

  async members(projectId: string): Promise<ProjectMember[]> {
    const client = this.#client;
    const request = { accountId: this.accountId, projectId, limit: 100, cursor: '' };
    return (await unaryCall(client.listProjectMembers.bind(client), request, this.#options)).data;
  }
}
