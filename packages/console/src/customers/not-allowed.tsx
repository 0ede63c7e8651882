import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';

/** Above the list: why the search or the customers that others have are missing. The menu of the session has the rest. */
export function NotAllowed() {
  const { t } = useText();
  const allowed = useAllowed();
  const missing = (['search', 'open'] as const).filter((name) => !allowed[name]);
  if (missing.length === 0) return null;
  return <p className="not-allowed">{missing.map((name) => t(`notAllowed.${name}`)).join(' ')}</p>;
}

/** Instead of the list. */
export function NoList() {
  const { t } = useText();
  const { open } = useAllowed();
  return (
    <main id="main" tabIndex={-1}>
      <ProblemScreen
        title={t('notAllowed.list.title')}
        text={t(open ? 'notAllowed.list.open' : 'notAllowed.list.text')}
      />
    </main>
  );
}
