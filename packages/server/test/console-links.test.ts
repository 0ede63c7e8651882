import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/settings/config.ts';
import type { ConfigError } from '@clientele/directory';

const read = (CLIENTELE_CONSOLE_LINKS: string) =>
  readConfig({ DATABASE_URL: 'postgres://db.example/clientele', CLIENTELE_CONSOLE_LINKS }).console
    .links;

function faultsOf(text: string): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

describe('CLIENTELE_CONSOLE_LINKS', () => {
  test('are labels with addresses, separated by commas', () => {
    expect(
      read(
        'Orders=https://shop.example/orders?customer={uuid}&x=1, Help desk = https://help.example/{email}#{uuid} ,',
      ),
    ).toEqual([
      { label: 'Orders', url: 'https://shop.example/orders?customer={uuid}&x=1' },
      { label: 'Help desk', url: 'https://help.example/{email}#{uuid}' },
    ]);
    expect(read('')).toEqual([]);
  });

  test('are eight at most, each with a label of its own', () => {
    const links = Array.from({ length: 9 }, (_, n) => `L${n}=https://shop.example/${n}`);
    expect(read(links.slice(0, 8).join())).toHaveLength(8);
    expect(faultsOf(links.join())).toEqual(['CLIENTELE_CONSOLE_LINKS may have at most 8 links']);
    expect(faultsOf('A=https://a.example,A=https://b.example')).toEqual([
      'CLIENTELE_CONSOLE_LINKS must have a different label for each link',
    ]);
  });

  test.each([
    ['https://shop.example/{uuid}', /label=address/],
    ['=https://shop.example/{uuid}', /label=address/],
    ['Orders=', /label=address/],
    [`${'x'.repeat(41)}=https://shop.example/{uuid}`, /label of at most 40/],
    ['Orders=http://shop.example/{uuid}', /https:\/\//],
    ['Orders=javascript:alert(1)', /https:\/\//],
    ['Orders=shop.example/{uuid}', /complete address/],
    ['Orders=https://shop.example/{uuid} x', /complete address/],
    ['Orders=https://shop.example/{phone}', /no other braces/],
    ['Orders=https://shop.example/{{uuid}}', /no other braces/],
    ['Orders=https://{email}/', /host/],
    ['Orders=https://shop.{uuid}.example/', /host/],
    ['Orders=https://user:secret@shop.example/{uuid}', /user or a password/],
  ])('%s is refused at the start, without repeating it', (text, why) => {
    const [fault, ...others] = faultsOf(`First=https://first.example/{uuid},${text}`);
    expect(fault).toMatch(/^CLIENTELE_CONSOLE_LINKS: link 2 /);
    expect(fault).toMatch(why);
    expect(fault).not.toContain('secret');
    expect(others).toEqual([]);
  });
});
