import {
  checkCustomerDetail,
  checkCustomerList,
  checkSuggestions,
  checkTimeline,
} from '#contract-check';
import {
  type CustomerFilters,
  filtersOf,
  type ListSelection,
  selectionOf,
  withoutUndefined,
} from './filters.ts';
import { type Fetch, getJson, type HeadersInput } from './http.ts';
import type { QuerySettings } from './query-policy.ts';
import type {
  WireCustomerDetail,
  WireCustomerList,
  WireSuggestions,
  WireTimeline,
} from './wire.ts';

/** The options of {@link createCustomersService}. */
export interface CustomersServiceOptions extends QuerySettings {
  /** The URL to which `/v3/customers` is appended. In a browser it may be relative: `''`, `'/api'`. */
  baseUrl: string | URL;
  /** A custom `fetch`, for tests, cookies, tracing or timeouts. Defaults to the global one. */
  fetch?: Fetch | undefined;
  /** Sent with every request. A function is called for each request, so that tokens stay fresh. */
  headers?: HeadersInput | (() => HeadersInput | Promise<HeadersInput>) | undefined;
  /** The page size of this application, from 1 to 100. Defaults to the server's default, 25. */
  perPage?: number | undefined;
}

/** The parameters of `service.list`. */
export interface ListCustomersParams extends ListSelection {
  /** Starts at 1, which is the default. */
  page?: number | undefined;
  search?: string | undefined;
  /** Overrides the service's page size for this request. */
  perPage?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Given the service's `fetch`, returns the one that sends this request. See {@link rowsFirst}. */
  through?: ((fetch: Fetch) => Fetch) | undefined;
}

/** The parameters of `service.timeline`. */
export interface TimelineParams extends CustomerFilters {
  search?: string | undefined;
  /** The largest number of periods, from 1 to 500. Defaults to the server's default, 120. */
  buckets?: number | undefined;
  /** `false` estimates the periods of many customers, which is faster. By default, every period is counted. */
  exact?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads customers. Results are unmodified wire data. The service does not catch, retry or cache
 * anything; see {@link ApiError} for the errors it throws.
 */
export interface CustomersService extends QuerySettings {
  /** The service's page size, which list keys omit unless `perPageInKeys` is set. */
  readonly perPage?: number | undefined;
  /** List keys always include the page size. Set by {@link CustomersProvider} if sizes would collide. */
  readonly perPageInKeys?: boolean | undefined;
  /** One page, newest customers first unless `sort` is given. */
  list(params?: ListCustomersParams): Promise<WireCustomerList>;
  /** One customer. Throws an {@link ApiError} with the code `customer-not-found` if there is none. */
  get(id: string, options?: { signal?: AbortSignal | undefined }): Promise<WireCustomerDetail>;
  /** Searches to try instead of one that matches at most five customers. The `data` is empty if there is none. */
  suggestions(
    search: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<WireSuggestions>;
  /** When the customers of the list with the same search and filters joined. */
  timeline(params?: TimelineParams): Promise<WireTimeline>;
}

/**
 * Creates the service layer. Works wherever `fetch` is available.
 *
 * @example
 * const service = createCustomersService({
 *   baseUrl: 'https://customers.example',
 *   headers: async () => ({ authorization: `Bearer ${await currentToken()}` }),
 * });
 * const { data, pagination } = await service.list({ search: 'anna' });
 */
export function createCustomersService(options: CustomersServiceOptions): CustomersService {
  const { baseUrl, headers, perPage: size, staleTime, retry } = options;
  const root = `${String(baseUrl).replace(/\/+$/, '')}/v3/customers`;
  // Looked up for each request, so that a `fetch` patched or polyfilled later is used.
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  async function get(
    path: string,
    signal: AbortSignal | undefined,
    send: Fetch = fetch,
  ): Promise<unknown> {
    const resolved = typeof headers === 'function' ? await headers() : headers;
    return getJson(send, root + path, { headers: resolved ?? {}, signal: signal ?? null });
  }

  return {
    perPage: size,
    staleTime,
    retry,

    async list({ page = 1, search = '', perPage = size, signal, through, ...rest } = {}) {
      const path = query({ page, search, perPage, ...selectionOf(rest) });
      const body = await get(path, signal, through?.(fetch));
      checkCustomerList(body);
      return body;
    },

    async get(id, { signal } = {}) {
      const body = await get(`/${encodeURIComponent(id)}`, signal);
      checkCustomerDetail(body);
      return body;
    },

    async suggestions(search, { signal } = {}) {
      const body = await get(`/suggestions${query({ search })}`, signal);
      checkSuggestions(body);
      return body;
    },

    async timeline({ search = '', buckets, exact, signal, ...rest } = {}) {
      const params = { search, ...filtersOf(rest), buckets, exact };
      const body = await get(`/timeline${query(params)}`, signal);
      checkTimeline(body);
      return body;
    },
  };
}

const query = (params: object): string => `?${new URLSearchParams(withoutUndefined(params))}`;
