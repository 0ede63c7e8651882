/**
 * Runs the image that `pnpm image` built, with Podman, and checks what docs/how-to/container.md promises:
 * `pnpm image:check`. All of it runs without privileges, on a read-only root and on a network that holds only the
 * database.
 */
import { install } from './debian.ts';
import { checkCompose } from './image/compose.ts';
import { checkContents } from './image/contents.ts';
import { findOrMakeBase } from './image/base.ts';
import { currentImage } from './image/build.ts';
import { installPodman } from './image/podman.ts';
import { findOrMakePostgres } from './image/postgres.ts';
import { checkRunning } from './image/running.ts';

installPodman();
install('netavark', 'iptables', 'nft', 'docker-compose');
const base = await findOrMakeBase();
const image = await currentImage();
const postgres = await findOrMakePostgres(base);
await checkContents(image, base);
await checkRunning(image, postgres);
await checkCompose(image, postgres);
