import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { addCatalogueCheckCommand } from './catalogue-check.ts';
import { addCatalogueDiffCommand } from './catalogue-diff.ts';
import { addCatalogueImportCommand } from './catalogue-import.ts';

export function addCatalogueCommands(program: Command, io: Io): void {
  const catalogue = program
    .command('catalogue')
    .description('check and compare catalogue files, and write entries for models');
  addCatalogueCheckCommand(catalogue, io);
  addCatalogueDiffCommand(catalogue, io);
  addCatalogueImportCommand(catalogue, io);
}
