import { changeSettings, csvFormats, useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';

/** For spreadsheets, or unchanged for other programs. Remembered for the next export. */
export function CsvFormatChoice() {
  const { t } = useText();
  const { csvFormat } = useSettings();
  return (
    <fieldset className="csv-format">
      <legend className="hidden">{t('csv.format')}</legend>
      {csvFormats.map((format) => (
        <label key={format}>
          <input
            type="radio"
            name="csv-format"
            checked={csvFormat === format}
            onChange={() => changeSettings({ csvFormat: format })}
          />
          <span>
            {t(`csv.${format}`)}
            <small>{t(`csv.${format}Why`)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
