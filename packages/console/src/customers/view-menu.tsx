import { useAllowed } from '../session/allowed.ts';
import { changeSettings, useSettings } from '../settings.ts';
import type { MessageName } from '../text/messages.ts';
import { useText } from '../text/text.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { chosenColumns, listColumns } from './columns.tsx';
import { useFittingColumns } from './use-fitting-columns.ts';

/** Columns, row height, theme and language. */
export function ViewMenu() {
  const { t } = useText();
  const settings = useSettings();
  const chosen = chosenColumns(settings.columns);
  const fitting = useFittingColumns();
  const { contact } = useAllowed();
  const label = (
    <>
      {t('view')} <Icon name="down" />
    </>
  );
  return (
    <Disclosure label={label} className="button">
      <div className="view-menu">
        <fieldset>
          <legend>{t('view.columns')}</legend>
          {listColumns.map((column) => (
            <label key={column.name}>
              <input
                type="checkbox"
                checked={chosen.includes(column)}
                onChange={({ target }) =>
                  changeSettings({
                    columns: listColumns
                      .filter((each) => (each === column ? target.checked : chosen.includes(each)))
                      .map(({ name }) => name),
                  })
                }
              />
              <span>
                {t(column.label)}
                {chosen.includes(column) && !fitting.includes(column) && (
                  <small>
                    {' '}
                    ({t(!contact && column.isContact ? 'value.hidden' : 'view.noRoom')})
                  </small>
                )}
              </span>
            </label>
          ))}
        </fieldset>
        <div>
          <Choice
            name="density"
            legend={t('view.density')}
            value={settings.density}
            choices={{ regular: 'view.regular', dense: 'view.dense' }}
            choose={(density) => changeSettings({ density })}
          />
          <Choice
            name="theme"
            legend={t('view.theme')}
            value={settings.theme}
            choices={{ system: 'view.system', light: 'view.light', dark: 'view.dark' }}
            choose={(theme) => changeSettings({ theme })}
          />
          <fieldset>
            <legend>{t('view.language')}</legend>
            {(['en', 'de'] as const).map((language) => (
              <label key={language} lang={language}>
                <input
                  type="radio"
                  name="language"
                  checked={settings.language === language}
                  onChange={() => changeSettings({ language })}
                />
                {language === 'en' ? 'English' : 'Deutsch'}
              </label>
            ))}
          </fieldset>
        </div>
      </div>
    </Disclosure>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  legend: string;
  value: T;
  choices: Record<T, MessageName>;
  choose: (value: T) => void;
}

function Choice<T extends string>({ name, legend, value, choices, choose }: ChoiceProps<T>) {
  const { t } = useText();
  return (
    <fieldset>
      <legend>{legend}</legend>
      {(Object.keys(choices) as T[]).map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={value === each} onChange={() => choose(each)} />
          {t(choices[each])}
        </label>
      ))}
    </fieldset>
  );
}
