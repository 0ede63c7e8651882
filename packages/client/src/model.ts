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
