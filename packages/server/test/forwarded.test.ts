/** A proxy that is not trusted is reported once, because all its clients share one address. */
import { startTestService } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';

const warnings = (logged: string): string[] =>
  logged.split('\n').filter((line) => line.includes('X-FORWARDED-FOR IS IGNORED'));

const forwarded = { 'x-forwarded-for': '203.0.113.7' };

test('X-Forwarded-For from an untrusted peer is reported once, without the address', async () => {
  await using service = await startTestService();
  await service.get('/livez');
  expect(warnings(service.logged())).toEqual([]);
  for (let n = 1; n <= 3; n += 1) await service.get('/livez', forwarded);
  const [warning, ...more] = warnings(service.logged());
  expect(JSON.parse(warning!)).toMatchObject({
    level: 'warn',
    msg: expect.stringContaining('CLIENTELE_TRUSTED_PROXIES'),
  });
  expect(more, 'once').toEqual([]);
  expect(service.logged()).not.toContain('203.0.113.7');
});

test('X-Forwarded-For from a trusted proxy is not reported, and from any other peer it is', async () => {
  await using service = await startTestService({ CLIENTELE_TRUSTED_PROXIES: '127.0.0.0/8' });
  for (const headers of [forwarded, { 'x-forwarded-for': '127.0.0.1' }, forwarded]) {
    await service.get('/livez', headers);
  }
  expect(warnings(service.logged())).toEqual([]);
  const remoteAddress = '198.51.100.1';
  await service.app.inject({ url: '/livez', headers: forwarded, remoteAddress });
  expect(warnings(service.logged())).toHaveLength(1);
});
