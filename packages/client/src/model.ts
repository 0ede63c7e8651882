import type { WireTimeline } from './wire.ts';

/** A customer as applications use it. {@link toCustomer} creates it from a {@link WireCustomer}. */
export interface Customer {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  company: string | null;
  isVerified: boolean;
  totalOrders: number;
  /**
   * In the major currency unit. `Math.round(lifetimeValue * 100)` restores the exact cents for
   * values from -2^45 to 2^45 (35 trillion). Beyond that it may be off by one cent.
   */
  lifetimeValue: number;
  /** `null` if the customer has no orders. */
  lastOrderAt: Date | null;
  createdAt: Date;
  /**
   * The fields that are hidden from the caller, who lacks the scope `customers:contact`: `email` is then empty
   * and `phone` null, whatever they are. Absent if nothing is hidden.
   */
  hidden?: readonly HiddenField[];
}

/** A field that can be hidden from the caller. */
export type HiddenField = 'email' | 'phone';

/** One page of customers. {@link toCustomerPage} creates it from a {@link WireCustomerList}. */
export interface CustomerPage {
  items: Customer[];
  /** The page of these items, starting at 1. */
  page: number;
  /** The exact number of matching customers on all pages. */
  total: number;
}

/** The customers of the pages loaded so far, each once. {@link customersInfiniteQuery} selects it. */
export interface InfiniteCustomers {
  items: Customer[];
  /** The exact number of matching customers on all pages, when the last one was loaded. */
  total: number;
}

/** When the customers of a list joined. {@link toTimeline} creates it from a {@link WireTimeline}. */
export interface Timeline {
  /** The exact number of matching customers, which is also the sum of all counts. */
  total: number;
  /** `false` if a customer may be counted in another period than its own, also in one that has nobody. */
  exact: boolean;
  /** The length of every period. */
  unit: TimelineUnit;
  /** The newest period first, without gaps. Empty if nobody matches. */
  buckets: TimelineBucket[];
}

/** One period of a {@link Timeline}. It ends where the next newer one starts. */
export interface TimelineBucket {
  from: Date;
  /** How many of the matching customers joined in it. */
  count: number;
  /** How many of them joined later. The period starts on the page `Math.floor(above / perPage) + 1`. */
  above: number;
}

/** A calendar period in UTC. A week starts on Monday. */
export type TimelineUnit = WireTimeline['data']['unit'];
