import type { TestProject } from 'vitest/node';
import { providePostgres } from './postgres.ts';

export default (project: TestProject) => providePostgres(project, 18);
