/** Generated customers. A separate entry point, because the vocabulary is slow to load. */
export { copyCsv, copyCustomers } from './generator/copy-customers.ts';
export { customerAt } from './generator/customer.ts';
export { customersCsv, customersNdjson } from './generator/formats.ts';
