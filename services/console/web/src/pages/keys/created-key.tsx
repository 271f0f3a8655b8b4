import { clientSetups } from '@tollgate/client-setups/clients';
import { useMemo } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useConfig } from '../../api/session.ts';
import { Code } from '../../components/code.tsx';
import { Secret } from '../../components/secret.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { FirstRequest } from './first-request.tsx';
import styles from './keys.module.css';

/** The value of a new key, once, with ready lines for every client, and the first request when it comes. */
export function CreatedKey({ created: { key, secret } }: { created: Output<'POST /accounts/{account_id}/keys'> }) {
  return (
    <>
      <p>Copy the key now. It is not stored, and cannot be shown again.</p>
      <Secret label="Key" text={secret} />
      <Snippets secret={secret} allowedModels={key.allowed_models} />
      <FirstRequest keyId={key.key_id} since={key.created_at} />
    </>
  );
}

interface SnippetsProps {
  secret: string | null;
  /** Empty: all. */
  allowedModels: readonly string[];
}

/** How to use the gateway from each client. */
export function Snippets({ secret, allowedModels }: SnippetsProps) {
  const { accountId } = useAccount();
  const config = useConfig();
  const models = useRead('GET /accounts/{account_id}/models', { path: { account_id: accountId } });
  const snippets = useMemo(() => {
    if (config === undefined || models.data === undefined) return undefined;
    const callable = models.data.data.filter(
      ({ model, enabled, protocols }) =>
        enabled && protocols.length > 0 && (allowedModels.length === 0 || allowedModels.includes(model)),
    );
    const model = callable.find(({ available }) => available) ?? callable[0];
    return clientSetups({
      baseUrl: config.base_url,
      serviceName: config.service_name,
      secret,
      model: model?.model ?? allowedModels[0] ?? 'MODEL',
      contextWindow: model?.context_window ?? null,
      maxOutputTokens: model?.max_output_tokens ?? null,
      inputModalities: model?.input_modalities ?? [],
    });
  }, [config, models.data, secret, allowedModels]);
  if (snippets === undefined) return null;
  return (
    <Tabs
      label="Clients"
      tabs={snippets.map(({ id, label, blocks, note }) => ({
        id,
        title: label,
        content: (
          <div className={styles['blocks']}>
            {blocks.map(({ title, code }) => (
              <div key={title}>
                <p className="muted small">{title}</p>
                <Code text={code} what={`${label}: ${title}`} />
              </div>
            ))}
            {note !== null && <p className="muted small">{note}</p>}
          </div>
        ),
      }))}
    />
  );
}
