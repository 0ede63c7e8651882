/** The rows of lists whose total is being counted, in the cache of customers: they are forgotten together. */
import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';
import { toCustomers } from '../mappers.ts';
import type { Customer } from '../model.ts';
import { customerKeys } from '../query-keys.ts';
import type { CustomersQueryParams } from '../query-options.ts';
import { rowsFirst, type WireCustomerRows } from '../rows-first.ts';
import type { CustomersService } from '../service.ts';
import { shareEqual } from '../share-equal.ts';
import { useCustomersService } from './provider.ts';

const keyOf = ({ page, search, perPage, ...selection }: CustomersQueryParams) =>
  ['customers', 'rows', ...customerKeys.list(page, search, perPage, selection).slice(2)] as const;

/**
 * Makes a service that asks for the rows of each list before their total, and keeps them in the cache until the total
 * arrives or the request is given up. Pass it to {@link CustomersProvider}, so that {@link useCustomersRowsFirst} shows
 * the rows of every request, also of a prefetch or of {@link useCustomers}.
 *
 * @example
 * <CustomersProvider service={keepingFirstRows(service, queryClient)}>
 */
export function keepingFirstRows(
  service: CustomersService,
  queryClient: QueryClient,
): CustomersService {
  return {
    ...service,
    async list({ signal, through, ...params } = {}) {
      const queryKey = keyOf({ ...params, perPage: params.perPage ?? service.perPage });
      const cached = () => queryClient.getQueryCache().find({ queryKey });
      const forget = () => cached()?.setState({ data: undefined, status: 'pending' });
      // What an earlier request left is old, unless it is on screen: then this request is a retry.
      if (!cached()?.getObserversCount()) forget();
      signal?.addEventListener('abort', forget);
      const keep = rowsFirst((rows) => queryClient.setQueryData(queryKey, rows));
      const list = await service.list({
        ...params,
        signal,
        through: (fetch) => keep(through?.(fetch) ?? fetch),
      });
      // Not before the cache has the whole list, or nothing would be shown in between.
      setTimeout(forget);
      return list;
    },
  };
}

/** The result of {@link useFirstRows}. */
export interface FirstRows {
  /** `undefined` unless rows have arrived whose total has not. */
  items: Customer[] | undefined;
  /** In milliseconds, like `Date.now()`. */
  arrivedAt: number;
}

/**
 * Reads what {@link keepingFirstRows} keeps, and sends no request. {@link useCustomersRowsFirst} is made of it.
 *
 * @example
 * const { items } = useFirstRows({ search });
 */
export function useFirstRows(params: CustomersQueryParams = {}): FirstRows {
  const service = useCustomersService();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: keyOf({ ...params, perPage: params.perPage ?? service.perPage }),
    queryFn: skipToken,
    select: (rows: WireCustomerRows) => toCustomers(rows),
    structuralSharing: shareEqual,
  });
  return { items: data, arrivedAt: dataUpdatedAt };
}
