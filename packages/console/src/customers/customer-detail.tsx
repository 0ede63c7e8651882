import { customerKeys, isApiError } from '@clientele/client';
import { useCustomer } from '@clientele/client/react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { keepRecent } from '../kept.ts';
import { useText } from '../text/text.ts';
import { explain, retryAt } from '../ui/explain.ts';
import { Icon } from '../ui/icon.tsx';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { RetryButton } from '../ui/retry-button.tsx';
import { CustomerContact } from './customer-contact.tsx';
import { CustomerFigures } from './customer-figures.tsx';
import { CustomerLinks } from './customer-links.tsx';
import { CustomerRelations } from './customer-relations.tsx';

interface Props {
  id: string;
  /** The buttons above the customer. */
  tools: ReactNode;
}

/** One customer, next to the list or on its own page. */
export function CustomerDetail({ id, tools }: Props) {
  const text = useText();
  const { t } = text;
  const { customer: known, error, refetch } = useCustomer(id);
  // A row of the list stays beside the error, also of a customer that was erased.
  const customer = isApiError(error, 'customer-not-found') ? undefined : known;
  const queryClient = useQueryClient();

  useEffect(() => {
    if (customer) document.title = `${customer.name} · Clientele`;
    return () => void (document.title = 'Clientele');
  }, [customer]);

  useEffect(() => {
    if (customer) keepRecent(customer.id);
  }, [customer]);

  if (error && !customer) {
    const problem = explain(error, text);
    const failedAt = queryClient.getQueryState(customerKeys.detail(id))?.errorUpdatedAt ?? 0;
    return (
      <div className="detail">
        <div className="tools">{tools}</div>
        <ProblemScreen {...problem}>
          {problem.canRetry && (
            <RetryButton
              at={retryAt(error, failedAt)}
              retry={() => void refetch()}
              isAutomatic={problem.mayPass}
            />
          )}
        </ProblemScreen>
      </div>
    );
  }
  return (
    <div className="detail" aria-busy={!customer}>
      <div className="tools">{tools}</div>
      {customer && (
        // Keyed, so that another customer takes the focus and drops the message about the last copy.
        <article key={customer.id}>
          <h2 ref={focusOnMount} tabIndex={-1} dir="auto">
            {customer.name}
          </h2>
          <div className="facts">
            <p className="under-name">
              <span dir="auto">{customer.company ?? t('value.noCompany')}</span>
              <span className={customer.isVerified ? 'badge verified' : 'badge'}>
                {customer.isVerified && <Icon name="check" />}
                {t(customer.isVerified ? 'value.verified' : 'value.unverified')}
              </span>
            </p>
            <CustomerContact customer={customer} />
            <CustomerLinks customer={customer} />
            <CustomerFigures customer={customer} />
            <CustomerRelations customer={customer} />
          </div>
        </article>
      )}
    </div>
  );
}

/** Screen readers announce the customer, and the keyboard continues from here. */
const focusOnMount = (heading: HTMLElement | null) => heading?.focus({ preventScroll: true });
