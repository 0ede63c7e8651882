/** No screen has an axe violation, in both languages and themes, and in forced colours. */
import { visitEveryScreen } from './every-screen.ts';
import { expectNoViolations, test } from './test.ts';

const modes = (['en', 'de'] as const)
  .flatMap((language) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ language, colorScheme })),
  )
  .flatMap((mode) =>
    (['none', 'active'] as const).map((forcedColors) => ({ ...mode, forcedColors })),
  );
/** With each commit, each language and each theme once; the others, and forced colours, at night. */
const everyCommit = new Set(['en light none', 'de dark none']);

for (const { language, colorScheme, forcedColors } of modes) {
  const mode = `${language} ${colorScheme} ${forcedColors}`;
  if (!process.env['NIGHTLY'] && !everyCommit.has(mode)) continue;
  test(`no screen has an axe violation: ${language}, ${colorScheme}, forced colours ${forcedColors}`, async ({
    browser,
    service,
    extraHTTPHeaders,
  }) => {
    const context = await browser.newContext({
      locale: { en: 'en-GB', de: 'de-DE' }[language],
      colorScheme,
      forcedColors,
      baseURL: service.url,
      extraHTTPHeaders: extraHTTPHeaders!,
    });
    const page = await context.newPage();
    const look = (screen: string) => expectNoViolations(page, screen);
    await visitEveryScreen({ page, service, language, look });
    await context.close();
  });
}
