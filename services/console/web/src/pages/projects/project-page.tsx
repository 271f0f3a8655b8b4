import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote, Note } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { KeyStatus } from '../keys/key-status.tsx';
import { CapsCell, LimitsCell, ModelsCell } from '../shared/limits/limit-cells.tsx';
import { useChangeProject } from './change-project.ts';
import { DeleteProjectDialog } from './delete-project-dialog.tsx';
import type { Project } from './nodes.ts';
import { ProjectDefaults } from './project-defaults.tsx';
import { ProjectKeys } from './project-keys.tsx';
import { ProjectMembers } from './project-members.tsx';
import { ProjectSettings } from './project-settings.tsx';
import { ServiceAccounts } from './service-accounts.tsx';
import { useProjects } from './use-projects.ts';

/** One project: its settings, service accounts, members and keys. */
export function ProjectPage() {
  const { href } = useAccount();
  const { project_id: projectId = '' } = useParams();
  const { list, projects, isIncomplete } = useProjects();
  const project = projects?.find((each) => each.project_id === projectId);
  if (project !== undefined) return <LoadedProject key={project.project_id} project={project} />;
  return (
    <Page title="Project">
      {list.isError ? (
        <ErrorNote title="The project could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : projects === undefined || isIncomplete ? (
        <SkeletonBlock height={320} />
      ) : (
        <Empty title="No such project" action={<Link href={href('/projects')}>Show all projects</Link>}>
          <p>It may be deleted.</p>
        </Empty>
      )}
    </Page>
  );
}

function LoadedProject({ project }: { project: Project }) {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [deleting, setDeleting] = useState(false);
  const change = useChangeProject('The project was not changed.');
  const mayChange = account.may('operator', 'owner', 'admin');
  const node = params['node'];
  return (
    <Page
      title={project.name}
      about={
        <span className="row">
          <KeyStatus status={project.status} />
          {project.is_default && <span>Keys without another project are in it.</span>}
        </span>
      }
      actions={
        mayChange && (
          <>
            <ButtonLink href={account.href(`/limits?project=${project.project_id}`)}>Limits</ButtonLink>
            {!project.is_default && (
              <Button onPress={() => change.switchTo(project, !project.enabled)}>
                {project.enabled ? 'Switch off' : 'Switch on'}
              </Button>
            )}
            {!project.is_default && (
              <Button look="danger" onPress={() => setDeleting(true)}>
                Delete project
              </Button>
            )}
          </>
        )
      }
    >
      {project.status === 'off' && (
        <Note tone="warn">This project is switched off: requests with its keys are refused.</Note>
      )}
      {project.status === 'expired' && (
        <Note tone="warn">
          This project has expired: requests with its keys are refused. Set a later time to use it again.
        </Note>
      )}
      <Facts
        facts={[
          { label: 'Caps', value: <CapsCell caps={project.caps} isWhole /> },
          { label: 'Limits', value: <LimitsCell limits={project.limits} isWhole /> },
          { label: 'Models', value: <ModelsCell ids={project.allowed_models} isWhole /> },
          ...(project.is_default
            ? []
            : [
                {
                  label: 'Expires',
                  value: project.expires_at === null ? 'Never' : <Time value={project.expires_at} />,
                },
              ]),
          { label: 'Created', value: <Time value={project.created_at} /> },
          ...(project.created_by === null ? [] : [{ label: 'Created by', value: project.created_by.name }]),
        ]}
      />
      {mayChange && (
        <Section
          title="Settings"
          about="For all keys of the project together, at every ingress as soon as it is saved."
        >
          <ProjectSettings
            project={project}
            raise={{
              period: node === undefined || node === project.project_id ? params['raise'] : undefined,
              onRaising: () => setParams({ raise: undefined, node: undefined }),
            }}
          />
        </Section>
      )}
      {mayChange && (
        <Section
          title="Defaults"
          about="The most that each of what is below the project may spend, unless it is set to less, or lifted above its default."
        >
          <ProjectDefaults project={project} />
        </Section>
      )}
      <ServiceAccounts project={project} />
      {account.is('operator', 'owner', 'admin') && <ProjectMembers project={project} />}
      <ProjectKeys project={project} />
      {deleting && <DeleteProjectDialog project={project} onClose={() => setDeleting(false)} />}
    </Page>
  );
}
