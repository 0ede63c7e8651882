import { checkCustomerDetail, checkCustomerList } from '#contract-check';
import { type Fetch, getJson, type HeadersInput } from './http.ts';
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

/** The settings of {@link createCustomersService}. */
export interface CustomersServiceOptions {
  /** Where the service is; `/v3/customers` is added. May be relative in a browser: `''`, `'/api'`. */
  baseUrl: string | URL;
  /** Another `fetch`: for tests, cookies, tracing, timeouts. The platform's by default. */
  fetch?: Fetch | undefined;
  /** Sent with every request. A function is called for each one, so that tokens stay fresh. */
  headers?: HeadersInput | (() => HeadersInput | Promise<HeadersInput>) | undefined;
  /** The page size of this application: 1 to 100. The service's own default (25) if not given. */
  perPage?: number | undefined;
}

/** What `service.list` can be asked. */
export interface ListCustomersParams {
  /** Counted from 1, which is the default. */
  page?: number | undefined;
  search?: string | undefined;
  /** For this request only, in place of the service's setting. */
  perPage?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The two reads. Answers are wire data, as they came. Nothing is caught, retried or cached here:
 * see {@link ApiError} for what is thrown.
 */
export interface CustomersService {
  /** The setting, which list keys leave out. */
  readonly perPage?: number | undefined;
  /** One page, newest customers first. */
  list(params?: ListCustomersParams): Promise<WireCustomerList>;
  /** One customer, or an {@link ApiError} with the code `customer-not-found`. */
  get(id: string, options?: { signal?: AbortSignal | undefined }): Promise<WireCustomerDetail>;
}

/**
 * Makes the service layer. Runs wherever `fetch` does.
 *
 * @example
 * const service = createCustomersService({
 *   baseUrl: 'https://customers.example',
 *   headers: async () => ({ authorization: `Bearer ${await currentToken()}` }),
 * });
 * const { data, pagination } = await service.list({ search: 'anna' });
 */
export function createCustomersService(options: CustomersServiceOptions): CustomersService {
  const root = `${String(options.baseUrl).replace(/\/+$/, '')}/v3/customers`;
  // Looked up per request: patched and polyfilled `fetch`es count, whenever they come.
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  async function get(url: string, signal: AbortSignal | undefined): Promise<unknown> {
    const { headers } = options;
    const resolved = typeof headers === 'function' ? await headers() : headers;
    return getJson(fetch, url, { headers: resolved ?? {}, signal: signal ?? null });
  }

  return {
    perPage: options.perPage,

    async list({ page = 1, search = '', perPage = options.perPage, signal } = {}) {
      const query = new URLSearchParams({ page: String(page), search });
      if (perPage !== undefined) query.set('perPage', String(perPage));
      const body = await get(`${root}?${query}`, signal);
      checkCustomerList(body);
      return body;
    },

    async get(id, { signal } = {}) {
      const body = await get(`${root}/${encodeURIComponent(id)}`, signal);
      checkCustomerDetail(body);
      return body;
    },
  };
}
