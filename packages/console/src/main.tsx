import { createCustomersService, isApiError } from '@clientele/client';
import { CustomersProvider, keepingFirstRows } from '@clientele/client/react';
import { notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadConfig } from './config.ts';
import { noteDataAge } from './customers/data-age.ts';
import { ExportServiceContext } from './customers/use-export.ts';
import { comeBack, leaveToSignIn } from './session/returning.ts';
import { createSessionService } from './session/session.ts';
import { announceSignIn, endSession, SessionServiceContext } from './session/use-session.ts';
import { getSettings } from './settings.ts';
import { CurrencyContext } from './text/text.ts';
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet has nothing to name
import './styles/index.css';

// Before the first paint: a dark theme must not flash light.
document.documentElement.dataset['theme'] = getSettings().theme;

// Render answers immediately. TanStack Query's default is a timer, which queues behind other tasks.
notifyManager.setScheduler(queueMicrotask);

const { refusal, hasSignedIn } = comeBack();
if (hasSignedIn) announceSignIn();

const { apiUrl, currency, provider } = await loadConfig();
const providerChoice =
  provider === null ? null : { name: provider, refusal, go: () => leaveToSignIn(apiUrl) };
const options = {
  baseUrl: apiUrl,
  fetch: (url: string, init: RequestInit) => fetch(url, { ...init, credentials: 'include' }),
  perPage: 25,
};
const exportService = createCustomersService({
  ...options,
  headers: { 'clientele-purpose': 'export' },
});
const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (isApiError(error) && error.status === 401) endSession(queryClient);
    },
  }),
});

const shownService = createCustomersService({
  ...options,
  fetch: async (url, init) => {
    const response = await options.fetch(url, init);
    noteDataAge(url, response);
    return response;
  },
});
const service = keepingFirstRows(shownService, queryClient);

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queryClient}>
    <CustomersProvider service={service}>
      <SessionServiceContext value={createSessionService(apiUrl)}>
        <CurrencyContext value={currency}>
          <ExportServiceContext value={exportService}>
            <App provider={providerChoice} />
          </ExportServiceContext>
        </CurrencyContext>
      </SessionServiceContext>
    </CustomersProvider>
  </QueryClientProvider>,
);
