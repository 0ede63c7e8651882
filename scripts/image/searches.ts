/** Many different searches, made of the names, companies and addresses of the customers themselves. */

import type { WireCustomer, WireCustomerList } from '@clientele/contract';

export class Searcher {
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  /** Responses with 503, after which the search was sent again. */
  refused = 0;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async page(parameters: Record<string, string>): Promise<WireCustomerList> {
    const query = new URLSearchParams(parameters).toString();
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${this.#origin}/v3/customers?${query}`, {
        headers: this.#headers,
      });
      if (response.ok) return (await response.json()) as WireCustomerList;
      const body = await response.text();
      if (response.status !== 503 || attempt === 5) {
        throw new Error(`the search ${query} got ${response.status}: ${body}`);
      }
      this.refused++;
    }
  }

  async distinctSearches(count: number): Promise<string[]> {
    const searches = new Set<string>();
    for (let page = 1; searches.size < count; page++) {
      const { data } = await this.page({ page: String(page), perPage: '100' });
      if (data.length === 0) throw new Error(`there are only ${searches.size} searches`);
      for (const search of data.flatMap(searchesFor)) searches.add(search);
    }
    return [...searches].slice(0, count);
  }

  /** Eight at a time. Each must find the customer that it was made of. */
  async runAll(searches: string[]): Promise<void> {
    const rest = searches.values();
    const work = async (): Promise<void> => {
      for (const search of rest) {
        const { pagination } = await this.page({ search });
        if (pagination.total < 1) throw new Error(`the search ${search} found nobody`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
  }
}

/** From broad ones, the first letters of a word, to narrow ones, a whole address. */
function searchesFor(customer: WireCustomer): string[] {
  const words = `${customer.full_name} ${customer.company_name ?? ''}`.toLowerCase().split(' ');
  return [
    customer.email_address.toLowerCase(),
    ...words.flatMap((word) => [2, 3, 4, 6].map((length) => [...word].slice(0, length).join(''))),
  ].filter((search) => search.length > 1);
}
