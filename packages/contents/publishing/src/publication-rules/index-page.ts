import type { Publication, PublicationIndex, PublishedArtifact } from './publication-index.ts';
import { INDEX_FILE } from './publication-index.ts';
import { latestFile } from './publication-name.ts';

/** The list for people. */
export const PAGE_FILE = 'index.html';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5c6570; --line: #dfe3e8; --paper: #fff; --ground: #f5f6f8; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa4b0; --line: #343a42; --paper: #1d2126; --ground: #14171a; --accent: #7db8f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .25rem 0; color: var(--soft); }
a { color: var(--accent); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; margin: 1.5rem 0; padding: 1rem 1.25rem; }
header.artifact { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td:last-child { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
code { font: .85em ui-monospace, monospace; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem 1rem; overflow-x: auto; margin: .75rem 0 0; }
@media (max-width: 46rem) {
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; display: flex; gap: 1rem; padding: .15rem 0; }
  td::before { color: var(--soft); content: attr(data-label); flex: 0 0 6.5rem; }
  td > * { min-width: 0; overflow-wrap: anywhere; white-space: normal; }
}
.mark { white-space: nowrap; border: 1px solid var(--accent); border-radius: 1rem; color: var(--accent); font-size: .75rem; margin-left: .4rem; padding: 0 .5rem; }
`;

/** Nothing is loaded from anywhere, and nothing runs. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The index as one page of HTML without scripts and without anything from elsewhere. */
export function formatIndexPage({ artifacts, updated_at }: PublicationIndex): string {
  const count = artifacts.reduce((sum, { versions }) => sum + versions.length, 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<title>Published SBOMs</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Published SBOMs</h1>
<p>${plural(artifacts.length, 'artifact')}, ${plural(count, 'version')}, as of <time datetime="${escapeHtml(updated_at)}">${readable(updated_at)}</time>. For programs: <a href="${INDEX_FILE}">${INDEX_FILE}</a></p>
${artifacts.map(section).join('')}<section>
<h2>Fetch one and verify it</h2>
<p>The signature is held against the signer and the issuer that you expect, not against what this page says. A <code>-latest</code> file is a copy of the version that is marked so, and the signature of that version is its signature.</p>
<pre><code>colophon sbom fetch ARTIFACT@VERSION --from THIS-SITE \\
  --certificate-identity SIGNER \\
  --certificate-oidc-issuer ISSUER \\
  --out sbom.cdx.json</code></pre>
</section>
</main>
</body>
</html>
`;
}

const COLUMNS = ['Version', 'Published', 'Kept until', 'SHA-256', 'Signature', 'Signed by'] as const;
type Column = (typeof COLUMNS)[number];

function section({ artifact, latest, versions }: PublishedArtifact): string {
  const newest =
    latest === undefined ? '' : `<a href="${href(latestFile(artifact))}">latest: ${escapeHtml(latest)}</a>`;
  const rows = versions.toReversed().map((publication) => row(publication, publication.version === latest));
  return `<section>
<header class="artifact"><h2>${escapeHtml(artifact)}</h2>${newest}</header>
<div class="scroll"><table>
<thead><tr>${COLUMNS.map((label) => `<th>${label}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('')}</tbody>
</table></div>
</section>
`;
}

function row(publication: Publication, isLatest: boolean): string {
  const { version, published_at, retain_until, signed_by, document, signature, bundle } = publication;
  const hex = document.digest.slice('sha256:'.length);
  const signer =
    signed_by === undefined ? 'a key' : `${escapeHtml(signed_by.subject)}<br>${escapeHtml(signed_by.issuer)}`;
  const cells: ReadonlyArray<readonly [label: Column, html: string]> = [
    [
      'Version',
      `<a href="${href(document.file)}">${escapeHtml(version)}</a>${isLatest ? '<span class="mark">latest</span>' : ''}`,
    ],
    ['Published', readable(published_at)],
    ['Kept until', escapeHtml(retain_until.slice(0, 10))],
    ['SHA-256', `<code title="${escapeHtml(hex)}">${escapeHtml(hex.slice(0, 12))}</code>`],
    ['Signature', `<a href="${href(signature.file)}">sig</a> · <a href="${href(bundle.file)}">bundle</a>`],
    ['Signed by', signer],
  ];
  return `<tr>${cells.map(([label, html]) => `<td data-label="${label}"><span>${html}</span></td>`).join('')}</tr>\n`;
}

/** A name beside the page, also where it has a `+`. */
function href(file: string): string {
  return escapeHtml(`./${encodeURIComponent(file)}`);
}

function readable(time: string): string {
  return escapeHtml(`${time.slice(0, 10)} ${time.slice(11, 16)} UTC`);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
