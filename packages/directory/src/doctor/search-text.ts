/** Whether all customers are found by the present search rules. */
import { pendingRefresh } from '../db/refresh-search.ts';
import { ok, warning, type Check } from './finding.ts';

export const searchText: Check = {
  name: 'search text',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const refresh = await pendingRefresh(client);
    if (!refresh) return [ok('All customers are found by the present search rules.')];
    const [compared, of] = [refresh.compared, refresh.of].map((n) => n.toLocaleString('en'));
    return [
      warning(
        `Some customers are found by earlier search rules only: ${compared} of about ${of} have been compared.`,
        'clientele prepare search-text',
      ),
    ];
  },
};
