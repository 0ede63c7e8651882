/** A customer as applications use it. Made from a {@link WireCustomer} by {@link toCustomer}. */
export interface Customer {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  company: string | null;
  isVerified: boolean;
  totalOrders: number;
  /**
   * In the major currency unit. `Math.round(lifetimeValue * 100)` gives back the exact cents up to
   * 2^45 (35 trillion) in either direction; beyond that it may be off by one cent.
   */
  lifetimeValue: number;
  /** `null` when there is no order. */
  lastOrderAt: Date | null;
  createdAt: Date;
}

/** One page of customers. Made from a {@link WireCustomerList} by {@link toCustomerPage}. */
export interface CustomerPage {
  items: Customer[];
  /** The page the items belong to, counted from 1. */
  page: number;
  /** The exact number of customers that match, on all pages together. */
  total: number;
}
