import { expect, openList, rows, test } from './test.ts';

test('says how old the rows are; five minutes are honoured; Refresh asks at once', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v3/customers')) asked.push(request.url());
  });
  await openList(page, '/?search=garcia');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  expect(asked).toHaveLength(2);

  await page.clock.fastForward('03:10');
  await expect(page.getByText('Updated 3 minutes ago')).toBeVisible();
  await page.goBack();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  expect(asked, 'within five minutes nothing is asked').toHaveLength(2);

  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Updated just now')).toBeVisible();
  expect(asked).toHaveLength(3);

  await page.clock.fastForward('05:10');
  await page.goForward();
  await expect.poll(() => asked.length, 'after five minutes it is asked for again').toBe(4);
  await expect(rows(page)).toHaveCount(25);
});
