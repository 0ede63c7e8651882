/** Whether callers who may not see contact details can be served, where there are any. */
import { mustFix, ok, row, type Check } from './finding.ts';

export const masking: Check = {
  name: 'masking',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { ready, used, keys } = await row<{ ready: boolean; used: boolean; keys: number }>(
      client,
      `select clientele.is_masking_ready() as ready, exists (select from clientele.masking) as used,
         (select count(*)::int from clientele.access_keys as k
          where k.revoked_at is null and not 'customers:contact' = any (k.scopes)) as keys`,
    );
    if (ready) return [ok('Callers who may not see contact details can be served.')];
    if (!used && keys === 0) return [ok('No key hides contact details.')];
    return [
      mustFix(
        used
          ? 'A trigger or index of masking is missing, or was disabled for a while: masked callers are refused.'
          : `The directory is not prepared for keys without customers:contact (${keys}): they are refused.`,
        'clientele masking prepare',
      ),
    ];
  },
};
