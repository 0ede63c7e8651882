import { go, hrefOf, type Address } from '../address.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { CustomerDetail } from './customer-detail.tsx';
import type { Step } from './use-steps.ts';

interface ToolsProps {
  address: Address;
  /** Undefined if the customer is not in the list. */
  step: Step | undefined;
  close: () => void;
}

/** The open customer, next to the list or on its own page. */
export function CustomerPane({ id, ...props }: ToolsProps & { id: string }) {
  const { t } = useText();
  const narrow = useNarrow();
  const allowed = useAllowed();
  const tools = <Tools {...props} />;
  const detail = allowed.open ? (
    <CustomerDetail id={id} tools={tools} />
  ) : (
    <div className="detail">
      <div className="tools">{tools}</div>
      <ProblemScreen title={t('problem.forbidden.title')} text={t('notAllowed.open')} />
    </div>
  );
  if (props.address.alone) {
    return (
      <main id="main" className="alone" tabIndex={-1}>
        {detail}
      </main>
    );
  }
  return (
    // On a narrow screen it replaces the list and becomes the main content.
    <div
      className="panel"
      role={narrow ? 'main' : 'complementary'}
      aria-label={t('customer.label')}
    >
      {detail}
    </div>
  );
}

function Tools({ address, step, close }: ToolsProps) {
  const { t } = useText();
  const ownPage: Address = { ...address, alone: true };
  return (
    <>
      {address.alone && (
        <Link
          className="button"
          href={hrefOf({ ...address, alone: false, customer: null })}
          follow={close}
        >
          <Icon name="left" /> {t('customer.back')}
        </Link>
      )}
      <span className="spring" />
      {step && (
        <>
          <ToolButton
            icon="up"
            label={t('customer.previous')}
            shortcut="k"
            onClick={() => step(-1)}
          />
          <ToolButton icon="down" label={t('customer.next')} shortcut="j" onClick={() => step(1)} />
        </>
      )}
      {!address.alone && (
        <>
          <Link
            className="button bare"
            href={hrefOf(ownPage)}
            follow={() => go(ownPage, 'push')}
            aria-label={t('customer.alone')}
            title={t('customer.alone')}
          >
            <Icon name="out" />
          </Link>
          <ToolButton icon="close" label={t('close')} shortcut="Esc" onClick={close} />
        </>
      )}
    </>
  );
}

interface ToolButtonProps {
  icon: 'up' | 'down' | 'close';
  label: string;
  shortcut: string;
  onClick: () => void;
}

function ToolButton({ icon, label, shortcut, onClick }: ToolButtonProps) {
  return (
    <button
      type="button"
      className="button bare"
      aria-label={label}
      title={`${label} (${shortcut})`}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
