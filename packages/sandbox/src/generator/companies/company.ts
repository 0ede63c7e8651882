/**
 * Fictional companies. Each country has its own numbered ones: number 1 employs many customers, the
 * last ones very few. A number always gives the same name and e-mail domain.
 */
import { composed, type Person, type Word, words } from '../names/person.ts';
import { type Draw, Random, skewed } from '../random.ts';

export interface Company {
  name: string;
  domain: string;
}

export interface CompanyVocabulary {
  /** `{brand}`, `{family}`, `{trade}` and `{form}` are placeholders; everything else is literal. */
  patterns: string[];
  brand: Draw<Word>;
  trade: Draw<Word>;
  form: Draw<string>;
}

/** Meaningless brand names for all languages in Latin letters. */
const coined = composed(
  words(`nor vel tri lum bran cal or sol mer tal ven qua zen arc bel cor dex el fin gal hex in jas kor
    lan mag nex op pri rho sar tor ul vor wex xan yor zed alt bri cir dra em fra gen hal ist kem lor
    mon nav ost pla rem sil tec umb vis wil bor dal fer gro hul`),
  words('∅ a i o an er en u is'),
  words(`tex dyn via core nova mark line tron vent plan form tek nor flux mont lex dor wave rix sys
    gen ton vale lith con mer zon pak loc dis met`),
);

/** A vocabulary from plain lists. Legal forms and patterns are listed most common first. */
export function vocabulary(
  patterns: string[],
  trades: Word[],
  forms: string[],
  brand = coined,
): CompanyVocabulary {
  return { patterns, brand, trade: skewed(trades, 0.6), form: skewed(forms) };
}

const perCountry = 600_000;
const own = new Random();

/** Draws the companies of one country. Some are named after a founder from `people`. */
export function companiesOf(
  { patterns, brand, trade, form }: CompanyVocabulary,
  people: Draw<Person>,
  key: number,
): Draw<Company> {
  const pattern = skewed(
    patterns.map((text) => text.split(/(\{\w+\})/).filter((part) => part !== '')),
    0.7,
  );
  const sources: Record<string, Draw<Word>> = {
    '{brand}': brand,
    '{trade}': trade,
    '{family}': (random) => people(random).family,
    '{form}': (random) => ({ text: form(random), latin: '' }),
  };
  return (customer) => {
    const rank = Math.floor(perCountry ** customer.unit());
    own.restart(key, rank);
    let name = '';
    let domain = '';
    for (const part of pattern(own)) {
      const word = sources[part]?.(own);
      name += word?.text ?? part;
      if (word && domain.length < 24) domain += word.latin;
    }
    return { name, domain: `${domain || 'office'}.example` };
  };
}
