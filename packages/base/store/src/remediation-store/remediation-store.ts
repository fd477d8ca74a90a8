import { DocumentStore, documentStatements, type StoredDocument } from '../document-store/document-store.ts';
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from '../sql-database/sql-database.ts';

/** One remediation record with the columns that it is found by. */
export type RemediationRow = {
  readonly id: string;
  /** 1 for a new one; every change adds 1. */
  readonly revision: number;
  readonly product: string;
  readonly cve: string;
  readonly isOpen: boolean;
  /** RFC 3339 in UTC. */
  readonly discoveredAt: string;
  /** JSON of the record. */
  readonly document: string;
};

/** What a list is narrowed to; nothing of it is every record. */
export type RemediationFilter = {
  readonly isOpen?: boolean;
  readonly cve?: string;
  readonly product?: string;
  /** Only those that may be called so; the caller looks which of them are. */
  readonly named?: RemediationNames;
};

/** What a record may be called: any of these is enough. */
export type RemediationNames = {
  /** Ids and other names of vulnerabilities, as they stand in documents. */
  readonly vulnerabilities: readonly string[];
  /** How an id begins. */
  readonly idPrefix?: string;
};

/** So many rows go into one statement: 7 values each, where SQLite takes 32,766 and PostgreSQL 65,535. */
const ROWS_PER_STATEMENT = 500;

const STEPS = [
  `CREATE TABLE remediation (
     id TEXT PRIMARY KEY, revision BIGINT NOT NULL, product TEXT NOT NULL, cve TEXT NOT NULL, is_open BIGINT NOT NULL,
     discovered_at TEXT NOT NULL, document TEXT NOT NULL);
   CREATE INDEX remediation_open ON remediation (is_open, cve);
   CREATE INDEX remediation_cve ON remediation (cve);
   CREATE INDEX remediation_product ON remediation (product);`,
];

/** Remediation records; who changes one says which revision was read. */
export class RemediationStore {
  readonly #db: SqlDatabase;

  private constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Makes the tables where they are not there, that of the documents too. */
  static async open(db: SqlDatabase): Promise<RemediationStore> {
    await DocumentStore.open(db);
    await db.migrate('remediation', STEPS);
    return new RemediationStore(db);
  }

  /**
   * Adds all rows, and the documents that they rest on, or nothing.
   * @throws StoreError `store.conflict` where one of them is there already
   */
  async insert(rows: readonly RemediationRow[], documents: readonly StoredDocument[] = []): Promise<void> {
    const statements: SqlStatement[] = [...documentStatements(documents)];
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const part = rows.slice(at, at + ROWS_PER_STATEMENT);
      statements.push({
        text: `INSERT INTO remediation (id, revision, product, cve, is_open, discovered_at, document) VALUES ${part.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
        values: part.flatMap(valuesOf),
        changes: part.length,
      });
    }
    await this.#db.write(statements);
  }

  /**
   * Puts the row, whose `revision` is the new one, in the place of the revision that was read.
   * @throws StoreError `store.conflict` where somebody else changed it since
   */
  async update(
    row: RemediationRow,
    expectedRevision: number,
    documents: readonly StoredDocument[] = [],
  ): Promise<void> {
    await this.updateAll([{ row, expectedRevision }], documents);
  }

  /** The same for many rows: all of them or none. @throws StoreError `store.conflict` */
  async updateAll(
    updates: readonly { readonly row: RemediationRow; readonly expectedRevision: number }[],
    documents: readonly StoredDocument[] = [],
  ): Promise<void> {
    // In one order, so that two writers of the same rows do not wait for each other.
    const sorted = updates.toSorted((a, b) => (a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0));
    await this.#db.write([
      ...documentStatements(documents),
      ...sorted.map(({ row: { id, ...row }, expectedRevision }) => ({
        text: `UPDATE remediation SET revision = ?, product = ?, cve = ?, is_open = ?, discovered_at = ?, document = ?
               WHERE id = ? AND revision = ?`,
        values: [...valuesOf({ id, ...row }).slice(1), id, expectedRevision],
        changes: 1,
      })),
    ]);
  }

  /** The record of this id, or undefined. */
  async get(id: string): Promise<RemediationRow | undefined> {
    const [row] = await this.#db.all({ text: `${SELECT} WHERE id = ?`, values: [id] });
    return row && rowOf(row);
  }

  /** The records that fit, by id. */
  async list({ isOpen, cve, product, named }: RemediationFilter = {}): Promise<readonly RemediationRow[]> {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const require = (column: string, value: SqlValue) => {
      conditions.push(`${column} = ?`);
      values.push(value);
    };
    if (isOpen !== undefined) require('is_open', isOpen ? 1 : 0);
    if (cve !== undefined) require('cve', cve);
    if (product !== undefined) require('product', product);
    if (named !== undefined) {
      // Other names stand in the document alone. To look through its text is a fraction of reading it as a record.
      const patterns = named.vulnerabilities.map((name) => `%${literally(JSON.stringify(name))}%`);
      const prefix = named.idPrefix === undefined ? [] : [`${literally(named.idPrefix)}%`];
      const either = [...patterns.map(() => "document LIKE ? ESCAPE '!'"), ...prefix.map(() => "id LIKE ? ESCAPE '!'")];
      conditions.push(either.length === 0 ? '1 = 0' : `(${either.join(' OR ')})`);
      values.push(...patterns, ...prefix);
    }
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const rows = (await this.#db.all({ text: SELECT + where, values })).map(rowOf);
    // Sorted here: a server's collation may order ids in another way than SQLite.
    return rows.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

const SELECT = 'SELECT id, revision, product, cve, is_open, discovered_at, document FROM remediation';

/** A text for LIKE, in which nothing stands for something else. */
function literally(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

function valuesOf(row: RemediationRow): SqlValue[] {
  return [row.id, row.revision, row.product, row.cve, row.isOpen ? 1 : 0, row.discoveredAt, row.document];
}

function rowOf(row: SqlRow): RemediationRow {
  return {
    id: row['id'] as string,
    revision: row['revision'] as number,
    product: row['product'] as string,
    cve: row['cve'] as string,
    isOpen: row['is_open'] === 1,
    discoveredAt: row['discovered_at'] as string,
    document: row['document'] as string,
  };
}
