import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { hearOtherTabs } from './api/other-tabs.ts';
import { createQueryClient, readAgain } from './api/queries.ts';
import { App } from './app.tsx';
import { TipLayer } from './components/tip.tsx';
import { Toasts } from './components/toast.tsx';
import { watchHistory } from './url/history.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');

watchHistory();
const client = createQueryClient();
hearOtherTabs((routes) => void readAgain(client, routes));
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
      <Toasts />
      <TipLayer />
    </QueryClientProvider>
  </StrictMode>,
);
