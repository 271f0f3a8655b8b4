import { z } from 'zod';
import { catalogueSchema } from '../catalogue/schema.ts';

// Prints the JSON schema of catalogue files, for editors and for checks in a pipeline.
const schema = z.toJSONSchema(catalogueSchema, { io: 'input' });
process.stdout.write(`${JSON.stringify({ ...schema, title: 'Tollgate model catalogue' }, null, 2)}\n`);
