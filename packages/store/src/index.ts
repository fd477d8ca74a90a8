export { Database, type Migrations, openDatabase } from './database/database.ts';
