/** Generated customers. An entry of its own, because its vocabulary takes a moment to load. */
export { copyCsv, copyCustomers } from './generator/copy-customers.ts';
export { customerAt } from './generator/customer.ts';
export { customersCopyText, customersCsv, customersNdjson } from './generator/formats.ts';
