import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { App } from './app.tsx';
import { TipLayer } from './components/tip.tsx';
import { Toasts } from './components/toast.tsx';
import { watchHistory } from './url/history.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');

watchHistory();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <App />
      <Toasts />
      <TipLayer />
    </QueryClientProvider>
  </StrictMode>,
);
