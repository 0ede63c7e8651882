'use client';

export { CustomersProvider, type CustomersProviderProps, useCustomersService } from './provider.ts';
export { type CustomerResult, useCustomer, useSuspenseCustomer } from './use-customer.ts';
export { type CustomersResult, useCustomers, useSuspenseCustomers } from './use-customers.ts';
export { usePrefetchCustomers } from './use-prefetch-customers.ts';
