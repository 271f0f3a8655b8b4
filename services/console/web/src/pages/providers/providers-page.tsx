import type { Item } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Table } from '../../components/table/table.tsx';
import { plural } from '../../format/number.ts';
import { DEPLOYMENT_COLUMNS } from './columns.tsx';

export type Provider = Item<'GET /operator/providers'>;
export type Deployment = Provider['deployments'][number];

/** How each deployment fared over the last 15 minutes. */
export function ProvidersPage() {
  const providers = useRead('GET /operator/providers', {}, { refetchInterval: 5_000 });
  const rows = providers.data?.data;
  const outside = rows?.flatMap(({ deployments }) => deployments).filter(({ in_rotation }) => !in_rotation) ?? [];
  return (
    <Page
      title="Providers"
      about={
        outside.length === 0
          ? 'Requests of the last 15 minutes, at all routers.'
          : `${plural(outside.length, 'deployment')} out of rotation at one router or more. Requests of the last 15 minutes.`
      }
    >
      {providers.isError && rows === undefined && (
        <ErrorNote title="The providers could not be loaded." error={providers.error} onRetry={providers.refetch} />
      )}
      {providers.isPending && <SkeletonBlock height={240} />}
      {rows?.length === 0 && (
        <Empty title="No providers">
          <p>The catalogue file defines providers, models and deployments.</p>
        </Empty>
      )}
      {rows?.map((provider) => (
        <Section
          key={provider.provider}
          title={provider.provider}
          about={
            <>
              {provider.protocol} at <code>{provider.base_url}</code>
            </>
          }
          actions={
            <>
              {provider.simulated && <Badge tone="neutral">Simulated</Badge>}
              <ButtonLink size="small" href={`/operator/providers/${encodeURIComponent(provider.provider)}/bills`}>
                Bills
              </ButtonLink>
            </>
          }
        >
          <Table
            label={`Deployments of ${provider.provider}`}
            columns={DEPLOYMENT_COLUMNS}
            rows={provider.deployments}
            rowId={({ deployment }) => deployment}
          />
        </Section>
      ))}
    </Page>
  );
}
