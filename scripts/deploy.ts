/** Checks everything in `deploy/` except the image, by running it: `pnpm deploy:check`. */
import { checkKubePlay } from './deploy/kube-play.ts';
import { checkKubernetes } from './deploy/kubernetes.ts';
import { checkSystemd } from './deploy/systemd.ts';

await checkKubernetes();
await checkKubePlay();
await checkSystemd();
