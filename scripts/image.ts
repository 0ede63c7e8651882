/** Builds the image `localhost/clientele:VERSION` with Podman, from what `pnpm build` made: `pnpm image`. */
import { buildImage } from './image/build.ts';

const { name, base } = await buildImage();
process.stdout.write(`image: ${name} on ${base.name}\n`);
if (base.isStandIn) process.stdout.write('image: the base is a stand-in; do not publish it\n');
