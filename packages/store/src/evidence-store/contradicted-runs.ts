import type { DatabaseSync } from 'node:sqlite';
import { type CertificateIdentity, runContradictions, type Statement } from '@colophon/records';

/**
 * Takes back the runs that an older program kept although their certificate denies them: no question finds them as a
 * run, or by what they said of a commit. The signature is real, so its entry stays, as an attestation of no kind of ours.
 */
export function takeBackContradictedRuns(sqlite: DatabaseSync): void {
  const runs = sqlite.prepare(
    'SELECT entry.id, entry.identity, entry.statement FROM evidence_run AS run JOIN evidence_entry AS entry ON entry.id = run.entry_id',
  );
  const contradicted: { id: number; subjects: Statement['subject'] }[] = [];
  for (const { id, identity, statement } of runs.iterate()) {
    const said = JSON.parse(String(statement)) as Statement;
    const isDenied = runContradictions(said, JSON.parse(String(identity)) as CertificateIdentity).length > 0;
    if (isDenied) contradicted.push({ id: Number(id), subjects: said.subject });
  }
  const forgetRun = sqlite.prepare('DELETE FROM evidence_run WHERE entry_id = ?');
  const demote = sqlite.prepare("UPDATE evidence_entry SET kind = 'attestation' WHERE id = ?");
  const commitsOf = sqlite.prepare('SELECT commit_sha FROM evidence_commit_link WHERE entry_id = ?');
  const unlink = sqlite.prepare('DELETE FROM evidence_commit_link WHERE entry_id = ? AND commit_sha = ?');
  for (const { id, subjects } of contradicted) {
    forgetRun.run(id);
    demote.run(id);
    const named = new Set(subjects.map(({ digest }) => digest['gitCommit']));
    for (const { commit_sha } of commitsOf.all(id)) {
      if (!named.has(String(commit_sha))) unlink.run(id, String(commit_sha));
    }
  }
  sqlite.exec('DELETE FROM evidence_commit WHERE commit_sha NOT IN (SELECT commit_sha FROM evidence_commit_link)');
}
