export { Database, type Migrations } from './database/database.ts';
export { openDatabase } from './database/open-database.ts';
export { MerkleLogStore, type TreeHead, type TreeName } from './merkle-log-store/merkle-log-store.ts';
export { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from './store-error/store-error.ts';
