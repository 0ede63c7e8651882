export { buildCustomer, buildCustomerDetail, buildCustomerList, buildProblem } from './fixtures.ts';
