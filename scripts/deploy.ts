/** Checks everything in `deploy/` except the image, by running it: `pnpm deploy:check`. */
import { checkSystemd } from './deploy/systemd.ts';

await checkSystemd();
