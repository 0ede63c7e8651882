/** Builds the image `localhost/clientele:VERSION` with Podman, from what `pnpm build` made: `pnpm image`. */
import { buildImage } from './image/build.ts';
import { podman } from './image/podman.ts';

const { name, base } = await buildImage();
const digest = await podman('image', 'inspect', '--format', '{{.Digest}}', name);
process.stdout.write(`image: ${name} on ${base.name}\nimage: ${digest}\n`);
if (base.isStandIn) process.stdout.write('image: the base is a stand-in; do not publish it\n');
