import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DECISION_LISTS, type NewDecision } from './evidence-record.ts';
import { DECISION_IMAGE_COLUMNS, DECISION_REQUEST_COLUMNS } from './evidence-select.ts';
import { insertInto, valuesOf } from './insert-row.ts';

const REQUEST_COLUMNS = ['request_uid', 'webhook', 'request', 'imported_at'] as const;
const IMAGE_COLUMNS = [...DECISION_IMAGE_COLUMNS, 'detail'] as const;

/** Writes decisions of admission webhooks: a row for each image, with what is asked of its request beside it. */
export class DecisionWriter {
  readonly #known: StatementSync;
  readonly #insertRequest: StatementSync;
  readonly #insertDecision: StatementSync;
  readonly #insertListed: StatementSync;

  constructor(sqlite: DatabaseSync) {
    this.#known = sqlite.prepare('SELECT 1 FROM evidence_decision_request WHERE request_uid = ? AND webhook = ?');
    this.#insertRequest = sqlite.prepare(insertInto('evidence_decision_request', REQUEST_COLUMNS));
    this.#insertDecision = sqlite.prepare(
      insertInto('evidence_decision', ['request_id', ...DECISION_REQUEST_COLUMNS, ...IMAGE_COLUMNS]),
    );
    // A reason may be given twice.
    this.#insertListed = sqlite.prepare(
      'INSERT OR IGNORE INTO evidence_decision_listed (list, value, time, decision_id) VALUES (?, ?, ?, ?)',
    );
  }

  /** Stores it; false where a decision of this request and webhook is there already, which stays. */
  add(decision: NewDecision): boolean {
    const { request_uid, webhook, time, images } = decision;
    if (this.#known.get(request_uid, webhook) !== undefined) return false;
    const requestId = Number(this.#insertRequest.run(...valuesOf(decision, REQUEST_COLUMNS)).lastInsertRowid);
    const ofRequest = [requestId, ...valuesOf(decision, DECISION_REQUEST_COLUMNS)];
    // A decision about no image is a row too.
    if (images.length === 0) this.#insertDecision.run(...ofRequest, ...valuesOf({}, IMAGE_COLUMNS));
    for (const image of images) {
      const { lastInsertRowid } = this.#insertDecision.run(...ofRequest, ...valuesOf(image, IMAGE_COLUMNS));
      for (const list of DECISION_LISTS) {
        for (const value of image.lists[list]) this.#insertListed.run(list, value, time, lastInsertRowid);
      }
    }
    return true;
  }
}
