/** Checks everything in `deploy/` except the image, by running it: `pnpm deploy:check`. */
import { checkKubernetes } from './deploy/kubernetes.ts';
import { checkSystemd } from './deploy/systemd.ts';

await checkKubernetes();
await checkSystemd();
